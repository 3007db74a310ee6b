import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Devices and their tokens in SQL.
struct DeviceRepository: DeviceStore {
    let database: any Database
    private let numbers = DeviceNumbers()

    init(database: any Database) { self.database = database }

    func apply(_ change: DeviceChange) async throws(StoreError) -> DeviceAnswer {
        while true {
            let answer = try await database.write { [numbers] connection in
                try connection.devices.apply(change) { numbers.next(for: change.app) }
            }
            if let answer { return answer }
            guard try await numbers.reserve(for: change.app, in: database) else { return .unknown }
        }
    }

    func device(app: AppID, device: DeviceID) async throws(StoreError) -> StoredDevice? {
        try await database.read { connection in
            try connection.devices.deviceRow(app: app, device: device)?.stored
        }
    }

    func devices(
        app: AppID,
        user: UserID?,
        after: DeviceNumber,
        limit: Int
    ) async throws(StoreError) -> [ListedDevice] {
        try await database.read { connection in
            try connection.devices.deviceRows(app: app, user: user, after: after, limit: limit).map { row in
                ListedDevice(device: row.device, stored: row.stored)
            }
        }
    }

    func delete(
        app: AppID,
        device: DeviceID,
        secretHash: SecretHash?,
        at now: Timestamp
    ) async throws(StoreError) -> DeviceDeletion {
        try await database.write { connection in
            guard let row = try connection.devices.deviceToDelete(app: app, device: device) else { return .unknown }
            if let secretHash, row.secretHash != secretHash { return .refused }
            try connection.devices.deleteDevice(row, notedAt: now)
            return .deleted
        }
    }
}

// What takes turns, where several nodes write: changes of a Device at the Device; who has a token at the token; who has
// which tags at the User. A registration that changes nothing but the time waits for its Device alone.

extension DeviceTable {
    /// Carries out what follows from a change.
    ///
    /// - Parameters:
    ///   - change: What the Device told.
    ///   - nextNumber: Gives a new number, if there is one left.
    /// - Returns: `nil` when a number was needed and there was none; nothing is written then.
    /// - Throws: ``StoreError``.
    func apply(_ change: DeviceChange, nextNumber: () -> DeviceNumber?) throws -> DeviceAnswer? {
        try connection.lock(.device(change.device, app: change.app))
        var row = try deviceRow(app: change.app, device: change.device)
        if connection.dialect == .postgreSQL, change.plan(for: row?.stored).changesMoreThanTime {
            try lockTokensAndUsers(of: change, row)
            row = try lockedDeviceRow(app: change.app, device: change.device)
        }
        switch (change.plan(for: row?.stored), row) {
        case (.refuse(let refusal), _):
            return .refused(refusal)
        case (.create(let registration), _):
            guard try hasRoom(for: registration.user, after: nil, change) else {
                return .refused(.tooManyDevicesOfUser)
            }
            guard let number = nextNumber() else { return nil }
            return .created(try create(registration, number, change))
        case (.touch(let fate), let row?):
            return .updated(try touch(row, fate, change))
        case (.change(let registration, let fate, let isRenumbered), let row?):
            guard try hasRoom(for: registration.user, after: row.registration.user, change) else {
                return .refused(.tooManyDevicesOfUser)
            }
            guard let number = isRenumbered ? nextNumber() : row.number else { return nil }
            return .updated(try alter(row, registration, fate, number, change))
        case (.unknown, _), (.touch, nil), (.change, nil):
            return .unknown
        }
    }

    /// A Device that is about to go, with what it takes along; `nil` when there is none.
    func deviceToDelete(app: AppID, device: DeviceID) throws -> DeviceRow? {
        try connection.lock(.device(device, app: app))
        let row = try deviceRow(app: app, device: device)
        guard connection.dialect == .postgreSQL, let user = row?.registration.user else { return row }
        try connection.lock(.user(user, app: app))
        return try lockedDeviceRow(app: app, device: device)
    }

    // MARK: - Private

