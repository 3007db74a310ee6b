package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel

extension DeliveryRepository {
    package func lease(
        _ reading: ChunkReading,
        of wave: OpenWave,
        readAt: Timestamp,
        at now: Timestamp
    ) async throws(StoreError) -> Lease? {
        guard case .devices(_, _, let through) = reading.range else { return nil }
        let later = reading.later
        let (owner, range, isLast) = (owner, reading.range, reading.isLast)
        let isEmpty = reading.recipients.count == 0
        return try await database.write(priority: .bulk) { connection throws(StoreError) in
            // First, as everywhere: whoever has it may write the Wave's row.
            try connection.lock(.campaign(wave.campaign))
            let advanced = try connection.run(
                """
                UPDATE waves SET cursor = $1, is_read = $2, read_at = $3,
                    wake_at = CASE WHEN retry_at IS NULL OR retry_at > $3 THEN $3 ELSE retry_at END
                WHERE app_id = $4 AND occurrence_id = $5 AND wave = $6 AND cursor = $7 AND is_read = 0
                    AND EXISTS (SELECT 1 FROM occurrences o WHERE o.app_id = waves.app_id
                        AND o.id = waves.occurrence_id AND o.state = 'sending')
                """,
                through,
                isLast,
                readAt,
                wave.app,
                wave.occurrence,
                wave.wave,
                wave.cursor
            )
            guard advanced == 1 else { return nil }
            for time in later {
                try connection.openWave(time, of: wave.occurrence, campaign: wave.campaign, app: wave.app)
            }
            let lease = isEmpty ? nil : try connection.makeChunk(range, of: wave, owner: owner)
            if isLast { _ = try connection.refreshWork(of: wave.occurrence, app: wave.app, at: now) }
            return lease
        }
    }

    package func leaseRetries(
        _ reading: ChunkReading,
        of wave: OpenWave,
        at now: Timestamp
    ) async throws(StoreError) -> Lease? {
        guard case .retries(let after, _) = reading.range else { return nil }
        let (owner, range) = (owner, reading.range)
        let isEmpty = reading.recipients.count == 0
        return try await database.write(priority: .bulk) { connection throws(StoreError) in
            try connection.lock(.campaign(wave.campaign))
            let state = try connection.first(
                "SELECT state FROM occurrences WHERE app_id = $1 AND id = $2",
                wave.app,
                wave.occurrence
            ) { Occurrence.State(rawValue: $0.string(0)) }
            // What lies before is over or somebody's; a Chunk that was made meanwhile may overlap.
            let taken = try connection.retriesTaken(of: wave.occurrence, app: wave.app)
            let isFree = taken <= after && state == (wave.isCancelling ? .cancelling : .sending)
            let lease = isEmpty || !isFree ? nil : try connection.makeChunk(range, of: wave, owner: owner)
            _ = try connection.refreshWork(of: wave.occurrence, app: wave.app, at: now)
            return lease
        }
    }

    package func turn(at occurrence: OccurrenceID, wave: Int64) async -> (any ReadingTurn)? {
        await database.turn(at: .wave(occurrence, wave))
    }

    package func lease(again chunk: OpenChunk) async throws(StoreError) -> Lease? {
        let owner = owner
        return try await database.write(priority: .bulk) { connection throws(StoreError) in
            let old = chunk.lease
            let count = try connection.run(
                """
                UPDATE chunks SET owner = $1, fence = fence + 1, beat = 0
                WHERE app_id = $2 AND occurrence_id = $3 AND chunk = $4 AND fence = $5 AND beat = $6
                """,
                owner,
                old.chunk.app,
                old.chunk.occurrence,
                old.chunk.number,
                old.fence,
                chunk.beat
            )
            guard count == 1 else { return nil }
            return Lease(chunk: old.chunk, campaign: old.campaign, range: old.range, fence: old.fence + 1)
        }
    }

    package func renew(_ lease: Lease) async throws(StoreError) -> LeaseAnswer {
        try await database.write(priority: .bulk) { connection throws(StoreError) in
            guard try connection.beat(lease) else { return .refused }
            return .held(try connection.state(of: lease))
        }
    }
}

extension SQLConnection {
    /// Shows a sign of life.
    ///
    /// - Returns: False when the lease passed on or the Chunk is over.
    func beat(_ lease: Lease) throws(StoreError) -> Bool {
        try run(
            """
            UPDATE chunks SET beat = beat + 1
            WHERE app_id = $1 AND occurrence_id = $2 AND chunk = $3 AND fence = $4
            """,
            lease.chunk.app,
            lease.chunk.occurrence,
            lease.chunk.number,
            lease.fence
        ) == 1
    }

    func state(of lease: Lease) throws(StoreError) -> Campaign.State {
        let state = try first(
            "SELECT state FROM occurrences WHERE app_id = $1 AND id = $2",
            lease.chunk.app,
            lease.chunk.occurrence
        ) { Occurrence.State(rawValue: $0.string(0)) }
        guard let state = state.flatMap(\.self) else { throw .failed("A chunk's Occurrence is gone.") }
        return state.campaignState
    }

    fileprivate func makeChunk(_ range: ChunkRange, of wave: OpenWave, owner: Int64) throws(StoreError) -> Lease? {
        let number = try first(
            "UPDATE occurrences SET next_chunk = next_chunk + 1 WHERE app_id = $1 AND id = $2 RETURNING next_chunk - 1",
            wave.app,
            wave.occurrence
        ) { $0.int64(0) }
        guard let number else { return nil }
        let columns = range.columns
        try run(
            """
            INSERT INTO chunks (app_id, occurrence_id, chunk, campaign_id, wave, after_time, after_device, through_time,
                through_device, owner, fence, beat)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, 0)
            """,
            wave.app,
            wave.occurrence,
            number,
            wave.campaign,
            columns.wave,
            columns.after.dueAt,
            columns.after.device,
            columns.through.dueAt,
            columns.through.device,
            owner
        )
        let key = ChunkKey(app: wave.app, occurrence: wave.occurrence, number: number)
        return Lease(chunk: key, campaign: wave.campaign, range: range, fence: 1)
    }
}

extension ChunkRange {
    fileprivate var columns: (wave: Int64?, after: RetryPosition, through: RetryPosition) {
        switch self {
        case .retries(let after, let through): return (nil, after, through)
        case .devices(let wave, let after, let through):
            let never = Timestamp(rawValue: 0)
            return (wave, RetryPosition(dueAt: never, device: after), RetryPosition(dueAt: never, device: through))
        }
    }
}
