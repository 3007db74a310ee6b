import CarillonEngine
import CarillonModel
import CarillonSQL

/// Tokens with what their Devices registered.
extension DeviceRepository {
    func tokens(
        app: AppID,
        _ token: DeviceToken,
        tenant: String?
    ) async throws(StoreError) -> [RegisteredToken] {
        try await database.read { connection in
            try connection.devices.tokens(app: app, token, tenant: tenant).filter { $0.token == token }
        }
    }

    func tokens(app: AppID, of user: UserID) async throws(StoreError) -> [RegisteredToken] {
        try await database.read { connection in
            try connection.all(TokenSQL.ofUser, app, user, TokenSQL.userLimit, read: RegisteredToken.tokens(row:))
                .flatMap(\.tokens)
        }
    }

    func tokens(app: AppID, of device: DeviceID) async throws(StoreError) -> [RegisteredToken] {
        try await database.read { connection in
            try connection.all(TokenSQL.ofDevice, app, device, read: RegisteredToken.tokens(row:)).flatMap(\.tokens)
        }
    }

    func tokens(
        app: AppID,
        after position: TokenPosition?,
        limit: Int
    ) async throws(StoreError) -> [RegisteredToken] {
        try await database.read { connection in
            var last: (number: DeviceNumber, token: RegisteredToken)?
            if let position {
                last = try connection.devices.rows(app: app, position.token, tenant: position.tenant)
                    .filter { $0.tokens.contains { $0.registration.user == position.user } }
                    .compactMap { row in
                        row.tokens.last { $0.token == position.token }.map { (row.number, $0) }
                    }.first
            }
            let rows = try connection.all(
                TokenSQL.ofApp,
                app,
                position?.user.rawValue ?? "",
                last?.number.rawValue ?? 0,
                limit + 1,
                read: RegisteredToken.tokens(row:)
            )
            var tokens = rows.flatMap(\.tokens)
            // The Device of the last token comes first again, with tokens that were shown.
            if let last, let index = tokens.firstIndex(of: last.token) { tokens.removeFirst(index + 1) }
            return Array(tokens.prefix(limit))
        }
    }

    func removeToken(_ removal: TokenRemoval, at now: Timestamp) async throws(StoreError) -> DeviceDeletion {
        try await database.write { connection in
            let (app, token) = (removal.app, removal.token)
            try connection.lock(.token(token, app: app))
            let held = try connection.devices.rows(app: app, token, tenant: removal.tenant)
            let meant = held.flatMap(\.tokens).filter { held in
                held.token == token && (removal.pushType ?? held.pushType) == held.pushType
            }
            guard !meant.isEmpty else { return .unknown }
            guard removal.isTrusted || !meant.contains(where: \.hasSecret) else { return .refused }
            for token in meant { try connection.devices.remove(token, app: app, at: now) }
            return .deleted
        }
    }
}

extension DeviceTable {
    fileprivate func tokens(app: AppID, _ token: DeviceToken, tenant: String?) throws -> [RegisteredToken] {
        try rows(app: app, token, tenant: tenant).flatMap(\.tokens)
    }

    /// The Devices that have a token, for notifications or for calls.
    fileprivate func rows(app: AppID, _ token: DeviceToken, tenant: String?) throws -> [TokenRow] {
        let tenant = tenant ?? ""
        let (first, last) = (token.firstBytes, token.lastBytes)
        let read = RegisteredToken.tokens(row:)
        return try connection.all(TokenSQL.ofToken, app, first, last, token, tenant, read: read)
            + connection.all(TokenSQL.ofVoIPToken, app, token, tenant, read: read)
    }

    fileprivate func remove(_ token: RegisteredToken, app: AppID, at now: Timestamp) throws {
        guard let row = try deviceRow(app: app, device: token.device) else { return }
        let left = TenantToken(token: token.token, tenant: token.registration.tenant)
        try connection.removedTokens.note(left, app: app, at: now)
        if token.pushType.isVoIP {
            try connection.voipTokens.removeCallToken(app: app, number: row.number)
        } else {
            try connection.deviceTokens.removeToken(app: app, number: row.number)
        }
        guard row.secretHash == nil else { return }
        let isEmpty = try connection.first(
            """
            SELECT 1 FROM devices d LEFT JOIN call_tokens t ON t.app_id = $1 AND t.device_number = d.number
            WHERE d.app_id = $1 AND d.number = $2 AND d.token IS NULL AND t.token IS NULL
            """,
            app,
            row.number
        ) { _ in true }
        if isEmpty != nil { try deleteDevice(row, notedAt: now) }
    }
}