    /// Whether a User may get one more Device.
    private func hasRoom(
        for user: UserID?,
        after former: UserID?,
        _ change: DeviceChange
    ) throws -> Bool {
        guard let limit = change.devicesPerUser, let user, user != former else { return true }
        let count = try connection.first(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM devices WHERE app_id = $1 AND user_id = $2 LIMIT $3) AS known
            """,
            change.app,
            user,
            limit,
            as: Int.self
        )
        return count ?? 0 < limit
    }

    private func lockTokensAndUsers(of change: DeviceChange, _ row: DeviceRow?) throws {
        let tokens = [change.token, change.oldToken, row?.registration.token].compactMap(\.self)
        try connection.lock(Set(tokens.map { WriteLock.token($0, app: change.app) }))
        let users = [change.user, row?.registration.user].compactMap(\.self)
        try connection.lock(Set(users.map { WriteLock.user($0, app: change.app) }))
    }

    private func create(
        _ registration: Registration,
        _ number: DeviceNumber,
        _ change: DeviceChange
    ) throws -> DeviceRecord {
        var new = DeviceRow(
            app: change.app,
            number: number,
            device: change.device,
            secretHash: change.secretHash,
            registration: registration,
            consentTimes: ConsentTimes(of: registration.consent, after: nil, at: change.at),
            isRegisteredAtVendorAPI: change.registersAtVendorAPI,
            createdAt: change.at,
            registeredAt: change.at
        )
        try updateToken(from: nil, .registered, &new, change)
        if let user = registration.user {
            new.tags = try connection.tags.joinedTags(of: user, app: change.app, butOf: nil)
        }
        try insertDevice(new)
        try updateLabels(from: nil, to: new)
        try noteBadge(of: new.number, change)
        try saveVendorID(of: change)
        return new.record
    }

    private func touch(
        _ row: DeviceRow,
        _ fate: DeviceToken.Fate,
        _ change: DeviceChange
    ) throws -> DeviceRecord {
        try takeOldToken(like: row.registration, row.number, change)
        try connection.deviceTokens.touchDevice(
            app: change.app,
            number: row.number,
            withToken: fate == .registered && row.registration.token != nil,
            at: change.at
        )
        try noteBadge(of: row.number, change)
        var touched = row
        touched.registeredAt = change.at
        return touched.record
    }

    private func alter(
        _ old: DeviceRow,
        _ registration: Registration,
        _ fate: DeviceToken.Fate,
        _ number: DeviceNumber,
        _ change: DeviceChange
    ) throws -> DeviceRecord {
        var new = old
        new.number = number
        new.secretHash = change.secretHash
        new.isRegisteredAtVendorAPI = old.isRegisteredAtVendorAPI || change.registersAtVendorAPI
        new.registration = registration
        new.consentTimes = ConsentTimes(of: registration.consent, after: old.stored, at: change.at)
        new.registeredAt = change.at
        try updateToken(from: old, fate, &new, change)
        if registration.user != old.registration.user {
            try connection.tags.parkTags(of: old)
            new.tags =
                try registration.user.map { user in
                    try connection.tags.joinedTags(of: user, app: change.app, butOf: old.number)
                } ?? .none
        }
        try updateDevice(new, formerNumber: old.number)
        try updateLabels(from: old, to: new)
        try updateVoIPToken(from: old, to: new)
        let isClaim = old.secretHash == nil && change.secretHash != nil
        try connection.consents.noteConsent(from: old, to: new, source: isClaim ? .claim : .app)
        try saveVendorID(of: change)
        if number != old.number {
            try insertFormerNumber(
                app: change.app,
                number: old.number,
                device: change.device,
                user: old.registration.user,
                at: change.at
            )
            try connection.badges.move(from: old.number, to: number, app: change.app)
        }
        try noteBadge(of: number, change)
        return new.record
    }

    /// Notes the number on the icon, if the request has it.
    private func noteBadge(of number: DeviceNumber, _ change: DeviceChange) throws {
        guard let badge = change.badge else { return }
        try connection.badges.set(badge, of: number, app: change.app)
    }

    private func saveVendorID(of change: DeviceChange) throws {
        guard let id = change.vendorDeviceID else { return }
        try connection.run(
            """
            INSERT INTO vendor_device_ids (app_id, public_id, vendor_id) VALUES ($1, $2, $3)
            ON CONFLICT (app_id, public_id) DO UPDATE SET vendor_id = excluded.vendor_id
            """,
            change.app,
            change.device,
            id
        )
    }

    private func updateVoIPToken(from old: DeviceRow, to new: DeviceRow) throws {
        if old.number != new.number {
            try connection.voipTokens.moveCallToken(app: new.app, from: old.number, to: new.number)
            try connection.testDevices.move(app: new.app, from: old.number, to: new.number)
        }
        if old.registration.tenant != new.registration.tenant {
            try connection.voipTokens.moveCallToken(app: new.app, number: new.number, toTenant: new.registration.tenant)
        }
    }
}

extension DevicePlan {
    fileprivate var changesMoreThanTime: Bool {
        switch self {
        case .refuse, .unknown, .touch: false
        case .create, .change: true
        }
    }
}
