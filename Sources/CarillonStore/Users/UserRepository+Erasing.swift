import CarillonEngine
import CarillonModel

/// Erasing a User from every table.
///
/// A table that names a Device or a User belongs into one of these lists; a test walks the schema for those that do not.
private enum UserTraces {
    /// By App and Device number.
    static let byNumber: [SQL] = [
        "DELETE FROM inbox_rows WHERE app_id = $1 AND device_number = $2",
        "DELETE FROM device_reads WHERE app_id = $1 AND device_number = $2",
        "DELETE FROM recent_sends WHERE app_id = $1 AND device_number = $2",
        "DELETE FROM call_tokens WHERE app_id = $1 AND device_number = $2",
        "DELETE FROM invalid_tokens WHERE app_id = $1 AND device_number = $2",
    ]
    /// By App and User.
    static let byUser: [SQL] = [
        "DELETE FROM user_reads WHERE app_id = $1 AND user_id = $2",
        "DELETE FROM user_attributes WHERE app_id = $1 AND user_id = $2",
        "DELETE FROM user_tags WHERE app_id = $1 AND user_id = $2",
        "DELETE FROM invalid_tokens WHERE app_id = $1 AND user_id = $2",
    ]
    /// By App, Occurrence and Device number; none of them has an index by Device, which would cost every row a page
    /// write.
    static let byOccurrence: [SQL] = [
        "DELETE FROM events WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3",
        "DELETE FROM deliveries WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3",
        "DELETE FROM retries WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3",
    ]
    /// By App and label, for a Device that is there no more.
    static let labels: [SQL] = [
        """
        DELETE FROM device_tags WHERE app_id = $1 AND device_number = $2 AND tag IN (
            SELECT t.number FROM tags t WHERE t.app_id = $1)
        """,
        """
        DELETE FROM device_categories WHERE app_id = $1 AND device_number = $2 AND label IN (
            SELECT l.number FROM category_labels l WHERE l.app_id = $1)
        """,
    ]
    static let isKnown: SQL = """
        SELECT 1 FROM devices WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM former_device_numbers WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM user_tags WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM user_attributes WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM user_reads WHERE app_id = $1 AND user_id = $2
        LIMIT 1
        """
    static let numbers: SQL = """
        SELECT number FROM former_device_numbers WHERE app_id = $1 AND user_id = $2 AND number > $3
        ORDER BY number LIMIT $4
        """
}

extension UserRepository {
    /// How many Devices go in one transaction.
    private static let deviceStep = 50
    /// How many places are looked at in one transaction.
    private static let placeStep = 500

    func hasTraces(of user: UserID, app: AppID) async throws(StoreError) -> Bool {
        try await database.read { connection throws(StoreError) in
            try connection.first(UserTraces.isKnown, app, user) { _ in true } ?? false
        }
    }

    func removeSomeDevices(of user: UserID, app: AppID, at: Timestamp) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection throws(StoreError) in
            let devices = try connection.all(
                "SELECT public_id FROM devices WHERE app_id = $1 AND user_id = $2 LIMIT $3",
                app,
                user,
                Self.deviceStep
            ) { row throws(StoreError) in try DeviceID.stored(row.bytes(0)) }
            for device in devices {
                guard let row = try connection.deviceRow(app: app, device: device) else { continue }
                // The Device's other numbers may have been another User's: they go with the Device, as ever.
                try connection.deleteDevice(row, keepsNumbersOf: user)
                try connection.insertFormerNumber(app: app, number: row.number, device: device, user: user, at: at)
            }
            return devices.count == Self.deviceStep
        }
    }

    func eraseDeliveries(
        to user: UserID,
        app: AppID,
        after occurrence: OccurrenceID?
    ) async throws(StoreError) -> OccurrenceID? {
        let numbers = try await numbers(of: user, app: app)
        guard !numbers.isEmpty else { return nil }
        let limit = max(1, Self.placeStep / numbers.count)
        let occurrences = try await database.read { connection throws(StoreError) in
            try connection.all(
                InboxSQL.nextOccurrences,
                app,
                occurrence ?? OccurrenceID(rawValue: -1),
                limit
            ) { row throws(StoreError) in OccurrenceID(rawValue: row.int64(0)) }
        }
        for start in stride(from: 0, to: numbers.count, by: Self.placeStep) {
            let some = numbers[start..<min(start + Self.placeStep, numbers.count)]
            try await database.write(priority: .bulk) { connection throws(StoreError) in
                for occurrence in occurrences {
                    for number in some {
                        for statement in UserTraces.byOccurrence {
                            try connection.run(statement, app, occurrence, number)
                        }
                    }
                }
            }
        }
        return occurrences.count < limit ? nil : occurrences.last
    }

    func eraseRest(of user: UserID, app: AppID) async throws(StoreError) {
        let numbers = try await numbers(of: user, app: app)
        for start in stride(from: 0, to: numbers.count, by: Self.deviceStep) {
            let some = numbers[start..<min(start + Self.deviceStep, numbers.count)]
            try await database.write(priority: .bulk) { connection throws(StoreError) in
                for number in some {
                    for statement in UserTraces.byNumber { try connection.run(statement, app, number) }
                    for statement in UserTraces.labels { try connection.run(statement, app, number) }
                }
            }
        }
        try await database.write(priority: .bulk) { connection throws(StoreError) in
            for statement in UserTraces.byUser { try connection.run(statement, app, user) }
            // Last of all: by them an erasure that was cut off finds what is left.
            try connection.run("DELETE FROM former_device_numbers WHERE app_id = $1 AND user_id = $2", app, user)
        }
    }

    // MARK: - Private

    /// All numbers that the User's Devices had.
    private func numbers(of user: UserID, app: AppID) async throws(StoreError) -> [DeviceNumber] {
        var numbers: [DeviceNumber] = []
        let limit = 10_000
        while true {
            let last = numbers.last?.rawValue ?? -1
            let some = try await database.read { connection throws(StoreError) in
                try connection.all(UserTraces.numbers, app, user, last, limit) { row throws(StoreError) in
                    DeviceNumber(rawValue: row.int64(0))
                }
            }
            numbers += some
            if some.count < limit { return numbers }
        }
    }
}
