package import CarillonEngine
package import CarillonModel
import CarillonSQL

extension DeliveryRepository {
    /// After how long a session's row is swept if it has no Chunks.
    private static let sweepAge = Duration.seconds(86_400)

    package func releaseAbandonedLeases(at now: Timestamp) async throws(StoreError) {
        let process = process
        try await database.write(priority: .bulk) { connection in
            if connection.dialect == .sqlite {
                try connection.run("DELETE FROM dispatcher_sessions WHERE process <> $1", process)
            } else {
                try connection.run(
                    """
                    DELETE FROM dispatcher_sessions WHERE seen_at < $1
                        AND NOT EXISTS (SELECT 1 FROM chunks k WHERE k.owner = dispatcher_sessions.owner)
                    """,
                    now.advanced(by: .zero - Self.sweepAge)
                )
            }
            try connection.run(
                """
                DELETE FROM dispatcher_waits
                WHERE NOT EXISTS (SELECT 1 FROM dispatcher_sessions s WHERE s.owner = dispatcher_waits.owner)
                """
            )
        }
    }

    package func begin(_ session: DispatcherSession, at now: Timestamp) async throws(StoreError) {
        let process = process
        try await database.write(priority: .heartbeat) { connection in
            _ = try connection.run(
                """
                INSERT INTO dispatcher_sessions (owner, process, beat, seen_at) VALUES ($1, $2, 0, $3)
                ON CONFLICT (owner) DO NOTHING
                """,
                session,
                process,
                now
            )
        }
    }

    package func beat(
        _ session: DispatcherSession,
        waits: [CommitWait]?,
        at now: Timestamp
    ) async throws(StoreError) -> Bool {
        try await database.write(priority: .heartbeat) { connection in
            let count = try connection.run(
                "UPDATE dispatcher_sessions SET beat = beat + 1, seen_at = $1 WHERE owner = $2",
                now,
                session
            )
            guard count == 1 else { return false }
            if let waits { try connection.dispatcherSessions.write(waits, of: session) }
            return true
        }
    }

    package func end(_ session: DispatcherSession) async throws(StoreError) {
        try await database.write(priority: .heartbeat) { connection in
            try connection.run("DELETE FROM dispatcher_waits WHERE owner = $1", session)
            _ = try connection.run("DELETE FROM dispatcher_sessions WHERE owner = $1", session)
        }
    }
}

extension DispatcherSessionTable {
    /// Ends the session of a dispatcher that has shown no heartbeat since it was looked at.
    ///
    /// - Returns: False when it has shown one; true also when somebody else ended it.
    func end(_ session: DispatcherSession, ifAt beat: Int64) throws -> Bool {
        let count = try connection.run("DELETE FROM dispatcher_sessions WHERE owner = $1 AND beat = $2", session, beat)
        guard count == 0 else {
            try connection.run("DELETE FROM dispatcher_waits WHERE owner = $1", session)
            return true
        }
        return try connection.first("SELECT 1 FROM dispatcher_sessions WHERE owner = $1", session) { _ in true } == nil
    }

    fileprivate func write(_ waits: [CommitWait], of session: DispatcherSession) throws {
        try connection.run("DELETE FROM dispatcher_waits WHERE owner = $1", session)
        guard !waits.isEmpty else { return }
        let insert = try connection.prepare(
            "INSERT INTO dispatcher_waits (\(CommitWaitColumn.list)) VALUES (\(CommitWaitColumn.parameters))"
        )
        let row = SQLParameters<CommitWaitColumn>(insert)
        for wait in waits {
            row.bind(session, to: .owner)
            row.bind(wait.occurrence, to: .occurrenceID)
            row.bind(wait.campaign, to: .campaignID)
            row.bind(wait.since, to: .since)
            row.bind(wait.chunks, to: .chunks)
            row.bind(wait.notifications, to: .notifications)
            try insert.send()
        }
    }
}

/// The columns of `dispatcher_waits`.
private enum CommitWaitColumn: Int, SQLColumn { case owner, occurrenceID, campaignID, since, chunks, notifications }

extension DispatcherSession: SQLBindable, SQLReadable {}
