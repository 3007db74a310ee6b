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
            guard !contacts.isEmpty || !attributes.attributes.isEmpty || !tags.isEmpty else { return nil }
            return UserRecord(user: user, tags: tags, attributes: attributes.attributes, contacts: contacts)
        }
    }

    func invalidTokens(
        app: AppID,
        _ query: InvalidTokenQuery
    ) async throws(StoreError) -> [ListedInvalidToken] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT at, device_number, push_type, campaign_id, invalid_since, token, public_id, tenant, user_id,
                    reason
                FROM invalid_tokens
                WHERE app_id = $1 AND at >= $2 AND at < $3 AND (at, device_number, push_type) < ($4, $5, $6)
                    AND COALESCE(campaign_id, 0) = COALESCE(CAST($7 AS BIGINT), campaign_id, 0)
                ORDER BY at DESC, device_number DESC, push_type DESC LIMIT $8
                """,
                app,
                query.from,
                query.to,
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
                limit
            ) { row in (row.int64(0), row.int64(1), row.int64(2), row.int64(3)) }
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

extension UserTable {
    fileprivate func contacts(of user: UserID, app: AppID) throws -> [UserContact] {
        try connection.all(
            """
            SELECT public_id, push_type, tenant, token_state, token, created_at, registered_at, number
            FROM devices WHERE app_id = $1 AND user_id = $2 AND token IS NOT NULL
            UNION ALL
            SELECT d.public_id, t.push_type, t.tenant, t.state, t.token, d.created_at, d.registered_at, d.number
            FROM devices d JOIN call_tokens t ON t.app_id = $1 AND t.device_number = d.number
            WHERE d.app_id = $1 AND d.user_id = $2
            ORDER BY 8 DESC, 2 LIMIT $3
            """,
            app,
            user,
            UserRepository.contactLimit
        ) { row in
            UserContact(
                device: try .read(row, at: 0),
                pushType: try .read(row, at: 1),
                tenant: row.string(2).isEmpty ? nil : row.string(2),
                tokenState: DeviceRecord.TokenState(code: row.int64(3)) ?? .none,
                token: DeviceToken(bytes: row.bytes(4)),
                createdAt: Timestamp(rawValue: row.int64(5)),
                registeredAt: Timestamp(rawValue: row.int64(6))
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

extension ListedInvalidToken {
    init(row: any SQLStatement) throws {
        let position = InvalidTokenQuery.Position(
            at: Timestamp(rawValue: row.int64(0)),
            device: DeviceNumber(rawValue: row.int64(1)),
            pushType: try .read(row, at: 2)
        )
        var entry = InvalidToken(
            device: try .read(row, at: 6),
            pushType: position.pushType,
            reason: row.string(9),
            at: position.at
        )
        entry.campaign = row.optionalInt64(3).map(CampaignID.init(rawValue:))
        entry.invalidSince = row.optionalInt64(4).map(Timestamp.init(rawValue:))
        entry.token = DeviceToken(bytes: row.bytes(5))
        entry.tenant = row.string(7).isEmpty ? nil : row.string(7)
        entry.user = row.optionalString(8).flatMap(UserID.init(rawValue:))
        self.init(position: position, entry: entry)
    }
}
