package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension DeliveryRepository {
    package func read(
        _ wave: OpenWave,
        of facts: OccurrenceFacts,
        limit: Int
    ) async throws(StoreError) -> ChunkReading {
        let gate = ZoneGate(facts.rules, waveDue: wave.dueAt, zones: zones)
        return try await database.read { [readingBudget] connection in
            let end = try connection.deliveries.readDevices(
                of: facts,
                after: wave.cursor,
                through: wave.lastDevice,
                limit: limit,
                gate: gate,
                budget: readingBudget
            )
            var reading = ChunkReading(
                recipients: end.recipients,
                range: .devices(wave: wave.wave, after: wave.cursor, through: end.last),
                isLast: end.last >= wave.lastDevice
            )
            reading.later = end.later
            reading.matchedCount = end.recipients.count + end.deferredCount
            // Whom an earlier Wave reached, whatever the Device's zone is now, is not reached again.
            if wave.wave > OpenWave.first, end.recipients.count > 0 {
                reading.recipients = try connection.deliveries.leavingOutDone(end.recipients, facts)
            }
            return reading
        }
    }

    package func readRetries(
        of facts: OccurrenceFacts,
        dueAt now: Timestamp?,
        limit: Int
    ) async throws(StoreError) -> ChunkReading {
        try await database.read { connection in
            let after = try connection.occurrences.retriesTaken(of: facts.occurrence, app: facts.app)
            let end = RetryPosition(
                dueAt: now ?? Timestamp(rawValue: .max),
                device: DeviceNumber(rawValue: .max)
            )
            let (recipients, last) = try connection.deliveries.readRetries(
                of: facts,
                after: after,
                through: end,
                limit: limit
            )
            var reading = ChunkReading(
                recipients: recipients,
                range: .retries(after: after, through: last),
                isLast: recipients.count < limit
            )
            reading.nextChunk = try connection.first(
                "SELECT next_chunk FROM occurrences WHERE app_id = $1 AND id = $2",
                facts.app,
                facts.occurrence,
                as: Int64.self
            )
            return reading
        }
    }

    package func readRest(of lease: Lease, facts: OccurrenceFacts) async throws(StoreError) -> Recipients {
        switch lease.range {
        case .retries(let after, let through): try await readRestOfRetries(facts, after: after, through: through)
        case .devices(_, let after, let through):
            try await readRestOfDevices(
                facts,
                after: after,
                through: through,
                gate: lease.range.waveDue.flatMap { ZoneGate(facts.rules, waveDue: $0, zones: zones) }
            )
        }
    }

    // MARK: - Private

    /// How many rows of a Chunk that was leased before are read at a time.
    private static let restPortion = 5_000

    private func readRestOfRetries(
        _ facts: OccurrenceFacts,
        after: RetryPosition,
        through: RetryPosition
    ) async throws(StoreError) -> Recipients {
        var (rest, position) = (Recipients(), after)
        while true {
            let start = position
            let (recipients, last) = try await database.read { connection in
                try connection.deliveries.readRetries(
                    of: facts,
                    after: start,
                    through: through,
                    limit: Self.restPortion
                )
            }
            rest.append(recipients)
            guard recipients.count >= Self.restPortion else { return rest }
            position = last
        }
    }

    private func readRestOfDevices(
        _ facts: OccurrenceFacts,
        after: DeviceNumber,
        through: DeviceNumber,
        gate: ZoneGate?
    ) async throws(StoreError) -> Recipients {
        var (rest, cursor) = (Recipients(), after)
        while cursor < through {
            let start = cursor
            let (recipients, last) = try await database.read { [readingBudget] connection in
                let end = try connection.deliveries.readDevices(
                    of: facts,
                    after: start,
                    through: through,
                    limit: Self.restPortion,
                    gate: gate,
                    budget: readingBudget
                )
                return (try connection.deliveries.leavingOutDone(end.recipients, facts), end.last)
            }
            rest.append(recipients)
            cursor = last
        }
        return rest
    }
}

extension DeliveryTable {
    /// Reads the matching Devices after one number, through another.
    ///
    /// A Device is read whole: the reading ends between two Devices.
    ///
    /// - Parameters:
    ///   - facts: Whom the Campaign is for.
    ///   - after: The number before the first.
    ///   - through: The last number.
    ///   - limit: How many rows, roughly.
    ///   - gate: Lets Devices pass whose own time has come.
    ///   - budget: How many Devices are looked at, roughly.
    /// - Returns: The Devices, the last number that was looked at, when the time of others comes, and how many they are.
    /// - Throws: ``StoreError``.
    fileprivate func readDevices(
        of facts: OccurrenceFacts,
        after: DeviceNumber,
        through: DeviceNumber,
        limit: Int,
        gate: ZoneGate?,
        budget: Int
    ) throws -> (
        recipients: Recipients, last: DeviceNumber, later: Set<Timestamp>, deferredCount: Int
    ) {
        var reader = DeviceReader(facts, limit: limit, gate: gate, budget: budget)
        let last: DeviceNumber
        switch facts.audience {
        case .all: last = try reader.readAll(connection, after: after, through: through)
        case .users, .devices, .rule, .redacted:
            last = try reader.read(facts.audience, connection, after: after, through: through)
        case .saved: throw StoreError.failed("A campaign keeps the rule of a saved audience, not its name.")
        }
        return (reader.recipients, last, reader.later, reader.deferredCount)
    }

    /// Those who have no delivery and do not wait to be tried again.
    fileprivate func leavingOutDone(
        _ recipients: Recipients,
        _ facts: OccurrenceFacts
    ) throws -> Recipients {
        guard recipients.count > 0 else { return recipients }
        let numbers = SQLList(recipients.numbers.lazy.map(\.rawValue), connection.dialect)
        let rows = try connection.all(
            connection.dialect.pick(sqlite: Self.done.sqlite, postgreSQL: Self.done.postgreSQL),
            facts.app,
            facts.occurrence,
            numbers,
            read: Addressee.init(row:)
        )
        guard !rows.isEmpty else { return recipients }
        let done = Set(rows)
        return recipients.filtered { row in
            let (number, pushType) = (recipients.numbers[row], recipients.pushTypes[row])
            return !done.contains(Addressee(device: number.rawValue, pushType: pushType.code))
        }
    }

    private static let done: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT \(AddresseeColumn.list) FROM deliveries
        WHERE app_id = $1 AND occurrence_id = $2 AND device_number IN (SELECT value FROM json_each($3))
        UNION ALL
        SELECT \(AddresseeColumn.list) FROM retries
        WHERE app_id = $1 AND occurrence_id = $2 AND device_number IN (SELECT value FROM json_each($3))
        """,
        """
        SELECT \(AddresseeColumn.list) FROM deliveries
        WHERE app_id = $1 AND occurrence_id = $2
            AND device_number = ANY(ARRAY(SELECT unnest(CAST(CAST($3 AS TEXT) AS BIGINT[]))))
        UNION ALL
        SELECT \(AddresseeColumn.list) FROM retries
        WHERE app_id = $1 AND occurrence_id = $2
            AND device_number = ANY(ARRAY(SELECT unnest(CAST(CAST($3 AS TEXT) AS BIGINT[]))))
        """
    )
}
