import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Operators in SQL on one connection.
struct OperatorTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var operators: OperatorTable { OperatorTable(connection: self) }
}

/// The columns of `operators`, and how many recovery codes there are.
enum OperatorColumn: Int, SQLColumn {
    case id, address, addressKey, displayName, state, role, language, zone, theme, password, secondFactor
    case failedAttempts, createdAt, signedInAt, recoveryCodes, passkeys, identities

    var sql: String {
        switch self {
        case .recoveryCodes: "(SELECT count(*) FROM operator_recovery_codes c WHERE c.operator_id = o.id)"
        case .passkeys: "(SELECT count(*) FROM operator_passkeys p WHERE p.operator_id = o.id)"
        case .identities: "(SELECT count(*) FROM operator_identities i WHERE i.operator_id = o.id)"
        default: name
        }
    }
}

extension StoredOperator {
    /// Reads a row; the roles in Apps come from another table.
    init(row: SQLRow<OperatorColumn>) throws {
        let address: String = try row[.address]
        var record = Operator(
            id: try row[.id],
            address: address,
            displayName: try row[.displayName],
            state: try row[.state],
            // 0 is no role.
            roles: OperatorRoles(everywhere: OperatorRole(code: try row[.role])),
            createdAt: try row[.createdAt]
        )
        record.language = try row[.language]
        record.zone = try row[.zone]
        record.theme = try row[.theme]
        record.recoveryCodes = try row[.recoveryCodes]
        record.signedInAt = try row[.signedInAt]
        let secondFactor: [UInt8]? = try row[.secondFactor]
        record.hasAuthenticator = secondFactor != nil
        record.passkeys = try row[.passkeys]
        record.identities = try row[.identities]
        record.hasSecondFactor = record.hasAuthenticator || record.passkeys > 0
        self.init(
            record: record,
            name: AccountName(stored: address, key: try row[.addressKey]),
            password: try (row[.password] as [UInt8]?).map(Self.hash(of:)),
            secondFactor: secondFactor,
            failedAttempts: try row[.failedAttempts]
        )
    }

    private static func hash(of bytes: [UInt8]) throws(StoreError) -> PasswordHash {
        guard let hash = PasswordHash(bytes: bytes) else {
            throw .failed("An Operator's password is stored in a form that this version does not know.")
        }
        return hash
    }
}

extension OperatorTable {
    /// The maximum number of an Operator's Apps.
    private static let roleLimit = 1_000

    func find(_ id: OperatorID) throws -> StoredOperator? {
        try withRoles(
            connection.first(
                "SELECT \(OperatorColumn.list(of: "o")) FROM operators o WHERE o.id = $1",
                id,
                read: StoredOperator.init(row:)
            )
        )
    }

    func find(named key: String) throws -> StoredOperator? {
        try withRoles(
            connection.first(
                "SELECT \(OperatorColumn.list(of: "o")) FROM operators o WHERE o.address_key = $1",
                key,
                read: StoredOperator.init(row:)
            )
        )
    }

    func list(after id: OperatorID, limit: Int) throws -> [Operator] {
        let found = try connection.all(
            "SELECT \(OperatorColumn.list(of: "o")) FROM operators o WHERE o.id > $1 ORDER BY o.id LIMIT $2",
            id,
            limit,
            read: StoredOperator.init(row:)
        )
        guard let first = found.first, let last = found.last else { return [] }
        let roles = try connection.all(
            """
            SELECT operator_id, app_id, role FROM operator_roles WHERE operator_id >= $1 AND operator_id <= $2
            ORDER BY operator_id, app_id LIMIT $3
            """,
            first.record.id,
            last.record.id,
            limit * Self.roleLimit,
            as: (OperatorID, AppID, OperatorRole).self
        )
        let byOperator = Dictionary(grouping: roles, by: \.0)
        return found.map { person in
            var record = person.record
            record.apps = byOperator[record.id, default: []].map { OperatorAppRole(app: $0.1, role: $0.2) }
            return record
        }
    }

