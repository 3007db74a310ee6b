package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel

extension DeliveryRepository {
    package func read(
        _ wave: OpenWave,
        of facts: OccurrenceFacts,
        limit: Int
    ) async throws(StoreError) -> ChunkReading {
        let gate = ZoneGate(facts.rules, waveDue: wave.dueAt, zones: zones)
        return try await database.read { [readingBudget] connection throws(StoreError) in
            let end = try connection.readDevices(
                of: facts,
                after: wave.cursor,
                through: wave.lastDevice,
                limit: limit,
                done: [],
                gate: gate,
                budget: readingBudget
            )
            var reading = ChunkReading(
                recipients: end.recipients,
                range: .devices(wave: wave.wave, after: wave.cursor, through: end.last),
                isLast: end.last >= wave.lastDevice
            )
            reading.later = end.later
            // Whom an earlier Wave reached, whatever the Device's zone is now, is not reached again.
            if wave.wave > OpenWave.first, end.recipients.count > 0 {
                let done = try connection.done(facts, after: wave.cursor, through: end.last)
                reading.recipients = end.recipients.leavingOut(done)
            }
            return reading
        }
    }

    package func readRetries(
        of facts: OccurrenceFacts,
        dueAt now: Timestamp?,
        limit: Int
    ) async throws(StoreError) -> ChunkReading {
        try await database.read { connection throws(StoreError) in
            let after = try connection.retriesTaken(of: facts.occurrence, app: facts.app)
            let end = RetryPosition(
                dueAt: now ?? Timestamp(rawValue: .max),
                device: DeviceNumber(rawValue: .max)
            )
            let (recipients, last) = try connection.readRetries(of: facts, after: after, through: end, limit: limit)
            return ChunkReading(
                recipients: recipients,
                range: .retries(after: after, through: last),
                isLast: recipients.count < limit
            )
        }
    }

    package func readRest(of lease: Lease, facts: OccurrenceFacts) async throws(StoreError) -> Recipients {
        let gate = lease.range.waveDue.flatMap { ZoneGate(facts.rules, waveDue: $0, zones: zones) }
        return try await database.read { [readingBudget] connection throws(StoreError) in
            switch lease.range {
            case .retries(let after, let through):
                return try connection.readRetries(of: facts, after: after, through: through, limit: .max).recipients
            case .devices(_, let after, let through):
                return try connection.readDevices(
                    of: facts,
                    after: after,
                    through: through,
                    limit: .max,
                    done: try connection.done(facts, after: after, through: through),
                    gate: gate,
                    budget: readingBudget
                ).recipients
            }
        }
    }
}

/// One notification of an Occurrence.
struct Addressee: Hashable {
    var device: Int64
    var pushType: Int64
}

extension SQLConnection {
    /// Reads the matching Devices after one number, through another.
    ///
    /// A Device is read whole: the reading ends between two Devices.
    ///
    /// - Parameters:
    ///   - facts: Whom the Campaign is for.
    ///   - after: The number before the first.
    ///   - through: The last number.
    ///   - limit: How many rows, roughly; `.max` for all, and then as long as it takes.
    ///   - done: Rows to leave out.
    ///   - gate: Lets Devices pass whose own time has come.
    ///   - budget: How many Devices are looked at, roughly.
    /// - Returns: The Devices, the last number that was looked at, and when the time of others comes.
    /// - Throws: ``StoreError``.
    fileprivate func readDevices(
        of facts: OccurrenceFacts,
        after: DeviceNumber,
        through: DeviceNumber,
        limit: Int,
        done: Set<Addressee>,
        gate: ZoneGate?,
        budget: Int
    ) throws(StoreError) -> (recipients: Recipients, last: DeviceNumber, later: Set<Timestamp>) {
        var reader = DeviceReader(facts, limit: limit, done: done, gate: gate, budget: budget)
        let last: DeviceNumber
        switch facts.audience {
        case .all: last = try reader.readAll(self, after: after, through: through)
        case .users(let users):
            last = try reader.read(numbers(of: users, app: facts.app), self, after: after, through: through)
        case .devices(let devices):
            last = try reader.read(numbers(of: devices, app: facts.app), self, after: after, through: through)
        case .rule(let rule): last = try reader.read(rule, self, after: after, through: through)
        case .saved: throw .failed("A campaign keeps the rule of a saved audience, not its name.")
        }
        return (reader.recipients, last, reader.later)
    }

    /// The Devices of a range that have a delivery or wait to be tried again.
    fileprivate func done(
        _ facts: OccurrenceFacts,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws(StoreError) -> Set<Addressee> {
        let rows = try all(
            """
            SELECT device_number, push_type FROM deliveries
            WHERE app_id = $1 AND occurrence_id = $2 AND device_number > $3 AND device_number <= $4
            UNION ALL
            SELECT device_number, push_type FROM retries
            WHERE app_id = $1 AND occurrence_id = $2 AND device_number > $3 AND device_number <= $4
            """,
            facts.app,
            facts.occurrence,
            after,
            through
        ) { Addressee(device: $0.int64(0), pushType: $0.int64(1)) }
        return Set(rows)
    }
}

extension Recipients {
    fileprivate func leavingOut(_ done: Set<Addressee>) -> Recipients {
        guard !done.isEmpty else { return self }
        return filtered { row in
            !done.contains(Addressee(device: numbers[row].rawValue, pushType: pushTypes[row].code))
        }
    }
}

extension PushType {
    static func stored(_ code: Int64) throws(StoreError) -> PushType {
        guard let pushType = PushType(code: code) else { throw .failed("A token has an unknown push type.") }
        return pushType
    }
}
