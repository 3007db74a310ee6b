import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// What became of a line.
enum ImportOutcome {
    case added
    case replaced
    /// The app has registered or removed it here.
    case registered
}

/// Who holds an imported token in Apple's other environment.
enum OtherHolder {
    case none
    /// An imported Device: one of the files named the wrong environment, and the later one corrects the earlier one.
    case misplaced(DeviceID)
    /// A Device that stays: its app has registered it, or Apple has called the token dead.
    case fixed
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
        let elsewhere = holder == nil ? try otherHolder(of: line.token, new.registration, new.app) : .none
        guard try !isLeftAlone(line, holder, elsewhere, new.app) else { return .registered }
        let known = line.device == nil ? nil : try connection.devices.lockedDeviceRow(app: new.app, device: new.device)
        if let known, !known.isImported { return .registered }
        var former = known
        // The same phone, described again: it keeps its number and its id.
        if line.device == nil, let holder {
            former = try connection.devices.lockedDeviceRow(app: new.app, device: holder.device)
        }
        if former == nil, case .misplaced(let device) = elsewhere {
            former = try connection.devices.lockedDeviceRow(app: new.app, device: device)
        }
        var new = new
        if let holder, holder.device != former?.device {
            let number = former?.number ?? new.number
            try keepDecisions(of: holder, in: &new, under: number)
            try connection.deviceTokens.takeToken(
                line.token,
                like: new.registration,
                app: new.app,
                for: new.device,
                number,
                at: new.createdAt
            )
        }
        if let former { try replaceImported(former, with: new, line) } else { try addImported(new) }
        if let tags = line.tags, let user = new.registration.user,
            try !connection.tags.hasTooManyDevices(user, app: new.app)
        {
            if line.addsTags {
                try addTags(tags, to: user, app: new.app)
            } else {
                try connection.tags.setTags(TagNumbers(tags), of: user, app: new.app)
            }
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

    private func replaceImported(_ former: DeviceRow, with new: DeviceRow, _ line: ImportedDevice) throws {
        var new = new
        (new.number, new.device, new.tags) = (former.number, former.device, .none)
        try keepLoweredConsent(of: former, in: &new)
        new.keepConsentTimes(of: former)
        if former.registration.user == new.registration.user {
            new.tags = former.tags
        } else {
            try connection.tags.parkTags(of: former)
            if let user = new.registration.user {
                new.tags = try connection.tags.joinedTags(of: user, app: new.app, butOf: former.number)
            }
        }
        var noted = new
        noted.registeredAt = new.createdAt
        // The same token again says nothing new about it: what Apple said holds, and its time goes on.
        if former.registration.token == new.registration.token,
            former.registration.pushType == new.registration.pushType
        {
            (new.tokenState, new.tokenAt) = (former.tokenState, former.tokenAt)
            new.isTokenUnconfirmed = former.isTokenUnconfirmed
            let seenAt = line.seenAt.map { min($0, new.createdAt) } ?? former.registeredAt
            new.registeredAt = max(former.registeredAt, seenAt)
        }
        (new.createdAt, new.importedAt) = (former.createdAt, former.importedAt)
        guard new != former else { return }
        new.importedAt = noted.registeredAt
        try connection.devices.updateDevice(new, formerNumber: former.number)
        try connection.devices.updateLabels(from: former, to: new)
        try connection.consents.noteConsent(from: former, to: noted, source: .file)
    }

    /// Keeps what was decided on an imported Device whose place another one takes, such as one whose id an earlier file
    /// did not have.
    private func keepDecisions(of holder: TokenHolder, in new: inout DeviceRow, under number: DeviceNumber) throws {
        guard let held = try connection.devices.lockedDeviceRow(app: new.app, device: holder.device) else { return }
        try keepLoweredConsent(of: held, in: &new)
        new.keepConsentTimes(of: held)
        // The token is the same: what Apple said of it holds.
        (new.tokenState, new.tokenAt) = (held.tokenState, held.tokenAt)
        new.isTokenUnconfirmed = held.isTokenUnconfirmed
        try connection.consents.moveConsents(from: held.number, to: number, app: new.app)
    }

    /// Leaves a consent as it is that was given up here: a file is older than what the person decided since, unless it was
    /// an earlier file that said so, and this one that the person consents since a later time.
    private func keepLoweredConsent(of former: DeviceRow, in new: inout DeviceRow) throws {
        let flags: [(WritableKeyPath<Consent, Bool>, KeyPath<ConsentTimes, Timestamp?>)] = [
            (\.notifications, \.notifications), (\.ads, \.ads), (\.nightAds, \.nightAds),
        ]
        let (old, given) = (former.registration.consent, new.registration.consent)
        let raised = flags.map(\.0).filter { !old[keyPath: $0] && given[keyPath: $0] }
        guard !raised.isEmpty else { return }
        let changes = try connection.all(
            """
            SELECT \(ConsentColumn.list(through: .newConsent)) FROM consent_changes
            WHERE app_id = $1 AND device_number = $2 LIMIT 1000
            """,
            former.app,
            former.number,
            read: ConsentChange.init(row:)
        )
        for (flag, time) in flags where raised.contains(flag) {
            let lowered = changes.filter { $0.old?[keyPath: flag] == true && !$0.new[keyPath: flag] }
            // What a file lowered, a person may have given anew since, and the file says when.
            let isRenewed = lowered.allSatisfy { change in
                change.source == .import && new.consentTimes[keyPath: time].map { $0 > change.at } ?? false
            }
            if !isRenewed { new.registration.consent[keyPath: flag] = false }
        }
        new.consentTimes = new.consentTimes.only(new.registration.consent)
    }
}

extension ImportTable {
    /// Returns who holds a token in Apple's other environment.
    func otherHolder(
        of token: DeviceToken,
        _ registration: Registration,
        _ app: AppID
    ) throws -> OtherHolder {
        var other = registration
        other.pushType = other.pushType == .apns ? .apnsSandbox : .apns
        let holder = try connection.deviceTokens.holders(of: token, like: other, app: app).first
        guard let holder else { return .none }
        let row = try connection.devices.deviceRow(app: app, device: holder.device)
        return holder.isImported && row?.tokenState != .dropped ? .misplaced(holder.device) : .fixed
    }

