import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The columns of `operator_sessions` but for the hash of the value.
private enum SessionColumn: Int, SQLColumn {
    case id, operatorID, stage, method, createdAt, usedAt, authenticatedAt, address, client, failedAttempts
}

/// Sessions, in SQL.
extension OperatorRepository {
    func signIn(
        _ person: StoredOperator,
        session: NewOperatorSession,
        rehashed: PasswordHash?,
        forgiving attempt: OperatorAttempt,
        limit: Int
    ) async throws(StoreError) -> StoredOperatorSession? {
        try await database.write { connection in
            try connection.lock(.operators)
            let id = person.record.id
            guard let known = try connection.operators.find(id), known.record.state == .active,
                known.password == person.password
            else { return nil }
            if let rehashed { try connection.operators.setPassword(rehashed, of: id) }
            try connection.operators.insert(session, of: known)
            try connection.operators.limitSessions(of: id, to: limit)
            let opened = try connection.operators.session(session.value)
            try connection.operators.forgive(attempt, withAddress: opened?.isFull == true)
            return opened
        }
    }

    func session(_ value: SecretHash) async throws(StoreError) -> StoredOperatorSession? {
        try await database.read { connection in try connection.operators.session(value) }
    }

    func renew(
        _ renewal: SessionRenewal,
        with change: SessionChange,
        forgiving attempt: OperatorAttempt?
    ) async throws(StoreError) -> StoredOperatorSession? {
        try await database.write { connection in
            try connection.lock(.operators)
            guard let found = try connection.operators.session(renewal.former), found.owner.record.state == .active,
                try connection.operators.make(change, of: found)
            else { return nil }
            let becomesFull = renewal.isFull && !found.isFull
            try connection.run(
                """
                UPDATE operator_sessions SET value_hash = $1, stage = $2, authenticated_at = $3, used_at = $3
                WHERE id = $4
                """,
                renewal.value,
                renewal.isFull ? 2 : 1,
                renewal.at,
                found.id
            )
            if becomesFull { try connection.operators.complete(found.id, of: found.owner.record.id, at: renewal.at) }
            if let attempt {
                try connection.operators.forgive(attempt, withAddress: true)
                // The password of this session was right too.
                if becomesFull { try connection.operators.forgiveAddress(attempt) }
            }
            return try connection.operators.session(renewal.value)
        }
    }

    func markUsed(_ id: OperatorSessionID, at now: Timestamp, address: String?) async throws(StoreError) {
        _ = try await database.write { connection in
            try connection.run(
                "UPDATE operator_sessions SET used_at = $1, address = $2 WHERE id = $3 AND used_at <= $1",
                now,
                address,
                id
            )
        }
    }

