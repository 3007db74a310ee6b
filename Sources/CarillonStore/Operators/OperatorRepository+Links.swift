import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

private enum LinkColumn: Int, SQLColumn { case kind, operatorID, removesSecondFactor, expiresAt }

/// Links, in SQL.
extension OperatorRepository {
    func insertSetup(_ link: NewOperatorLink) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.lock(.operators)
            if try connection.operators.hasAdmin(besides: nil) { return false }
            try connection.operators.insert(link, of: nil)
            return true
        }
    }

    func insert(
        _ link: NewOperatorLink,
        of id: OperatorID,
        state: Operator.State,
        by session: OperatorSessionID?
    ) async throws(StoreError) -> Operator? {
        try await database.write { connection in
            try connection.lock(.operators)
            guard try connection.operators.mayChange(session), let person = try connection.operators.find(id),
                person.record.state == state
            else { return nil }
            try connection.operators.deleteLinks(of: id)
            try connection.operators.insert(link, of: id)
            return person.record
        }
    }

    func link(_ secret: SecretHash) async throws(StoreError) -> StoredOperatorLink? {
        try await database.read { connection in try connection.operators.link(secret) }
    }

    func use(_ use: OperatorLinkUse, at now: Timestamp) async throws(StoreError) -> OperatorLinkResult {
        try await database.write { connection in
            try connection.lock(.operators)
            guard let link = try connection.operators.link(use.secret), link.kind == use.kind, now < link.expiresAt
            else { return .gone }
            switch link.kind {
            case .setup: return try connection.operators.setUp(use)
            case .invite:
                guard link.owner?.record.state == .invited else { return .gone }
            case .reset:
                guard link.owner?.record.state == .active else { return .gone }
            }
            return try connection.operators.use(link, use)
        }
    }
}

extension OperatorTable {
    /// Makes the first Operator.
    fileprivate func setUp(_ use: OperatorLinkUse) throws -> OperatorLinkResult {
        guard var new = use.new, try !hasAdmin(besides: nil) else { return .gone }
        if try find(named: new.name.key) != nil { return .addressTaken }
        new.password = use.password
        new.record.state = .active
        try insert(new)
        try connection.run("DELETE FROM operator_links WHERE kind = $1", OperatorLink.Kind.setup)
        try insert(use.session, of: new)
        return try session(use.session.value).map(OperatorLinkResult.used) ?? .gone
    }

    /// Uses an invitation, or a link for a new password.
    fileprivate func use(_ link: StoredOperatorLink, _ use: OperatorLinkUse) throws -> OperatorLinkResult {
        guard var person = link.owner else { return .gone }
        let id = person.record.id
        person.record.state = .active
        person.record.displayName = use.displayName ?? person.record.displayName
        try save(person.record)
        try setPassword(use.password, of: id)
        if link.removesSecondFactor {
            try removeSecondFactors(of: id)
            person = try find(id) ?? person
        }
        try endSessions(of: id)
        try deleteLinks(of: id)
        try insert(use.session, of: person)
        return try session(use.session.value).map(OperatorLinkResult.used) ?? .gone
    }

    func link(_ secret: SecretHash) throws -> StoredOperatorLink? {
        let found = try connection.first(
            "SELECT \(LinkColumn.list) FROM operator_links WHERE secret_hash = $1",
            secret
        ) { (row: SQLRow<LinkColumn>) in
            (
                kind: try row[.kind] as OperatorLink.Kind, owner: try row[.operatorID] as OperatorID?,
                removesSecondFactor: try row[.removesSecondFactor] as Bool,
                expiresAt: try row[.expiresAt] as Timestamp
            )
        }
        guard let found else { return nil }
        return StoredOperatorLink(
            kind: found.kind,
            removesSecondFactor: found.removesSecondFactor,
            expiresAt: found.expiresAt,
            owner: try found.owner.flatMap { try find($0) }
        )
    }

    func insert(_ link: NewOperatorLink, of id: OperatorID?) throws {
        try connection.run(
            """
            INSERT INTO operator_links (secret_hash, kind, operator_id, removes_second_factor, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            link.secret,
            link.kind,
            id,
            link.removesSecondFactor,
            link.createdAt,
            link.expiresAt
        )
    }

    func deleteLinks(of id: OperatorID) throws {
        try connection.run("DELETE FROM operator_links WHERE operator_id = $1", id)
    }

    func dropLinks(expiredBy now: Timestamp, limit: Int) throws -> Int {
        try connection.run(
            """
            DELETE FROM operator_links WHERE secret_hash IN (
                SELECT l.secret_hash FROM operator_links l WHERE l.expires_at <= $1 ORDER BY l.expires_at LIMIT $2)
            """,
            now,
            limit
        )
    }
}
