import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Users in SQL.
struct UserRepository: UserStore {
    /// How many Devices of a User are shown.
    static let contactLimit = 256

    let database: any Database

    func user(_ user: UserID, app: AppID) async throws(StoreError) -> UserRecord? {
        try await database.read { connection in
            let contacts = try connection.users.contacts(of: user, app: app)
            let attributes = try connection.attributes.attributes(of: user, app: app)
            let tags = try connection.users.namedTags(of: user, app: app)
            let isKnown = !contacts.isEmpty || !attributes.attributes.isEmpty || !tags.isEmpty
            guard try isKnown || connection.users.hasAccount(user, app: app) else { return nil }
            return UserRecord(user: user, tags: tags, attributes: attributes.attributes, contacts: contacts)
        }
    }

    static let listed: SQL = """
        SELECT user_id, count(*) FROM devices
        WHERE app_id = $1 AND user_id IS NOT NULL AND user_id > $2 AND user_id >= $3
        GROUP BY user_id ORDER BY user_id LIMIT $4
        """

    func users(
        app: AppID,
        prefix: String,
        after: UserID?,
        limit: Int
    ) async throws(StoreError) -> [ListedUser] {
        // Those with the prefix come together, in the order of bytes.
        try await database.read { connection in
            try connection.all(
                Self.listed,
                app,
                after?.rawValue ?? "",
                prefix,
                limit,
                as: (UserID, Int).self
            )
            .prefix { user, _ in user.rawValue.utf8.starts(with: prefix.utf8) }
            .map { ListedUser(user: $0, devices: $1) }
        }
    }

    func invalidTokens(
        app: AppID,
        _ query: InvalidTokenQuery
    ) async throws(StoreError) -> [ListedInvalidToken] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(ListedTokenColumn.list) FROM invalid_tokens
                WHERE app_id = $1 AND at >= $2 AND at < $3 AND (at, device_number, push_type) < ($4, $5, $6)
                    AND COALESCE(campaign_id, 0) = COALESCE(CAST($7 AS BIGINT), campaign_id, 0)
                ORDER BY at DESC, device_number DESC, push_type DESC LIMIT $8
                """,
                app,
                query.from,
                query.until,
                query.after?.at.rawValue ?? .max,
                query.after?.device.rawValue ?? .max,
                query.after?.pushType.code ?? .max,
                query.campaign,
                query.limit,
                read: ListedInvalidToken.init(row:)
            )
        }
    }

    func removeInvalidTokens(before time: Timestamp) async throws(StoreError) -> Bool {
        let limit = 500
        return try await database.write(priority: .bulk) { connection in
            let found = try connection.all(
                """
                SELECT app_id, at, device_number, push_type FROM invalid_tokens
                WHERE app_id IN (SELECT id FROM apps) AND at < $1 LIMIT $2
                """,
                time,
                limit,
                as: (AppID, Timestamp, DeviceNumber, Int64).self
            )
            for (app, at, device, pushType) in found {
                try connection.run(
                    """
                    DELETE FROM invalid_tokens
                    WHERE app_id = $1 AND at = $2 AND device_number = $3 AND push_type = $4
                    """,
                    app,
                    at,
                    device,
                    pushType
                )
            }
            return found.count == limit
        }
    }
}

private enum ContactColumn: Int, SQLColumn {
    case publicID, pushType, tenant, tokenState, token, createdAt, registeredAt, number
}

extension UserTable {
    /// An account is a User before its first Device.
    fileprivate func hasAccount(_ user: UserID, app: AppID) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM accounts WHERE app_id = $1 AND user_id = $2 LIMIT 1",
            app,
            user,
            as: Int.self
        ) != nil
    }

    fileprivate func contacts(of user: UserID, app: AppID) throws -> [UserContact] {
        try connection.all(
            """
            SELECT \(ContactColumn.list) FROM devices WHERE app_id = $1 AND user_id = $2 AND token IS NOT NULL
            UNION ALL
            SELECT d.public_id, t.push_type, t.tenant, t.state, t.token, d.created_at, d.registered_at, d.number
            FROM devices d JOIN call_tokens t ON t.app_id = $1 AND t.device_number = d.number
            WHERE d.app_id = $1 AND d.user_id = $2
            ORDER BY 8 DESC, 2 LIMIT $3
            """,
            app,
            user,
            UserRepository.contactLimit
        ) { (row: SQLRow<ContactColumn>) in
            let tenant: String = try row[.tenant]
            return UserContact(
                device: try row[.publicID],
                pushType: try row[.pushType],
                tenant: tenant.isEmpty ? nil : tenant,
                tokenState: try row[.tokenState] ?? .none,
                token: try row[.token],
                createdAt: try row[.createdAt],
                registeredAt: try row[.registeredAt]
            )
        }
    }

    func namedTags(of user: UserID, app: AppID) throws -> [CarillonOperatorModel.Tag] {
        var named: [CarillonOperatorModel.Tag] = []
        for found in try connection.tags.tags(of: user, app: app) {
            if let tag = try connection.tags.tag(found.id, app: app) { named.append(tag) }
        }
        return named.sorted { $0.id < $1.id }
    }
}

/// The columns of `invalid_tokens` that are shown.
enum ListedTokenColumn: Int, SQLColumn {
    case at, deviceNumber, pushType, campaignID, invalidSince, token, publicID, tenant, userID, reason
}

extension ListedInvalidToken {
    init(row: SQLRow<ListedTokenColumn>) throws {
        let position = InvalidTokenQuery.Position(
            at: try row[.at],
            device: try row[.deviceNumber],
            pushType: try row[.pushType]
        )
        var entry = InvalidToken(
            device: try row[.publicID],
            pushType: position.pushType,
            reason: try row[.reason],
            at: position.at
        )
        entry.campaign = try row[.campaignID]
        entry.invalidSince = try row[.invalidSince]
        entry.token = try row[.token]
        let tenant: String = try row[.tenant]
        entry.tenant = tenant.isEmpty ? nil : tenant
        entry.user = (try row[.userID] as String?).flatMap(UserID.init(rawValue:))
        self.init(position: position, entry: entry)
    }
}