    /// Whether a line changes nothing: the token's app has registered it here, or removed it after the line's consents were
    /// given, in any environment, or Apple has called it dead in the other one.
    func isLeftAlone(
        _ line: ImportedDevice,
        _ holder: TokenHolder?,
        _ elsewhere: OtherHolder,
        _ app: AppID
    ) throws -> Bool {
        if let holder { return !holder.isImported }
        switch elsewhere {
        case .fixed: return true
        case .misplaced: return false
        case .none:
            guard let removedAt = try connection.removedTokens.removal(of: line.tenantToken, app: app) else {
                return false
            }
            let times = line.consentTimes
            let latest = [times.notifications, times.ads, times.nightAds].compactMap { $0 }.max()
            return latest.map { $0 <= removedAt } ?? true
        }
    }

    /// Adds tags to those of a User, as many as a User may have.
    func addTags(_ tags: [Int64], to user: UserID, app: AppID) throws {
        guard try !connection.tags.hasTooManyDevices(user, app: app) else { return }
        let current = try connection.tags.tagNumbers(of: user, app: app)
        var numbers = current.numbers
        for tag in tags where !numbers.contains(tag) && numbers.count < TagSet.maximumCount { numbers.append(tag) }
        guard numbers.count > current.numbers.count else { return }
        try connection.tags.setTags(TagNumbers(numbers), of: user, app: app)
    }
}

extension ImportedDevice {
    /// The token as it would be registered.
    var tenantToken: TenantToken { TenantToken(token: token, tenant: registration.tenant) }
}

extension DeviceRow {
    /// What is known of it comes from a file alone: a file is older than what its phone registered here.
    var isImported: Bool { secretHash == nil && !isRegisteredAtVendorAPI }

    /// Keeps since when the person consents where the file does not say it.
    fileprivate mutating func keepConsentTimes(of former: DeviceRow) {
        let known = former.consentTimes.only(registration.consent)
        consentTimes.notifications = consentTimes.notifications ?? known.notifications
        consentTimes.ads = consentTimes.ads ?? known.ads
        consentTimes.nightAds = consentTimes.nightAds ?? known.nightAds
    }
}
