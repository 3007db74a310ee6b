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
                let new = NewDevice(row, id: id, number: DeviceNumber(rawValue: number), app: app, at: at)
                switch try connection.importDevice(new, token: row.token, hasOwnID: row.device != nil) {
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

extension NewDevice {
    fileprivate init(_ row: ImportedDevice, id: DeviceID, number: DeviceNumber, app: AppID, at: Timestamp) {
        self.init(
            app: app,
            number: number,
            device: row.device ?? id,
            secretHash: nil,
            registration: row.registration,
            // Since when the people of a file agree is not known.
            consentTimes: ConsentTimes(),
            at: at
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
    fileprivate func importDevice(
        _ new: NewDevice,
        token: DeviceToken,
        hasOwnID: Bool
    ) throws(StoreError) -> ImportOutcome {
        let pushType = new.registration.pushType
        if !hasOwnID {
            // The usual case first: nobody has the token.
            let isNew = try insertToken(token, pushType, app: new.app, number: new.number, registeredAt: nil)
            if isNew {
                try insertDevice(new)
                return .added
            }
        }
        let holder = try holder(of: token, pushType, app: new.app)
        if let holder, !holder.isImported { return .registered }
        let known = hasOwnID ? try storedDevice(app: new.app, device: new.device) : nil
        if let known, known.secretHash != nil { return .registered }
        return try replaceImported(new, token: token, hasOwnID: hasOwnID, holder: holder, known: known)
    }

    private func replaceImported(
        _ new: NewDevice,
        token: DeviceToken,
        hasOwnID: Bool,
        holder: TokenHolder?,
        known: StoredDevice?
    ) throws(StoreError) -> ImportOutcome {
        var new = new
        let pushType = new.registration.pushType
        if let known {
            let formerNumber = known.number
            new.number = formerNumber
            try updateDevice(new, formerNumber: formerNumber)
            try removeTokens(app: new.app, number: formerNumber)
        } else if let holder, !hasOwnID {
            // The same phone, described again: it keeps its number and its id.
            new.number = holder.number
            try updateDevice(new, formerNumber: holder.number)
            return .replaced
        } else {
            try insertDevice(new)
        }
        try giveToken(
            token,
            pushType,
            app: new.app,
            number: new.number,
            device: new.device,
            registeredAt: nil,
            at: new.at
        )
        return known == nil && holder == nil ? .added : .replaced
    }

    private func holder(
        of token: DeviceToken,
        _ pushType: PushType,
        app: AppID
    ) throws(StoreError) -> TokenHolder? {
        try first(
            """
            SELECT d.number, d.secret_hash
            FROM device_tokens t JOIN devices d ON d.app_id = t.app_id AND d.number = t.device_number
            WHERE t.app_id = $1 AND t.push_type = $2 AND t.token = $3
            """,
            app,
            pushType.code,
            token
        ) { row throws(StoreError) in
            TokenHolder(number: DeviceNumber(rawValue: row.int64(0)), isImported: row.isNull(1))
        }
    }
}

/// The Device that has a token.
private struct TokenHolder {
    var number: DeviceNumber
    /// Nobody has claimed it yet.
    var isImported: Bool
}
