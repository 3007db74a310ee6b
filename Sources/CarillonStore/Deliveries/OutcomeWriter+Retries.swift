import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension OutcomeWriter {
    /// Keeps what is to be tried again, and takes what is over off the list.
    func writeRetries() throws {
        let change: Int
        switch commit.lease.range {
        case .devices: change = try saveRetries()
        case .retries(let after, let through):
            try postponeRetries(after: after, through: through)
            change = -(try closeRetries(after: after, through: through))
        }
        guard change != 0 else { return }
        try connection.statistics.addToTotal(
            change,
            outcome: Delivery.Outcome.retryingCode,
            reason: 0,
            of: key.occurrence,
            app: key.app
        )
    }

    /// Takes notifications that are over off the list.
    ///
    /// - Returns: How many there were.
    private func closeRetries(after: RetryPosition, through: RetryPosition) throws -> Int {
        guard !commit.rows.isEmpty else { return 0 }
        if let bulk { return try bulk.closeRetries(after: after, through: through) }
        let delete = try connection.prepare(
            """
            DELETE FROM retries
            WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3 AND push_type = $4
            """
        )
        delete.bind(key.app.rawValue, at: 1)
        delete.bind(key.occurrence.rawValue, at: 2)
        var closed = 0
        for row in commit.rows {
            delete.bind(row.device.rawValue, at: 3)
            delete.bind(row.pushType.code, at: 4)
            try delete.run()
            closed += connection.changedRowCount
        }
        return closed
    }

    /// Puts notifications on the list.
    ///
    /// - Returns: How many are new: a commit whose answer was lost comes again.
    private func saveRetries() throws -> Int {
        guard !commit.retries.isEmpty else { return 0 }
        if let bulk { return try bulk.saveRetries() }
        let insert = try connection.prepare(
            """
            INSERT INTO retries (\(RetryColumn.list))
            SELECT \(RetryColumn.parameters) WHERE NOT EXISTS (
                SELECT 1 FROM deliveries d WHERE d.app_id = $1 AND d.occurrence_id = $2 AND d.device_number = $3
                    AND d.push_type = $4)
            ON CONFLICT DO NOTHING
            """
        )
        var kept = 0
        insert.bind(key.app.rawValue, at: RetryColumn.appID.parameter)
        insert.bind(key.occurrence.rawValue, at: RetryColumn.occurrenceID.parameter)
        for retry in commit.retries {
            insert.bind(retry.device.rawValue, at: RetryColumn.deviceNumber.parameter)
            insert.bind(retry.pushType.code, at: RetryColumn.pushType.parameter)
            insert.bind(retry.dueAt.rawValue, at: RetryColumn.dueAt.parameter)
            insert.bind(Int64(retry.attempts), at: RetryColumn.attempts.parameter)
            try insert.run()
            kept += connection.changedRowCount
        }
        return kept
    }

    /// Notes when the next attempt of notifications is that are on the list.
    private func postponeRetries(after: RetryPosition, through: RetryPosition) throws {
        guard !commit.retries.isEmpty else { return }
        if let bulk { return try bulk.postponeRetries(after: after, through: through) }
        let update = try connection.prepare(
            """
            UPDATE retries SET due_at = $1, attempts = $2
            WHERE app_id = $3 AND occurrence_id = $4 AND device_number = $5 AND push_type = $6
            """
        )
        update.bind(key.app.rawValue, at: 3)
        update.bind(key.occurrence.rawValue, at: 4)
        for retry in commit.retries {
            update.bind(retry.dueAt.rawValue, at: 1)
            update.bind(Int64(retry.attempts), at: 2)
            update.bind(retry.device.rawValue, at: 5)
            update.bind(retry.pushType.code, at: 6)
            try update.run()
        }
    }
}
