import CarillonEngine
import CarillonModel
import CarillonSQL

/// What became of a line.
enum ImportOutcome {
    case added
    case replaced
    case registered
}

extension ImportTable {
    /// Nobody else takes these tokens before the commit.
    ///
    /// Large batches come from an import that is alone; PostgreSQL would have no room for so many locks.
    func lockTokens(of lines: [ImportedDevice], app: AppID) throws {
        guard connection.dialect == .postgreSQL, lines.count <= DeviceImportRepository.maximumTokenLocks else { return }
        try connection.lock(Set(lines.map { WriteLock.token($0.token, app: app) }))
    }

    /// Keeps one Device of a file that is not plain.
    func importDevice(_ new: DeviceRow, _ line: ImportedDevice) throws -> ImportOutcome {
        let holder = try connection.deviceTokens.holders(of: line.token, like: new.registration, app: new.app).first
        if let holder, !holder.isImported { return .registered }
        let known = line.device == nil ? nil : try connection.devices.lockedDeviceRow(app: new.app, device: new.device)
        if let known, known.secretHash != nil { return .registered }
        var former = known
        // The same phone, described again: it keeps its number and its id.
        if line.device == nil, let holder {
            former = try connection.devices.lockedDeviceRow(app: new.app, device: holder.device)
        }
        if holder != nil, holder?.device != former?.device {
            try connection.deviceTokens.takeToken(
                line.token,
                like: new.registration,
                app: new.app,
                for: new.device,
                at: new.registeredAt
            )
        }
        if let former { try replaceImported(former, with: new) } else { try addImported(new) }
        if let tags = line.tags, let user = new.registration.user,
            try !connection.tags.hasTooManyDevices(user, app: new.app)
        {
            try connection.tags.setTags(TagNumbers(tags), of: user, app: new.app)
        }
        return former == nil && holder == nil ? .added : .replaced
    }

    // MARK: - Private

    /// The User's tags stay; those of the line come after.
    private func addImported(_ device: DeviceRow) throws {
        var device = device
        device.tags = .none
        if let user = device.registration.user {
            device.tags = try connection.tags.joinedTags(of: user, app: device.app, butOf: nil)
        }
        try connection.devices.insertDevice(device)
        try connection.devices.updateLabels(from: nil, to: device)
    }

    private func replaceImported(_ former: DeviceRow, with new: DeviceRow) throws {
        var new = new
        (new.number, new.device, new.tags) = (former.number, former.device, .none)
        if former.registration.user == new.registration.user {
            new.tags = former.tags
        } else {
            try connection.tags.parkTags(of: former)
            if let user = new.registration.user {
                new.tags = try connection.tags.joinedTags(of: user, app: new.app, butOf: former.number)
            }
        }
        try connection.devices.updateDevice(new, formerNumber: former.number)
        try connection.devices.updateLabels(from: former, to: new)
        try connection.consents.noteConsent(from: former, to: new, source: .file)
    }
}