    /// Whether there is an active admin besides one Operator.
    func hasAdmin(besides id: OperatorID?) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM operators WHERE role = $1 AND state = $2 AND id <> $3 LIMIT 1",
            OperatorRole.admin,
            Operator.State.active,
            id ?? OperatorID(rawValue: -1)
        ) { _ in true } ?? false
    }

    /// Whether a session is there, and its owner an active admin everywhere; true for the server, which has none.
    func mayChange(_ session: OperatorSessionID?) throws -> Bool {
        guard let session else { return true }
        return try connection.first(
            """
            SELECT 1 FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
            WHERE s.id = $1 AND o.role = $2 AND o.state = $3 LIMIT 1
            """,
            session,
            OperatorRole.admin,
            Operator.State.active
        ) { _ in true } ?? false
    }

    // MARK: Writing

    func insert(_ new: StoredOperator) throws {
        let record = new.record
        try connection.run(
            """
            INSERT INTO operators (id, address, address_key, display_name, state, role, theme, password,
                failed_attempts, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9)
            """,
            record.id,
            new.name.text,
            new.name.key,
            record.displayName,
            record.state,
            record.role?.code ?? 0,
            record.theme,
            new.password,
            record.createdAt
        )
        try setRoles(record.apps, of: record.id)
    }

    /// Replaces the roles in Apps.
    func setRoles(_ roles: [OperatorAppRole], of id: OperatorID) throws {
        try deleteRoles(of: id)
        for role in roles {
            try connection.run(
                "INSERT INTO operator_roles (app_id, operator_id, role) VALUES ($1, $2, $3)",
                role.app,
                id,
                role.role
            )
        }
    }

    /// Writes name, state, roles and preferences.
    func save(_ record: Operator) throws {
        try connection.run(
            """
            UPDATE operators SET display_name = $1, state = $2, role = $3, language = $4, zone = $5, theme = $6
            WHERE id = $7
            """,
            record.displayName,
            record.state,
            record.role?.code ?? 0,
            record.language,
            record.zone,
            record.theme,
            record.id
        )
        try setRoles(record.apps, of: record.id)
    }

    func deleteRoles(of id: OperatorID) throws {
        try connection.run("DELETE FROM operator_roles WHERE operator_id = $1", id)
    }

    func delete(_ id: OperatorID) throws {
        try endSessions(of: id)
        try deleteLinks(of: id)
        try deleteRecoveryCodes(of: id)
        try deletePasskeys(of: id)
        try deleteIdentities(of: id)
        try deleteRoles(of: id)
        try connection.run("DELETE FROM operators WHERE id = $1", id)
    }

    /// The first of some Apps that does not exist; `nil` when all do.
    func unknownApp(_ roles: [OperatorAppRole]) throws -> AppID? {
        for role in roles where try connection.apps.app(role.app) == nil { return role.app }
        return nil
    }

    // MARK: Second factor

    func setPassword(_ password: PasswordHash, of id: OperatorID) throws {
        try connection.run("UPDATE operators SET password = $1 WHERE id = $2", password, id)
    }

    /// Removes password, second factors, recovery codes and accounts at identity providers.
    func forgetProofs(of id: OperatorID) throws {
        try connection.run("UPDATE operators SET password = NULL WHERE id = $1", id)
        try removeSecondFactors(of: id)
        try deleteIdentities(of: id)
    }

    /// Removes the authenticator, the passkeys and the recovery codes.
    func removeSecondFactors(of id: OperatorID) throws {
        try removeAuthenticator(of: id)
        try deletePasskeys(of: id)
        try deleteRecoveryCodes(of: id)
    }

    // MARK: - Private

    private func withRoles(_ person: StoredOperator?) throws -> StoredOperator? {
        guard var person else { return nil }
        person.record.apps = try connection.all(
            "SELECT app_id, role FROM operator_roles WHERE operator_id = $1 ORDER BY app_id LIMIT $2",
            person.record.id,
            Self.roleLimit,
            as: (AppID, OperatorRole).self
        ).map { OperatorAppRole(app: $0, role: $1) }
        return person
    }
}
