package import CarillonEngine
package import CarillonModel
import CarillonSQL

extension InboxRepository {
    /// How many places are looked at for events in one read.
    private static let lookLimit = 2_000
    /// How many Devices' events of an Occurrence are deleted in one transaction, so that apps do not wait for it.
    private static let deletionLimit = 500

    package func erase(
        app: AppID,
        device: DeviceID,
        user: UserID?,
        after occurrence: OccurrenceID?
    ) async throws(StoreError) -> OccurrenceID? {
        let numbers = try await database.read { connection in
            try connection.inboxes.numbers(of: device, user: user, app)
        }
        if occurrence == nil {
            try await database.write(priority: .bulk) { connection in
                try connection.inboxes.eraseInboxes(of: numbers, user: user, app)
            }
        }
        guard !numbers.isEmpty else { return nil }
        let limit = max(1, Self.lookLimit / numbers.count)
        let (places, last) = try await database.read { connection in
            try connection.inboxes.events(
                of: numbers,
                app,
                after: occurrence ?? OccurrenceID(rawValue: -1),
                limit: limit
            )
        }
        for start in stride(from: 0, to: places.count, by: Self.deletionLimit) {
            let some = places[start..<min(start + Self.deletionLimit, places.count)]
            try await database.write(priority: .bulk) { connection in
                for place in some { try connection.send(InboxSQL.eraseEvents, app, place.occurrence, place.device) }
            }
        }
        return last
    }
}

/// Where a Device's events of an Occurrence lie.
private struct EventPlace: Sendable {
    var occurrence: OccurrenceID
    var device: DeviceNumber
}

extension InboxTable {
    /// All numbers that a Device and its User's other Devices have and had.
    fileprivate func numbers(
        of device: DeviceID,
        user: UserID?,
        _ app: AppID
    ) throws -> [DeviceNumber] {
        var numbers: [DeviceNumber] = try connection.all(InboxSQL.allOfDevice, app, device, as: DeviceNumber.self)
        if let user { numbers += try connection.all(InboxSQL.allOfUser, app, user, as: DeviceNumber.self) }
        return Set(numbers).sorted()
    }

    fileprivate func eraseInboxes(
        of numbers: [DeviceNumber],
        user: UserID?,
        _ app: AppID
    ) throws {
        for number in numbers {
            try connection.send("DELETE FROM inbox_rows WHERE app_id = $1 AND device_number = $2", app, number)
            try connection.send("DELETE FROM device_reads WHERE app_id = $1 AND device_number = $2", app, number)
            try connection.send("DELETE FROM device_badges WHERE app_id = $1 AND device_number = $2", app, number)
            try connection.send("DELETE FROM recent_sends WHERE app_id = $1 AND device_number = $2", app, number)
            try connection.consents.forgetConsents(of: number, app: app)
        }
        if let user { try connection.send("DELETE FROM user_reads WHERE app_id = $1 AND user_id = $2", app, user) }
    }

    /// Looks through the next Occurrences: events have no index by Device, which would cost every event a page write.
    ///
    /// The last Occurrence is `nil` when there are no more.
    fileprivate func events(
        of numbers: [DeviceNumber],
        _ app: AppID,
        after occurrence: OccurrenceID,
        limit: Int
    ) throws -> (places: [EventPlace], last: OccurrenceID?) {
        let occurrences = try connection.all(InboxSQL.nextOccurrences, app, occurrence, limit, as: OccurrenceID.self)
        guard !occurrences.isEmpty else { return ([], nil) }
        let places = try connection.all(
            connection.dialect.pick(sqlite: InboxSQL.eventPlaces.sqlite, postgreSQL: InboxSQL.eventPlaces.postgreSQL),
            SQLList(occurrences.lazy.map(\.rawValue), connection.dialect),
            SQLList(numbers.lazy.map(\.rawValue), connection.dialect),
            app,
            as: (OccurrenceID, DeviceNumber).self
        )
        return (places.map(EventPlace.init), occurrences.count < limit ? nil : occurrences.last)
    }
}
