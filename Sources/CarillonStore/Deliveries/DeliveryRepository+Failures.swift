package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension DeliveryRepository {
    package func note(
        _ failure: WorkFailure,
        of work: FailedWork,
        by rule: FailureRule,
        at now: Timestamp
    ) async throws(StoreError) -> WorkSetback {
        try await database.write(priority: .bulk) { connection in
            try connection.lock(.campaign(work.campaign))
            var failures = 0
            if let lease = work.lease {
                failures = try connection.chunks.giveBack(lease, by: rule, at: now)
            }
            // Whoever cancelled or paused it meanwhile has said what becomes of it.
            guard let count = try connection.chunks.countFailure(of: work, by: rule, at: now) else {
                return WorkSetback(failures: max(1, failures), isPaused: false)
            }
            failures = max(failures, count)
            guard failures >= rule.limit else { return WorkSetback(failures: failures, isPaused: false) }
            let alarm = failure.alarm(attempts: failures)
            try connection.campaigns.pause(work.campaign, app: work.app, alarm: alarm, at: now)
            return WorkSetback(failures: failures, isPaused: true)
        }
    }

    package func pause(
        _ campaign: CampaignID,
        app: AppID,
        alarm: String,
        at now: Timestamp
    ) async throws(StoreError) {
        try await database.write(priority: .bulk) { connection in
            try connection.lock(.campaign(campaign))
            try connection.campaigns.pause(campaign, app: app, alarm: alarm, at: now)
        }
    }
}

extension ChunkTable {
    /// Gives a Chunk back until a time that grows with its failures.
    ///
    /// - Returns: How often in a row it could not go on; 0 when somebody else has it.
    fileprivate func giveBack(_ lease: Lease, by rule: FailureRule, at now: Timestamp) throws -> Int {
        let key = lease.chunk
        let found = try connection.first(
            """
            UPDATE chunks SET owner = NULL, failures = failures + 1
            WHERE app_id = $1 AND occurrence_id = $2 AND chunk = $3 AND fence = $4 RETURNING failures
            """,
            key.app,
            key.occurrence,
            key.number,
            lease.fence,
            as: Int.self
        )
        guard let found else { return 0 }
        let state = try state(of: lease)
        if state == .cancelling, case .devices = lease.range {
            // Nobody goes on with it, and what cannot be read need not be.
            try connection.deliveries.deleteChunk(key)
            _ = try connection.occurrences.refreshWork(of: key.occurrence, app: key.app, at: now)
            return found
        }
        try connection.run(
            "UPDATE chunks SET free_at = $1 WHERE app_id = $2 AND occurrence_id = $3 AND chunk = $4",
            state == .paused ? .never : now.advanced(by: rule.delay(after: found)),
            key.app,
            key.occurrence,
            key.number
        )
        return found
    }

    /// Counts that an Occurrence could not go on, once until the time of its next attempt: nodes and Chunks that meet
    /// the same trouble beside each other are one attempt.
    ///
    /// - Returns: How often in a row it could not go on; `nil` when it is not being sent.
    fileprivate func countFailure(
        of work: FailedWork,
        by rule: FailureRule,
        at now: Timestamp
    ) throws -> Int? {
        let found = try connection.first(
            "SELECT failures, failed_until FROM occurrences WHERE app_id = $1 AND id = $2 AND state = 'sending'",
            work.app,
            work.occurrence,
            as: (Int, Timestamp).self
        )
        guard let (known, until) = found else { return nil }
        // The longest delay bounds what a wall clock that was set back keeps from being counted.
        let isCounted = until > now && until <= now.advanced(by: rule.longestDelay)
        guard !isCounted else { return known }
        let count = known + 1
        try connection.run(
            "UPDATE occurrences SET failures = $1, failed_until = $2 WHERE app_id = $3 AND id = $4",
            count,
            now.advanced(by: rule.delay(after: count)),
            work.app,
            work.occurrence
        )
        return count
    }

    /// Counts an Occurrence's failures anew: something of it went on.
    func clearFailures(of occurrence: OccurrenceID, app: AppID) throws {
        try connection.run(
            "UPDATE occurrences SET failures = 0, failed_until = 0 WHERE app_id = $1 AND id = $2",
            app,
            occurrence
        )
    }
}
