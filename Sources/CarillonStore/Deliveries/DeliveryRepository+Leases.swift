package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension DeliveryRepository {
    package func lease(
        _ reading: ChunkReading,
        of wave: OpenWave,
        readAt: Timestamp,
        at now: Timestamp,
        for session: DispatcherSession
    ) async throws(StoreError) -> Lease? {
        guard case .devices(_, _, let through) = reading.range else { return nil }
        let (later, matched) = (reading.later, reading.matchedCount)
        let (range, isLast) = (reading.range, reading.isLast)
        let isEmpty = reading.recipients.count == 0
        return try await database.write(priority: .bulk) { connection in
            // First, as everywhere: whoever has it may write the Wave's row.
            try connection.lock(.campaign(wave.campaign))
            let advanced = try connection.run(
                """
                UPDATE waves SET cursor = $1, is_read = $2, read_at = $3,
                    wake_at = CASE WHEN retry_at IS NULL OR retry_at > $3 THEN $3 ELSE retry_at END
                WHERE app_id = $4 AND occurrence_id = $5 AND wave = $6 AND cursor = $7 AND is_read = 0
                    AND EXISTS (SELECT 1 FROM occurrences o WHERE o.app_id = $4
                        AND o.id = waves.occurrence_id AND o.state = 'sending')
                    AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = waves.app_id)
                    AND NOT EXISTS (
                        SELECT 1 FROM apps p WHERE p.id = waves.app_id AND p.sending_paused_at IS NOT NULL)
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
            try connection.campaigns.countMatched(matched, in: wave.wave, of: wave.occurrence, app: wave.app)
            for time in later {
                try connection.occurrences.openWave(time, of: wave.occurrence, campaign: wave.campaign, app: wave.app)
            }
            let lease = isEmpty ? nil : try connection.chunks.makeChunk(range, of: wave, owner: session)
            if isLast { _ = try connection.occurrences.refreshWork(of: wave.occurrence, app: wave.app, at: now) }
            return lease
        }
    }

    package func leaseRetries(
        _ reading: ChunkReading,
        of wave: OpenWave,
        at now: Timestamp,
        for session: DispatcherSession
    ) async throws(StoreError) -> Lease? {
        guard case .retries(let after, _) = reading.range else { return nil }
        let range = reading.range
        let isEmpty = reading.recipients.count == 0
        return try await database.write(priority: .bulk) { connection in
            try connection.lock(.campaign(wave.campaign))
            let state = try connection.first(
                "SELECT state FROM occurrences WHERE app_id = $1 AND id = $2",
                wave.app,
                wave.occurrence,
                as: String.self
            )
            // What lies before is over or somebody's; a Chunk that was made meanwhile may overlap.
            let taken = try connection.occurrences.retriesTaken(of: wave.occurrence, app: wave.app)
            let expected: Occurrence.State = wave.isCancelling ? .cancelling : .sending
            let isOpen = try wave.isCancelling || !connection.apps.isSendingPaused(wave.app)
            let isFree =
                try isOpen && taken <= after && state == expected.rawValue && !connection.apps.isDeleted(wave.app)
            let lease = isEmpty || !isFree ? nil : try connection.chunks.makeChunk(range, of: wave, owner: session)
            _ = try connection.occurrences.refreshWork(of: wave.occurrence, app: wave.app, at: now)
            return lease
        }
    }

    package func turn(at occurrence: OccurrenceID, wave: Int64) async -> (any ReadLease)? {
        await database.turn(at: .wave(occurrence, wave)).map(WaveTurn.init)
    }

    package func lease(again chunk: OpenChunk, for session: DispatcherSession) async throws(StoreError) -> Lease? {
        try await database.write(priority: .bulk) { connection in
            // Its own is one of which it has not learnt that it got it.
            if let holder = chunk.holder, holder != session {
                guard try connection.dispatcherSessions.end(holder, ifAt: chunk.beat) else { return nil }
            }
            let old = chunk.lease
            // A Chunk that was given back, or whose holder's session is over; whoever takes it first has the next fence.
            let count = try connection.run(
                """
                UPDATE chunks SET owner = $1, fence = fence + 1
                WHERE app_id = $2 AND occurrence_id = $3 AND chunk = $4 AND fence = $5
                    AND (owner IS NULL OR owner = $1 OR NOT EXISTS (
                        SELECT 1 FROM dispatcher_sessions s WHERE s.owner = chunks.owner))
                    AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = chunks.app_id)
                """,
                session,
                old.chunk.app,
                old.chunk.occurrence,
                old.chunk.number,
                old.fence
            )
            guard count == 1 else { return nil }
            return Lease(
                chunk: old.chunk,
                campaign: old.campaign,
                range: old.range,
                fence: old.fence + 1,
                hasHalted: old.hasHalted
            )
        }
    }
}

/// The database's turn, as the engine knows it.
private struct WaveTurn: ReadLease {
    let turn: any DatabaseTurn

    func end() { turn.end() }
}
