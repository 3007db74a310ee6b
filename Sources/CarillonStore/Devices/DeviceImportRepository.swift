import CarillonEngine
import CarillonModel
import Foundation

/// Devices of another service, in SQL.
struct DeviceImportRepository: DeviceImportStore {
    let database: any Database

    func importDevices(
        _ devices: [ImportedDevice],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts? {
        // In the order of the indexes, pages are written once for many rows. Of lines with one token the later one still
        // comes later. New ids are random and handed out in their order, which tells nobody anything.
        let rows = devices.sorted { lhs, rhs in
            guard lhs.token != rhs.token else { return lhs.line < rhs.line }
            return lhs.token.bytes.lexicographicallyPrecedes(rhs.token.bytes)
        }
        let ids = NewDeviceIDs.make(rows.count)
        return try await database.write(priority: .bulk) { connection throws(StoreError) in
            guard let end = try connection.reserveDeviceNumbers(Int64(rows.count), app: app) else { return nil }
            var number = end - Int64(rows.count)
            var counts = ImportCounts()
            for (row, id) in zip(rows, ids) {
                let new = DeviceRow(row, id: id, number: DeviceNumber(rawValue: number), app: app, at: at)
                switch try connection.importDevice(new, hasOwnID: row.device != nil) {
                case .added: counts.added += 1
                case .replaced: counts.replaced += 1
                case .registered: counts.registered += 1
                }
                number += 1
            }
            return counts
        }
    }
}

/// Random ids (UUID version 4), in ascending order.
private enum NewDeviceIDs {
    static func make(_ count: Int) -> [DeviceID] {
        var generator = SystemRandomNumberGenerator()
        let pairs = (0..<count).map { _ in (generator.next(), generator.next()) }.sorted { $0 < $1 }
        return pairs.map { high, low in
            let words = (
                (high & ~0xF000 | 0x4000).bigEndian,
                (low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000).bigEndian
            )
            return withUnsafeBytes(of: words) { bytes in
                DeviceID(rawValue: UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
            }
        }
    }
}

extension DeviceRow {
    fileprivate init(_ row: ImportedDevice, id: DeviceID, number: DeviceNumber, app: AppID, at: Timestamp) {
        self.init(
            app: app,
            number: number,
            device: row.device ?? id,
            secretHash: nil,
            // Since when the people of a file agree is not known.
            registration: row.registration,
            tokenState: .active,
            createdAt: at,
            registeredAt: at
        )
    }
}

/// What became of a line.
private enum ImportOutcome {
    case added
    case replaced
    case registered
}

extension SQLConnection {
    /// Keeps one Device of a file.
    fileprivate func importDevice(_ new: DeviceRow, hasOwnID: Bool) throws(StoreError) -> ImportOutcome {
        guard let token = new.registration.token else { throw .failed("An imported Device has a token.") }
        if hasOwnID { try lock(.device(new.device, app: new.app)) }
        if let user = new.registration.user { try lock(.user(user, app: new.app)) }
        try lock(.token(token, app: new.app))
        let holder = try holders(of: token, like: new.registration, app: new.app).first
        if let holder, !holder.isImported { return .registered }
        let known = hasOwnID ? try deviceRow(app: new.app, device: new.device) : nil
        if let known, known.secretHash != nil { return .registered }
        var former = known
        // The same phone, described again: it keeps its number and its id.
        if !hasOwnID, let holder { former = try deviceRow(app: new.app, device: holder.device) }
        if holder != nil, holder?.device != former?.device {
            try takeToken(token, like: new.registration, app: new.app, for: new.device, at: new.registeredAt)
        }
        guard let former else {
            try insertImported(new)
            return holder == nil ? .added : .replaced
        }
        try replaceImported(former, with: new)
        return .replaced
    }

    private func insertImported(_ device: DeviceRow) throws(StoreError) {
        var device = device
        if let user = device.registration.user { device.tags = try joinedTags(of: user, app: device.app, butOf: nil) }
        try insertDevice(device)
        try settleLabels(from: nil, to: device)
    }

    private func replaceImported(_ former: DeviceRow, with new: DeviceRow) throws(StoreError) {
        var new = new
        new.number = former.number
        new.device = former.device
        if former.registration.user == new.registration.user {
            new.tags = former.tags
        } else {
            try parkTags(of: former)
            if let user = new.registration.user {
                new.tags = try joinedTags(of: user, app: new.app, butOf: former.number)
            }
        }
        try updateDevice(new, formerNumber: former.number)
        try settleLabels(from: former, to: new)
    }
}
