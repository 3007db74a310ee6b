import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Erasing a User from every table.
extension UserRepository {
    /// How many Devices go in one transaction.
    private static let deviceStep = 50
    /// How many places are looked at in one transaction.
    private static let placeStep = 500

    func hasTraces(of user: UserID, app: AppID) async throws(StoreError) -> Bool {
        try await database.read { connection in
            if try connection.accounts.account(of: user, app: app) != nil { return true }
            return try connection.users.hasTracesBesideAccount(of: user, app: app)
        }
    }

    func removeSomeDevices(of user: UserID, app: AppID, at: Timestamp) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            let devices = try connection.all(
                "SELECT public_id FROM devices WHERE app_id = $1 AND user_id = $2 ORDER BY number LIMIT $3",
                app,
                user,
                Self.deviceStep,
                as: DeviceID.self
            )
            for device in devices {
                guard let row = try connection.devices.deviceRow(app: app, device: device) else { continue }
                try connection.devices.eraseDevice(row, of: user, at: at)
            }
            return devices.count == Self.deviceStep
        }
    }

    func eraseDeliveries(
        for erasure: PendingErasure,
        after occurrence: OccurrenceID?
    ) async throws(StoreError) -> OccurrenceID? {
        let (user, app) = (erasure.user, erasure.app)
        let numbers = try await numbers(of: user, app: app)
        guard !numbers.isEmpty else { return nil }
        let limit = max(1, Self.placeStep / numbers.count)
        let occurrences = try await database.read { connection in
            try connection.all(
                InboxSQL.nextOccurrences,
                app,
                occurrence ?? OccurrenceID(rawValue: -1),
                limit,
                as: OccurrenceID.self
            )
        }
        for start in stride(from: 0, to: numbers.count, by: Self.placeStep) {
            let some = Array(numbers[start..<min(start + Self.placeStep, numbers.count)])
            try await database.write(priority: .bulk) { connection in
                if connection.dialect == .postgreSQL {
                    try connection.users.eraseTogether(some, in: occurrences, app)
                } else {
                    try connection.users.eraseSingly(some, in: occurrences, app)
                }
            }
        }
        let last = occurrences.count < limit ? nil : occurrences.last
        if let last {
            _ = try await database.write(priority: .bulk) { connection in
                try connection.run(
                    """
                    UPDATE user_erasures SET after_occurrence = $1
                    WHERE app_id = $2 AND user_id = $3 AND requested_at = $4
                    """,
                    last,
                    app,
                    user,
                    erasure.requestedAt
                )
            }
        }
        return last
    }

    func beginErasure(of user: UserID, app: AppID, at: Timestamp) async throws(StoreError) -> PendingErasure {
        let requestedAt = try await database.write { connection in
            // Who signs in or renews a token at the same time does it before or not at all.
            try connection.lock(.user(user, app: app))
            // First of all, so that nobody signs in and claims the User while the rest is erased.
            try connection.accounts.erase(user, app: app)
            // The time names the erasure: what is asked for again has a later one, whatever clocks say.
            return try connection.first(
                """
                INSERT INTO user_erasures (app_id, user_id, after_occurrence, requested_at) VALUES ($1, $2, -1, $3)
                ON CONFLICT (app_id, user_id) DO UPDATE SET after_occurrence = -1, after_campaign = -1,
                    requested_at = CASE WHEN user_erasures.requested_at < excluded.requested_at
                        THEN excluded.requested_at ELSE user_erasures.requested_at + 1 END
                RETURNING requested_at
                """,
                app,
                user,
                at,
                as: Timestamp.self
            )
        }
        return PendingErasure(app: app, user: user, requestedAt: requestedAt ?? at)
    }

    func pendingErasures(limit: Int) async throws(StoreError) -> [PendingErasure] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(ErasureColumn.list) FROM user_erasures ORDER BY requested_at, app_id, user_id LIMIT $1
                """,
                limit,
                read: PendingErasure.init(row:)
            )
        }
    }

    func eraseRest(of erasure: PendingErasure) async throws(StoreError) -> Bool {
        let (user, app) = (erasure.user, erasure.app)
        try await eraseProfile(of: user, app: app)
        return try await database.write(priority: .bulk) { connection in
            let count = try connection.run(
                "DELETE FROM user_erasures WHERE app_id = $1 AND user_id = $2 AND requested_at = $3",
                app,
                user,
                erasure.requestedAt
            )
            // Somebody asked again meanwhile: that erasure has its own work to do, and needs the numbers for it.
            guard count > 0 else { return false }
            // Last of all: by them an erasure that was cut off finds what is left.
            try connection.run("DELETE FROM former_device_numbers WHERE app_id = $1 AND user_id = $2", app, user)
            try connection.run("DELETE FROM deleted_devices WHERE app_id = $1 AND user_id = $2", app, user)
            return true
        }
    }

    func eraseProfile(of user: UserID, app: AppID) async throws(StoreError) {
        let numbers = try await numbers(of: user, app: app)
        for start in stride(from: 0, to: numbers.count, by: Self.deviceStep) {
            let some = numbers[start..<min(start + Self.deviceStep, numbers.count)]
            try await database.write(priority: .bulk) { connection in
                for number in some {
                    for statement in UserTraces.byNumber { try connection.run(statement, app, number) }
                    for statement in UserTraces.labels { try connection.run(statement, app, number) }
                }
            }
        }
        try await database.write(priority: .bulk) { connection in
            for statement in UserTraces.byUser { try connection.run(statement, app, user) }
        }
        try await database.write(priority: .bulk) { connection in
            try connection.categories.dropEmptyToldLabels(app: app)
        }
    }

    // MARK: - Private

    /// All numbers that the User's Devices had.
    private func numbers(of user: UserID, app: AppID) async throws(StoreError) -> [DeviceNumber] {
        var numbers: [DeviceNumber] = []
        let limit = 10_000
        while true {
            let last = numbers.last?.rawValue ?? -1
            let some = try await database.read { connection in
                try connection.all(UserTraces.numbers, app, user, last, limit, as: DeviceNumber.self)
            }
            numbers += some
            if some.count < limit { return numbers }
        }
    }
}

extension UserTable {
    /// Whether an erasure of a User has not ended yet.
    func isBeingErased(_ user: UserID, app: AppID) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM user_erasures WHERE app_id = $1 AND user_id = $2",
            app,
            user
        ) { _ in true } ?? false
    }

    /// Whether there is anything of a User beside an account.
    func hasTracesBesideAccount(of user: UserID, app: AppID) throws -> Bool {
        try connection.first(UserTraces.isKnown, app, user) { _ in true } ?? false
    }

    /// Erases in some Occurrences what some Devices got, in three statements.
    fileprivate func eraseTogether(
        _ numbers: [DeviceNumber],
        in occurrences: [OccurrenceID],
        _ app: AppID
    ) throws {
        guard let first = occurrences.first, let last = occurrences.last else { return }
        try connection.retention.preferIndexes()
        let places = "{" + occurrences.map { String($0.rawValue) }.joined(separator: ",") + "}"
        let devices = "{" + numbers.map { String($0.rawValue) }.joined(separator: ",") + "}"
        for statement in UserTraces.byOccurrences { try connection.run(statement, app, first, last, places, devices) }
        var retries: [OccurrenceID: Int] = [:]
        let deleted = try connection.all(
            UserTraces.retriesOfOccurrences,
            app,
            places,
            devices,
            as: OccurrenceID.self
        )
        for occurrence in deleted { retries[occurrence, default: 0] += 1 }
        for (occurrence, count) in retries.sorted(by: { $0.key < $1.key }) {
            try takeOffRetrying(count, of: occurrence, app)
        }
    }

    /// The same, one place after another, where a statement is not a round trip.
    fileprivate func eraseSingly(
        _ numbers: [DeviceNumber],
        in occurrences: [OccurrenceID],
        _ app: AppID
    ) throws {
        for occurrence in occurrences {
            for number in numbers {
                for statement in UserTraces.byOccurrence { try connection.run(statement, app, occurrence, number) }
                let count = try connection.run(UserTraces.retries, app, occurrence, number)
                if count > 0 { try takeOffRetrying(count, of: occurrence, app) }
            }
        }
    }

    /// What is not tried again any more is not counted as such.
    private func takeOffRetrying(_ count: Int, of occurrence: OccurrenceID, _ app: AppID) throws {
        try connection.statistics.addToTotal(
            -count,
            outcome: Delivery.Outcome.retryingCode,
            reason: 0,
            of: occurrence,
            app: app
        )
    }
}
