import CarillonEngine
import CarillonModel

/// Forgetting a Device and what it did.
extension DeviceRepository {
    /// How many keys are looked up in one read.
    private static let lookupsPerRead = 10_000
    /// How many deletions of events go into one transaction.
    private static let deletionsPerWrite = 500

    func forget(_ caller: DeviceCaller, user: Bool) async throws(StoreError) -> Result<Void, EngineError> {
        let numbers: [DeviceNumber]
        switch try await allNumbers(of: caller) {
        case .failure(let error): return .failure(error)
        case .success(let found): numbers = found
        }
        // Events first: should this be cut off, the Device is still there and can ask again.
        try await forgetEvents(of: numbers, app: caller.app)
        return try await database.write { connection throws(StoreError) in
            switch try connection.knownDevice(caller) {
            case .failure(let error): return .failure(error)
            case .success(let device):
                try connection.deleteDevice(device.number, app: caller.app, device: caller.device)
                guard let owner = device.user else { return .success(()) }
                let isLast = try !connection.hasDevices(owner, app: caller.app)
                if user || isLast { try connection.forgetUser(owner, app: caller.app) }
                return .success(())
            }
        }
    }

    // MARK: - Private

    private func allNumbers(
        of caller: DeviceCaller
    ) async throws(StoreError) -> Result<[DeviceNumber], EngineError> {
        try await database.read { connection throws(StoreError) in
            switch try connection.knownDevice(caller) {
            case .failure(let error): .failure(error)
            case .success: .success(try connection.numbers(of: caller))
            }
        }
    }

    /// Deletes the events of some Devices, in steps; they stay counted.
    ///
    /// Events have no index by Device, which every event would pay for. Their keys begin with the Occurrence, so each
    /// Occurrence is visited by its key.
    private func forgetEvents(of numbers: [DeviceNumber], app: AppID) async throws(StoreError) {
        let limit = max(1, Self.lookupsPerRead / max(1, numbers.count))
        var position: OccurrenceID?
        repeat {
            let (page, events) = try await database.read { [position] connection throws(StoreError) in
                let page = try connection.occurrencesWithEvents(app, after: position, limit: limit)
                return (page, try connection.events(of: numbers, in: page, app: app))
            }
            for start in stride(from: 0, to: events.count, by: Self.deletionsPerWrite) {
                let step = events[start..<min(start + Self.deletionsPerWrite, events.count)]
                try await database.write(priority: .bulk) { connection throws(StoreError) in
                    for event in step { try connection.deleteEvents(event, app: app) }
                }
            }
            position = page.last
        } while position != nil
    }
}

/// All events of a Device about an Occurrence.
private struct EventKey: Hashable, Sendable {
    var occurrence: OccurrenceID
    var device: DeviceNumber
}

extension SQLConnection {
    /// Deletes a Device and its tokens, and what tells that it was a number before.
    func deleteDevice(_ number: DeviceNumber, app: AppID, device: DeviceID) throws(StoreError) {
        try removeTokens(app: app, number: number)
        try run("DELETE FROM devices WHERE app_id = $1 AND number = $2", app, number)
        try run("DELETE FROM former_device_numbers WHERE app_id = $1 AND public_id = $2", app, device)
    }

    /// A Device's number and those it had before.
    fileprivate func numbers(of caller: DeviceCaller) throws(StoreError) -> [DeviceNumber] {
        try all(
            """
            SELECT number FROM devices WHERE app_id = $1 AND public_id = $2
            UNION ALL SELECT number FROM former_device_numbers WHERE app_id = $1 AND public_id = $2
            """,
            caller.app,
            caller.device
        ) { row throws(StoreError) in DeviceNumber(rawValue: row.int64(0)) }
    }

    fileprivate func hasDevices(_ user: UserID, app: AppID) throws(StoreError) -> Bool {
        try first("SELECT 1 FROM devices WHERE app_id = $1 AND user_id = $2 LIMIT 1", app, user) { _ in true } ?? false
    }

    fileprivate func forgetUser(_ user: UserID, app: AppID) throws(StoreError) {
        try removeTags(of: user, app: app)
        try removeAttributes(of: user, app: app)
    }

    /// Occurrences that have events, in their order.
    fileprivate func occurrencesWithEvents(
        _ app: AppID,
        after: OccurrenceID?,
        limit: Int
    ) throws(StoreError) -> [OccurrenceID] {
        var found: [OccurrenceID] = []
        var position = after?.rawValue ?? -1
        while found.count < limit {
            // A minimum is one step in the key, however many events an Occurrence has.
            let next = try first(
                "SELECT min(occurrence_id) FROM events WHERE app_id = $1 AND occurrence_id > $2",
                app,
                position
            ) { row throws(StoreError) in row.optionalInt64(0) }
            guard let next = next ?? nil else { break }
            position = next
            found.append(OccurrenceID(rawValue: next))
        }
        return found
    }

    fileprivate func events(
        of numbers: [DeviceNumber],
        in occurrences: [OccurrenceID],
        app: AppID
    ) throws(StoreError) -> [EventKey] {
        var found: [EventKey] = []
        for occurrence in occurrences {
            for number in numbers {
                let isThere = try first(
                    "SELECT 1 FROM events WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3 LIMIT 1",
                    app,
                    occurrence,
                    number
                ) { _ in true }
                if isThere != nil { found.append(EventKey(occurrence: occurrence, device: number)) }
            }
        }
        return found
    }

    fileprivate func deleteEvents(_ event: EventKey, app: AppID) throws(StoreError) {
        try run(
            "DELETE FROM events WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3",
            app,
            event.occurrence,
            event.device
        )
    }
}
