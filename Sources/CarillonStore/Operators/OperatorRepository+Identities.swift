import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

private enum IdentityColumn: Int, SQLColumn { case id, issuer, subject, createdAt, usedAt }

/// Accounts at identity providers, in SQL.
extension OperatorRepository {
    func identities(of id: OperatorID, limit: Int) async throws(StoreError) -> [OperatorIdentity] {
        try await database.read { connection in
            try connection.all(
                "SELECT \(IdentityColumn.list) FROM operator_identities WHERE operator_id = $1 ORDER BY id LIMIT $2",
                id,
                limit
            ) { (row: SQLRow<IdentityColumn>) in
                OperatorIdentity(
                    id: try row[.id],
                    issuer: try row[.issuer],
                    subject: try row[.subject],
                    createdAt: try row[.createdAt],
                    usedAt: try row[.usedAt]
                )
            }
        }
    }

    func remove(
        _ identity: OperatorIdentityID,
        of id: OperatorID,
        by session: OperatorSessionID?
    ) async throws(StoreError) -> Bool? {
        try await database.write { connection -> Bool? in
            try connection.lock(.operators)
            guard try connection.operators.mayChange(session) else { return nil }
            guard try connection.operators.delete(identity, of: id) else { return false }
            try connection.operators.endSessions(of: id)
            return true
        }
    }

    func isAccount(_ account: SecretHash, of id: OperatorID) async throws(StoreError) -> Bool {
        try await database.read { connection in try connection.operators.owner(of: account) == id }
    }

    func signIn(_ signIn: IdentitySignIn, limit: Int) async throws(StoreError) -> IdentitySignInResult {
        try await database.write { connection in
            try connection.lock(.operators)
            if let challenge = signIn.challenge, try !connection.operators.use(challenge) { return .refused(nil) }
            guard try connection.operators.isOfOwner(signIn) else { return .refused(signIn.owner) }
            let known = try connection.operators.find(signIn)
            guard let person = try known ?? signIn.new.flatMap({ try connection.operators.inserted($0) }) else {
                return .unknown
            }
            let id = person.record.id
            guard person.record.state != .disabled else { return .refused(id) }
            try connection.operators.update(person.record, signIn.roles)
            // Who came by an invitation, or without it, needs none any more.
            if person.record.state == .invited { try connection.operators.deleteLinks(of: id) }
            guard try connection.operators.save(signIn, of: id) else { return .refused(id) }
            try connection.operators.insert(signIn.session, of: person)
            try connection.operators.limitSessions(of: id, to: limit)
            guard let opened = try connection.operators.session(signIn.session.value) else { return .refused(id) }
            return .opened(opened, before: known?.record)
        }
    }
}

extension OperatorTable {
    func owner(of account: SecretHash) throws -> OperatorID? {
        try connection.first(
            "SELECT operator_id FROM operator_identities WHERE account_hash = $1",
            account,
            as: OperatorID.self
        )
    }

    func deleteIdentities(of id: OperatorID) throws {
        try connection.run("DELETE FROM operator_identities WHERE operator_id = $1", id)
    }

    func delete(_ identity: OperatorIdentityID, of id: OperatorID) throws -> Bool {
        try connection.run("DELETE FROM operator_identities WHERE id = $1 AND operator_id = $2", identity, id) > 0
    }

    /// Whether the account is nobody else's, and the invitation is there still.
    fileprivate func isOfOwner(_ signIn: IdentitySignIn) throws -> Bool {
        guard let owner = signIn.owner else { return true }
        if let account = signIn.account, let known = try self.owner(of: account), known != owner { return false }
        guard let invitation = signIn.invitation else { return true }
        let link = try link(invitation)
        return link?.kind == .invite && link?.owner?.record.id == owner && link?.owner?.record.state == .invited
    }

    /// Who is meant: the only one who may be, else by the account, else by the address.
    fileprivate func find(_ signIn: IdentitySignIn) throws -> StoredOperator? {
        if let owner = signIn.owner { return try find(owner) }
        if let account = signIn.account, let id = try owner(of: account) { return try find(id) }
        return try signIn.nameKey.flatMap { try find(named: $0) }
    }

    /// A new Operator; `nil` when another one has the address, with whom nobody is linked by it.
    fileprivate func inserted(_ new: StoredOperator) throws -> StoredOperator? {
        guard try find(named: new.name.key) == nil else { return nil }
        try insert(new)
        return new
    }

    /// Makes an Operator active, with the roles of now unless nobody could administer then.
    fileprivate func update(_ before: Operator, _ roles: OperatorRoles?) throws {
        var after = before
        after.state = .active
        if let roles {
            // An App that is gone gives no role.
            after.roles = OperatorRoles(
                everywhere: roles.everywhere,
                apps: try roles.apps.filter { try connection.apps.app($0.app) != nil }
            )
        }
        let wasAdmin = before.state == .active && before.role == .admin
        if wasAdmin, after.role != .admin, try !hasAdmin(besides: before.id) { after.roles = before.roles }
        guard after != before else { return }
        try save(after)
        if after.roles != before.roles { try endSessions(of: before.id) }
    }

    /// Notes an account's use, the first one too; false when there are as many as there may be.
    fileprivate func save(_ signIn: IdentitySignIn, of id: OperatorID) throws -> Bool {
        guard let identity = signIn.identity, let account = signIn.account else { return true }
        let count = try connection.run(
            "UPDATE operator_identities SET used_at = $1 WHERE account_hash = $2",
            identity.usedAt,
            account
        )
        if count > 0 { return true }
        let owned = try connection.first(
            "SELECT count(*) FROM operator_identities WHERE operator_id = $1",
            id,
            as: Int64.self
        )
        guard owned ?? 0 < OperatorLimits.identities else { return false }
        try connection.run(
            """
            INSERT INTO operator_identities (id, operator_id, account_hash, issuer, subject, created_at, used_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            identity.id,
            id,
            account,
            identity.issuer,
            identity.subject,
            identity.createdAt,
            identity.usedAt
        )
        return true
    }
}
