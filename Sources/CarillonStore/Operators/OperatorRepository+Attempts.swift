import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Counts of attempts, in SQL.
extension OperatorRepository {
    func begin(_ attempt: OperatorAttempt, at now: Timestamp) async throws(StoreError) -> AttemptWait? {
        try await database.write { connection in
            try connection.lock(.operators)
            let table = connection.operators
            // As many are forgotten as begin, so that there are no more than attempts of the last day.
            _ = try table.dropAttempts(forgottenBy: now, limit: 8)
            let known = try table.count(attempt.address.subject)?.until
            switch attempt.address.counted(known, at: now) {
            case .failure(let wait): return wait
            case .success(let time):
                try table.save(.init(failures: 0, until: time, forgottenAt: time), of: attempt.address.subject)
            }
            let own = try table.count(attempt.own)
            switch OperatorThrottle.decide(try table.count(attempt.account), own: own, at: now) {
            case .allowed(let account):
                try table.save(account, of: attempt.account)
                try table.deleteCount(of: attempt.own)
                return nil
            case .wait(let wait, let count):
                try table.save(count, of: attempt.own)
                return wait
            }
        }
    }

    func cancel(_ attempt: OperatorAttempt, at now: Timestamp) async throws(StoreError) {
        try await database.write { connection in
            try connection.lock(.operators)
            let table = connection.operators
            if let count = try table.count(attempt.account) {
                try table.save(OperatorThrottle.cancelled(count, at: now), of: attempt.account)
            }
            try table.forgiveAddress(attempt)
        }
    }

    func recordFailure(of id: OperatorID?) async throws(StoreError) {
        _ = try await database.write { connection in
            try connection.lock(.operators)
            try connection.run(
                "UPDATE operators SET failed_attempts = failed_attempts + 1 WHERE id = $1",
                // Nobody's id.
                id ?? OperatorID(rawValue: -1)
            )
        }
    }
}

extension OperatorTable {
    fileprivate func count(_ subject: [UInt8]) throws -> OperatorThrottle.Count? {
        try connection.first(
            "SELECT failures, until, forgotten_at FROM operator_attempts WHERE subject = $1",
            subject,
            as: (Int64, Timestamp, Timestamp).self
        ).map { OperatorThrottle.Count(failures: $0, until: $1, forgottenAt: $2) }
    }

    fileprivate func save(_ count: OperatorThrottle.Count, of subject: [UInt8]) throws {
        try connection.run(
            """
            INSERT INTO operator_attempts (subject, failures, until, forgotten_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (subject) DO UPDATE
            SET failures = excluded.failures, until = excluded.until, forgotten_at = excluded.forgotten_at
            """,
            subject,
            count.failures,
            count.until,
            count.forgottenAt
        )
    }

    fileprivate func deleteCount(of subject: [UInt8]) throws {
        try connection.run("DELETE FROM operator_attempts WHERE subject = $1", subject)
    }

    /// Forgets the wrong attempts of an account, since one was right, and takes one back of the address if wanted.
    ///
    /// Who knows the password alone must not get as many attempts of an address as they like.
    func forgive(_ attempt: OperatorAttempt, withAddress: Bool) throws {
        try deleteCount(of: attempt.account)
        if withAddress { try forgiveAddress(attempt) }
    }

    /// Takes one attempt back of the address.
    func forgiveAddress(_ attempt: OperatorAttempt) throws {
        guard let known = try count(attempt.address.subject) else { return }
        let time = attempt.address.forgiven(known.until)
        try save(.init(failures: 0, until: time, forgottenAt: time), of: attempt.address.subject)
    }

    func dropAttempts(forgottenBy now: Timestamp, limit: Int) throws -> Int {
        try connection.run(
            """
            DELETE FROM operator_attempts WHERE subject IN (
                SELECT a.subject FROM operator_attempts a WHERE a.forgotten_at <= $1
                ORDER BY a.forgotten_at LIMIT $2)
            """,
            now,
            limit
        )
    }
}