    func sessions(of id: OperatorID, limit: Int) async throws(StoreError) -> [OperatorSessionRecord] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(SessionColumn.list) FROM operator_sessions WHERE operator_id = $1 ORDER BY id DESC LIMIT $2
                """,
                id,
                limit
            ) { (row: SQLRow<SessionColumn>) in
                OperatorSessionRecord(
                    id: try row[.id],
                    createdAt: try row[.createdAt],
                    usedAt: try row[.usedAt],
                    address: try row[.address],
                    client: try row[.client]
                )
            }
        }
    }

    func endSession(_ session: OperatorSessionID, of id: OperatorID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.lock(.operators)
            return try connection.run(
                "DELETE FROM operator_sessions WHERE id = $1 AND operator_id = $2",
                session,
                id
            ) > 0
        }
    }

    func endSessions(of id: OperatorID, except session: OperatorSessionID?) async throws(StoreError) -> Int {
        try await database.write { connection in
            try connection.lock(.operators)
            return try connection.operators.endSessions(of: id, except: session)
        }
    }
}

extension OperatorTable {
    func session(_ value: SecretHash) throws -> StoredOperatorSession? {
        let found = try connection.first(
            "SELECT \(SessionColumn.list) FROM operator_sessions WHERE value_hash = $1",
            value
        ) { (row: SQLRow<SessionColumn>) in
            (
                owner: try row[.operatorID] as OperatorID, id: try row[.id] as OperatorSessionID,
                stage: try row[.stage] as Int64, method: try row[.method] as OperatorSession.Method,
                createdAt: try row[.createdAt] as Timestamp,
                usedAt: try row[.usedAt] as Timestamp, authenticatedAt: try row[.authenticatedAt] as Timestamp,
                address: try row[.address] as String?, client: try row[.client] as String?,
                failedAttempts: try row[.failedAttempts] as Int
            )
        }
        guard let found, let owner = try find(found.owner) else { return nil }
        return StoredOperatorSession(
            id: found.id,
            isFull: found.stage == 2,
            method: found.method,
            createdAt: found.createdAt,
            usedAt: found.usedAt,
            authenticatedAt: found.authenticatedAt,
            address: found.address,
            client: found.client,
            failedAttempts: found.failedAttempts,
            owner: owner
        )
    }

    /// Inserts a session; after a password a second factor that was set up meanwhile is asked for.
    func insert(_ session: NewOperatorSession, of person: StoredOperator) throws {
        let isFull = session.isFull && (session.method != .password || !person.record.hasSecondFactor)
        try connection.run(
            """
            INSERT INTO operator_sessions (id, value_hash, operator_id, stage, method, created_at, used_at,
                authenticated_at, address, client, failed_attempts)
            VALUES ($1, $2, $3, $4, $5, $6, $6, $6, $7, $8, 0)
            """,
            session.id,
            session.value,
            person.record.id,
            isFull ? 2 : 1,
            session.method,
            session.at,
            session.address,
            session.client
        )
        if isFull { try complete(session.id, of: person.record.id, at: session.at) }
    }

    /// Notes that an Operator is signed in whole; the session has how many attempts failed before.
    func complete(_ session: OperatorSessionID, of id: OperatorID, at now: Timestamp) throws {
        try connection.run(
            """
            UPDATE operator_sessions
            SET failed_attempts = (SELECT o.failed_attempts FROM operators o WHERE o.id = $1)
            WHERE id = $2 AND operator_id = $1
            """,
            id,
            session
        )
        try connection.run("UPDATE operators SET failed_attempts = 0, signed_in_at = $1 WHERE id = $2", now, id)
    }

    /// Makes a change that belongs to a session's new value; false when it is not possible, and nothing is written.
    func make(_ change: SessionChange, of session: StoredOperatorSession) throws -> Bool {
        let (id, owner) = (session.owner.record.id, session.owner)
        switch change {
        case .nothing: return true
        case .code(let step): return try use(step: step, of: id)
        case .recoveryCode(let code): return try use(recoveryCode: code, of: id)
        case .password(let password, let former):
            guard owner.password == former else { return false }
            try setPassword(password, of: id)
            try deleteLinks(of: id)
        case .secondFactor(let sealed, let step, let codes):
            try setSecondFactor(sealed, step: step, recoveryCodes: codes, of: id)
        case .noSecondFactor:
            try removeAuthenticator(of: id)
            if owner.record.passkeys == 0 { try deleteRecoveryCodes(of: id) }
        case .newPasskey(let new):
            guard try insert(new, of: owner) else { return false }
        case .passkey(let passkey): return try use(passkey)
        case .noPasskey(let passkey):
            guard try delete(passkey, of: id) else { return false }
        case .noIdentity(let identity):
            guard try delete(identity, of: id) else { return false }
        case .challenge(let challenge): return try use(challenge)
        case .recoveryCodes(let codes):
            guard owner.record.hasSecondFactor else { return false }
            try setRecoveryCodes(codes, of: id)
            return true
        }
        try endSessions(of: id, except: session.id)
        return true
    }

    /// Ends sessions of an Operator, all or all but one; returns how many.
    @discardableResult
    func endSessions(of id: OperatorID, except session: OperatorSessionID? = nil) throws -> Int {
        try connection.run(
            "DELETE FROM operator_sessions WHERE operator_id = $1 AND id <> $2",
            id,
            session ?? OperatorSessionID(rawValue: -1)
        )
    }

    /// How many sessions an Operator has at most that lack the second factor.
    private static let halfSessionLimit = 3

    /// Ends the oldest sessions of an Operator, so that a limited number stays.
    ///
    /// Sessions with the password alone are limited apart: who knows no more than it ends none of the whole ones.
    func limitSessions(of id: OperatorID, to limit: Int) throws {
        for (stage, limit) in [(1, min(limit, Self.halfSessionLimit)), (2, limit)] {
            let oldest = try connection.first(
                """
                SELECT id FROM operator_sessions WHERE operator_id = $1 AND stage = $2
                ORDER BY id DESC LIMIT 1 OFFSET $3
                """,
                id,
                stage,
                limit,
                as: OperatorSessionID.self
            )
            guard let oldest else { continue }
            try connection.run(
                "DELETE FROM operator_sessions WHERE operator_id = $1 AND stage = $2 AND id <= $3",
                id,
                stage,
                oldest
            )
        }
    }

    func dropSessions(usedBefore time: Timestamp, limit: Int) throws -> Int {
        try connection.run(
            """
            DELETE FROM operator_sessions WHERE id IN (
                SELECT s.id FROM operator_sessions s WHERE s.used_at <= $1 ORDER BY s.used_at LIMIT $2)
            """,
            time,
            limit
        )
    }
}