/// A Device's active tokens, at most one of each kind.
private struct TokenRow {
    var number: DeviceNumber
    var tokens: [RegisteredToken]
}

/// The columns of a Device's VoIP token, and its id at another service.
private enum RegisteredTokenColumn: Int, SQLColumn {
    case voipToken, voipType, voipState, voipAt, vendorID

    var sql: String {
        switch self {
        case .voipToken: "t.token"
        case .voipType: "t.push_type"
        case .voipState: "t.state"
        case .voipAt: "t.registered_at"
        case .vendorID: "v.vendor_id"
        }
    }
}

/// The statements of tokens; each is bounded by a key and a limit.
enum TokenSQL {
    static let userLimit = 1_000

    static let ofToken: SQL = """
        SELECT \(DeviceColumn.list(of: "d")), \(RegisteredTokenColumn.list) FROM devices d
        LEFT JOIN call_tokens t ON t.app_id = $1 AND t.device_number = d.number
        LEFT JOIN vendor_device_ids v ON v.app_id = $1 AND v.public_id = d.public_id
        WHERE d.app_id = $1 AND substr(d.token, 1, 4) = $2 AND substr(d.token, length(d.token) - 3) = $3 AND d.token = $4
            AND d.tenant = $5 LIMIT 10
        """
    static let ofVoIPToken: SQL = """
        SELECT \(DeviceColumn.list(of: "d")), \(RegisteredTokenColumn.list) FROM call_tokens t
        JOIN devices d ON d.app_id = $1 AND d.number = t.device_number
        LEFT JOIN vendor_device_ids v ON v.app_id = $1 AND v.public_id = d.public_id
        WHERE t.app_id = $1 AND t.push_type IN (3, 4) AND t.token = $2 AND t.tenant = $3 LIMIT 10
        """
    static let ofUser: SQL = """
        SELECT \(DeviceColumn.list(of: "d")), \(RegisteredTokenColumn.list) FROM devices d
        LEFT JOIN call_tokens t ON t.app_id = $1 AND t.device_number = d.number
        LEFT JOIN vendor_device_ids v ON v.app_id = $1 AND v.public_id = d.public_id
        WHERE d.app_id = $1 AND d.user_id = $2 ORDER BY d.number LIMIT $3
        """
    static let ofDevice: SQL = """
        SELECT \(DeviceColumn.list(of: "d")), \(RegisteredTokenColumn.list) FROM devices d
        LEFT JOIN call_tokens t ON t.app_id = $1 AND t.device_number = d.number
        LEFT JOIN vendor_device_ids v ON v.app_id = $1 AND v.public_id = d.public_id
        WHERE d.app_id = $1 AND d.public_id = $2
        """
    static let ofApp: SQL = """
        SELECT \(DeviceColumn.list(of: "d")), \(RegisteredTokenColumn.list) FROM devices d
        LEFT JOIN call_tokens t ON t.app_id = $1 AND t.device_number = d.number
        LEFT JOIN vendor_device_ids v ON v.app_id = $1 AND v.public_id = d.public_id
        WHERE d.app_id = $1 AND d.user_id IS NOT NULL AND (d.user_id, d.number) >= ($2, $3)
            AND (d.token_state = 1 OR t.state = 1)
        ORDER BY d.user_id, d.number LIMIT $4
        """
}

extension RegisteredToken {
    fileprivate static func tokens(row: SQLRow<DeviceColumn>) throws -> TokenRow {
        let device = try DeviceRow(row: row)
        let other = row.following(RegisteredTokenColumn.self)
        var found: [RegisteredToken] = []
        func add(_ token: DeviceToken, _ pushType: PushType, at: Timestamp) throws {
            found.append(
                RegisteredToken(
                    device: device.device,
                    token: token,
                    pushType: pushType,
                    registration: device.registration,
                    consentTimes: device.consentTimes,
                    hasSecret: device.secretHash != nil,
                    vendorDeviceID: try other[.vendorID],
                    createdAt: device.createdAt,
                    registeredAt: at
                )
            )
        }
        if let token = device.registration.token, device.tokenState == .active {
            try add(token, device.registration.pushType, at: device.registeredAt)
        }
        if let token: DeviceToken = try other[.voipToken], try other[.voipState] == DeviceRecord.TokenState.active {
            try add(token, try other[.voipType], at: try other[.voipAt])
        }
        return TokenRow(number: device.number, tokens: found)
    }
}
