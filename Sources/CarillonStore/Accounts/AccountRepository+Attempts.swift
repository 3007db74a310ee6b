import CarillonEngine
import CarillonModel
import CarillonSQL

/// Counts of attempts, in SQL.
extension AccountRepository {
    func count(_ charges: [AttemptCharge], app: AppID, at now: Timestamp) async throws(StoreError) -> AttemptWait? {
        try await database.write { connection in
            // All at once and in the order of locks: of those that share one, nobody waits in a circle.
            try connection.lock(Set(charges.map { WriteLock.signInAttempts($0.subject, app: app) }))
            var counted: [(charge: AttemptCharge, at: Timestamp)] = []
            for charge in charges {
                let known = try connection.accounts.forgottenAt(charge, app: app)
                switch charge.counted(known, at: now) {
                case .success(let time): counted.append((charge, time))
                case .failure(let wait): return wait
                }
            }
            for (charge, time) in counted { try connection.accounts.setForgotten(charge, app: app, at: time) }
            // As many are forgotten as begin, so that there are no more than attempts of the last hours.
            try connection.accounts.dropAttempts(app: app, forgottenBy: now, limit: 8)
            return nil
        }
    }

    func forgive(_ charges: [AttemptCharge], app: AppID) async throws(StoreError) {
        _ = try await database.write { connection in
            try connection.lock(Set(charges.map { WriteLock.signInAttempts($0.subject, app: app) }))
            for charge in charges { try connection.accounts.forgive(charge, app: app) }
        }
    }
}

extension AccountTable {
    fileprivate func forgottenAt(_ charge: AttemptCharge, app: AppID) throws -> Timestamp? {
        try connection.first(
            "SELECT forgotten_at FROM sign_in_attempts WHERE app_id = $1 AND subject = $2",
            app,
            charge.subject,
            as: Timestamp.self
        )
    }

    fileprivate func setForgotten(_ charge: AttemptCharge, app: AppID, at time: Timestamp) throws {
        try connection.run(
            """
            INSERT INTO sign_in_attempts (app_id, subject, forgotten_at) VALUES ($1, $2, $3)
            ON CONFLICT (app_id, subject) DO UPDATE SET forgotten_at = excluded.forgotten_at
            """,
            app,
            charge.subject,
            time
        )
    }

    /// Takes an attempt back that was right.
    func forgive(_ charge: AttemptCharge, app: AppID) throws {
        guard let time = try forgottenAt(charge, app: app) else { return }
        try setForgotten(charge, app: app, at: charge.forgiven(time))
    }

    /// Deletes some counts of attempts that are forgotten; returns how many.
    @discardableResult
    func dropAttempts(app: AppID, forgottenBy now: Timestamp, limit: Int) throws -> Int {
        try connection.run(
            connection.dialect.pick(
                sqlite: """
                    DELETE FROM sign_in_attempts WHERE app_id = $1 AND subject IN (
                        SELECT a.subject FROM sign_in_attempts a WHERE a.app_id = $1 AND a.forgotten_at <= $2
                        ORDER BY a.forgotten_at LIMIT $3)
                    """,
                // Those that others count or delete at the same time are left to them: waiting, two could wait in a circle.
                postgreSQL: """
                    DELETE FROM sign_in_attempts WHERE app_id = $1 AND subject IN (
                        SELECT a.subject FROM sign_in_attempts a WHERE a.app_id = $1 AND a.forgotten_at <= $2
                        ORDER BY a.forgotten_at LIMIT $3 FOR UPDATE SKIP LOCKED)
                    """
            ),
            app,
            now,
            limit
        )
    }
}
