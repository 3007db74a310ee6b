package import CarillonEngine
package import CarillonModel

extension InboxRepository {
    /// How many deletions of events are tried in one transaction, so that apps do not wait for it.
    private static let stepLimit = 2_000

    package func erase(
        app: AppID,
        device: DeviceID,
        user: UserID?,
        after occurrence: OccurrenceID?
    ) async throws(StoreError) -> OccurrenceID? {
        try await database.write(priority: .bulk) { connection throws(StoreError) in
            let numbers = try connection.numbers(of: device, user: user, app)
            if occurrence == nil { try connection.eraseInboxes(of: numbers, user: user, app) }
            guard !numbers.isEmpty else { return nil }
            return try connection.eraseEvents(
                of: numbers,
                app,
                after: occurrence ?? OccurrenceID(rawValue: -1),
                limit: max(1, Self.stepLimit / numbers.count)
            )
        }
    }
}

extension SQLConnection {
    /// All numbers that a Device and its User's other Devices have and had.
    fileprivate func numbers(
        of device: DeviceID,
        user: UserID?,
        _ app: AppID
    ) throws(StoreError) -> [DeviceNumber] {
        func read(_ row: any SQLStatement) -> DeviceNumber { DeviceNumber(rawValue: row.int64(0)) }
        var numbers = Set(
            try all(InboxSQL.allOfDevice, app, device, read: read)
        )
        if let user {
            numbers.formUnion(
                try all(InboxSQL.allOfUser, app, user, read: read)
            )
        }
        return numbers.sorted()
    }

    fileprivate func eraseInboxes(
        of numbers: [DeviceNumber],
        user: UserID?,
        _ app: AppID
    ) throws(StoreError) {
        for number in numbers {
            try run("DELETE FROM inbox_rows WHERE app_id = $1 AND device_number = $2", app, number)
            try run("DELETE FROM device_reads WHERE app_id = $1 AND device_number = $2", app, number)
        }
        if let user { try run("DELETE FROM user_reads WHERE app_id = $1 AND user_id = $2", app, user) }
    }

    /// Goes through the next Occurrences: events have no index by Device, which would cost every event a page write.
    fileprivate func eraseEvents(
        of numbers: [DeviceNumber],
        _ app: AppID,
        after occurrence: OccurrenceID,
        limit: Int
    ) throws(StoreError) -> OccurrenceID? {
        let occurrences = try all(
            "SELECT id FROM occurrences WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3",
            app,
            occurrence,
            limit
        ) { OccurrenceID(rawValue: $0.int64(0)) }
        for occurrence in occurrences {
            for number in numbers {
                try run(
                    "DELETE FROM events WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3",
                    app,
                    occurrence,
                    number
                )
            }
        }
        return occurrences.count < limit ? nil : occurrences.last
    }
}
