import CarillonEngine
import CarillonModel

/// Devices and their tokens in SQL.
struct DeviceRepository: DeviceStore {
    let database: any Database
    private let numbers = DeviceNumbers()

    init(database: any Database) { self.database = database }

    func apply(_ change: DeviceChange) async throws(StoreError) -> DeviceAnswer {
        while true {
            let answer = try await database.write { [numbers] connection throws(StoreError) in
                try connection.apply(change) { numbers.next(for: change.app) }
            }
            if let answer { return answer }
            guard try await numbers.reserve(for: change.app, in: database) else { return .unknown }
        }
    }

    func device(app: AppID, device: DeviceID) async throws(StoreError) -> StoredDevice? {
        try await database.read { connection throws(StoreError) in
            try connection.storedDevice(app: app, device: device)
        }
    }

    func delete(
        app: AppID,
        device: DeviceID,
        secretHash: SecretHash?
    ) async throws(StoreError) -> DeviceDeletion {
        try await database.write { connection throws(StoreError) in
            guard let stored = try connection.storedDevice(app: app, device: device) else { return .unknown }
            if let secretHash, stored.secretHash != secretHash { return .refused }
            try connection.deleteDevice(stored.number, app: app, device: device)
            return .deleted
        }
    }
}

extension SQLConnection {
    /// Carries out what follows from a change.
    ///
    /// - Parameters:
    ///   - change: What the Device told.
    ///   - nextNumber: Gives a new number, if there is one left.
    /// - Returns: `nil` when a number was needed and there was none; nothing is written then.
    /// - Throws: ``StoreError``.
    func apply(_ change: DeviceChange, nextNumber: () -> DeviceNumber?) throws(StoreError) -> DeviceAnswer? {
        let stored = try storedDevice(app: change.app, device: change.device)
        switch (change.plan(for: stored), stored) {
        case (.refuse(let refusal), _):
            return .refused(refusal)
        case (.create(let registration), _):
            guard let number = nextNumber() else { return nil }
            return .created(try create(registration, number, change))
        case (.touch(let fate), let stored?):
            return .updated(try touch(stored, fate, change))
        case (.change(let registration, let fate, let isRenumbered), let stored?):
            guard let number = isRenumbered ? nextNumber() : stored.number else { return nil }
            return .updated(try alter(stored, registration, fate, number, change))
        case (.unknown, _), (.touch, nil), (.change, nil):
            return .unknown
        }
    }

    // MARK: - Private

    private func create(
        _ registration: Registration,
        _ number: DeviceNumber,
        _ change: DeviceChange
    ) throws(StoreError) -> DeviceRecord {
        let new = NewDevice(change, number, registration, stored: nil)
        try insertDevice(new)
        if let token = registration.token { try giveToken(token, new) }
        let state: DeviceRecord.TokenState = registration.token == nil ? .none : .active
        return new.record(state, createdAt: change.at)
    }

    private func touch(
        _ stored: StoredDevice,
        _ fate: DeviceToken.Fate,
        _ change: DeviceChange
    ) throws(StoreError) -> DeviceRecord {
        if fate == .registered {
            try renewToken(
                app: change.app,
                number: stored.number,
                pushType: stored.registration.pushType,
                at: change.at
            )
        } else {
            try run(
                "UPDATE devices SET registered_at = $1 WHERE app_id = $2 AND number = $3",
                change.at,
                change.app,
                stored.number
            )
        }
        var touched = stored
        touched.registeredAt = change.at
        return touched.record(change.device, app: change.app)
    }

    private func alter(
        _ stored: StoredDevice,
        _ registration: Registration,
        _ fate: DeviceToken.Fate,
        _ number: DeviceNumber,
        _ change: DeviceChange
    ) throws(StoreError) -> DeviceRecord {
        let new = NewDevice(change, number, registration, stored: stored)
        try updateDevice(new, formerNumber: stored.number)
        if number != stored.number {
            try moveTokens(app: change.app, from: stored.number, to: number)
            try insertFormerNumber(
                app: change.app,
                number: stored.number,
                device: change.device,
                user: stored.registration.user,
                at: change.at
            )
        }
        let state = try settleToken(stored, fate, new)
        return new.record(state, createdAt: stored.createdAt)
    }

    private func settleToken(
        _ stored: StoredDevice,
        _ fate: DeviceToken.Fate,
        _ new: NewDevice
    ) throws(StoreError) -> DeviceRecord.TokenState {
        let old = stored.registration
        switch (fate, new.registration.token) {
        case (.kept, _):
            return stored.tokenState
        case (.removed, _), (.registered, nil):
            if stored.tokenState != .none { try removeNotificationTokens(app: new.app, number: new.number) }
            return .none
        case (.registered, let token?):
            if token == old.token, new.registration.pushType == old.pushType {
                try renewToken(app: new.app, number: new.number, pushType: old.pushType, at: new.at)
            } else {
                if stored.tokenState != .none { try removeNotificationTokens(app: new.app, number: new.number) }
                try giveToken(token, new)
            }
            return .active
        }
    }

    private func giveToken(_ token: DeviceToken, _ new: NewDevice) throws(StoreError) {
        try giveToken(
            token,
            new.registration.pushType,
            app: new.app,
            number: new.number,
            device: new.device,
            registeredAt: new.at,
            at: new.at
        )
    }
}

extension NewDevice {
    fileprivate init(
        _ change: DeviceChange,
        _ number: DeviceNumber,
        _ registration: Registration,
        stored: StoredDevice?
    ) {
        self.init(
            app: change.app,
            number: number,
            device: change.device,
            secretHash: change.secretHash,
            registration: registration,
            consentTimes: ConsentTimes(of: registration.consent, after: stored, at: change.at),
            at: change.at
        )
    }

    fileprivate func record(_ state: DeviceRecord.TokenState, createdAt: Timestamp) -> DeviceRecord {
        DeviceRecord(
            device: device,
            app: app,
            registration: registration,
            consentTimes: consentTimes,
            tokenState: state,
            createdAt: createdAt,
            registeredAt: at
        )
    }
}
