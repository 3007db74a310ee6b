import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

private enum PasskeyColumn: Int, SQLColumn {
    case id, operatorID, credentialID, publicKey, party, name, isSynced, signCount, createdAt, usedAt
}

extension StoredPasskey {
    fileprivate init(row: SQLRow<PasskeyColumn>) throws {
        self.init(
            record: OperatorPasskey(
                id: try row[.id],
                name: try row[.name],
                isSynced: try row[.isSynced],
                createdAt: try row[.createdAt],
                usedAt: try row[.usedAt]
            ),
            owner: try row[.operatorID],
            credentialID: try row[.credentialID],
            publicKey: try row[.publicKey],
            party: try row[.party],
            signCount: try row[.signCount]
        )
    }
}

/// Passkeys, in SQL.
extension OperatorRepository {
    func passkey(credential id: [UInt8]) async throws(StoreError) -> StoredPasskey? {
        try await database.read { connection in
            try connection.first(
                "SELECT \(PasskeyColumn.list) FROM operator_passkeys WHERE credential_id = $1",
                id,
                read: StoredPasskey.init(row:)
            )
        }
    }

    func passkeys(of id: OperatorID, limit: Int) async throws(StoreError) -> [StoredPasskey] {
        try await database.read { connection in
            try connection.all(
                "SELECT \(PasskeyColumn.list) FROM operator_passkeys WHERE operator_id = $1 ORDER BY id LIMIT $2",
                id,
                limit,
                read: StoredPasskey.init(row:)
            )
        }
    }

    func rename(
        _ passkey: OperatorPasskeyID,
        of id: OperatorID,
        to name: String
    ) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.run(
                "UPDATE operator_passkeys SET name = $1 WHERE id = $2 AND operator_id = $3",
                name,
                passkey,
                id
            ) > 0
        }
    }

    func remove(
        _ passkey: OperatorPasskeyID,
        of id: OperatorID,
        by session: OperatorSessionID?
    ) async throws(StoreError) -> Bool? {
        try await database.write { connection -> Bool? in
            try connection.lock(.operators)
            guard try connection.operators.mayChange(session) else { return nil }
            guard try connection.operators.delete(passkey, of: id) else { return false }
            try connection.operators.endSessions(of: id)
            return true
        }
    }

    func signIn(
        with use: PasskeyUse,
        session: NewOperatorSession,
        forgiving attempt: OperatorAttempt,
        limit: Int
    ) async throws(StoreError) -> StoredOperatorSession? {
        try await database.write { connection in
            try connection.lock(.operators)
            guard let person = try connection.operators.find(use.owner), person.record.state == .active,
                try connection.operators.use(use)
            else { return nil }
            try connection.operators.insert(session, of: person)
            try connection.operators.limitSessions(of: use.owner, to: limit)
            try connection.operators.forgive(attempt, withAddress: true)
            return try connection.operators.session(session.value)
        }
    }
}

extension OperatorTable {
    /// Registers a passkey; false when its challenge was answered before, or somebody has it.
    func insert(_ new: NewPasskey, of person: StoredOperator) throws -> Bool {
        guard try use(new.challenge) else { return false }
        let (passkey, record) = (new.passkey, new.passkey.record)
        let count = try connection.run(
            """
            INSERT INTO operator_passkeys (id, operator_id, credential_id, public_key, party, name, is_synced, sign_count,
                created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (credential_id) DO NOTHING
            """,
            record.id,
            passkey.owner,
            passkey.credentialID,
            passkey.publicKey,
            passkey.party,
            record.name,
            record.isSynced,
            passkey.signCount,
            record.createdAt
        )
        guard count > 0 else { return false }
        if !new.recoveryCodes.isEmpty, person.record.recoveryCodes == 0 {
            try setRecoveryCodes(new.recoveryCodes, of: passkey.owner)
        }
        return true
    }

    /// Records a use; false when its challenge was answered before, or the authenticator counts backwards, as a copy does.
    func use(_ use: PasskeyUse) throws -> Bool {
        guard try self.use(use.challenge) else { return false }
        return try connection.run(
            """
            UPDATE operator_passkeys SET sign_count = $1, used_at = $2
            WHERE id = $3 AND operator_id = $4 AND (sign_count < $1 OR sign_count = 0 AND $1 = 0)
            """,
            use.signCount,
            use.at,
            use.id,
            use.owner
        ) > 0
    }

    /// Marks a challenge as answered; false when it was.
    func use(_ challenge: UsedChallenge) throws -> Bool {
        try connection.run(
            """
            INSERT INTO operator_used_challenges (challenge_hash, expires_at) VALUES ($1, $2)
            ON CONFLICT (challenge_hash) DO NOTHING
            """,
            challenge.hash,
            challenge.expiresAt
        ) > 0
    }

    /// Deletes a passkey, and with the last second factor the recovery codes; false when there is none.
    func delete(_ passkey: OperatorPasskeyID, of id: OperatorID) throws -> Bool {
        let count = try connection.run(
            "DELETE FROM operator_passkeys WHERE id = $1 AND operator_id = $2",
            passkey,
            id
        )
        guard count > 0 else { return false }
        if try find(id)?.record.hasSecondFactor == false { try deleteRecoveryCodes(of: id) }
        return true
    }

    func deletePasskeys(of id: OperatorID) throws {
        try connection.run("DELETE FROM operator_passkeys WHERE operator_id = $1", id)
    }

    func dropChallenges(expiredBy now: Timestamp, limit: Int) throws -> Int {
        try connection.run(
            """
            DELETE FROM operator_used_challenges WHERE challenge_hash IN (
                SELECT c.challenge_hash FROM operator_used_challenges c WHERE c.expires_at <= $1
                ORDER BY c.expires_at LIMIT $2)
            """,
            now,
            limit
        )
    }
}
