import CarillonModel
import CarillonSQL
import Crypto

/// Tokens whose person has left here, in SQL on one connection.
///
/// Another service still has them for a while, and its next file would bring the person back with the consent of then. A file
/// that says that the person consents since a later time does bring them back.
struct RemovedTokenTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var removedTokens: RemovedTokenTable { RemovedTokenTable(connection: self) }
}

/// A token as it was registered: a person may have left one tenant and be in another.
struct TenantToken: Hashable {
    var token: DeviceToken
    /// `nil` when the App has none.
    var tenant: String?
}

extension RemovedTokenTable {
    /// Notes that a token was removed.
    func note(_ token: TenantToken, app: AppID, at now: Timestamp) throws {
        try connection.send(
            """
            INSERT INTO removed_tokens (app_id, token_hash, removed_at) VALUES ($1, $2, $3)
            ON CONFLICT (app_id, token_hash) DO UPDATE SET removed_at = excluded.removed_at
            """,
            app,
            Self.hash(token),
            now
        )
    }

    /// Which of some tokens were removed; usually an App has none, and one look tells.
    func removed(_ tokens: some Sequence<TenantToken>, app: AppID) throws -> Set<TenantToken> {
        let any = try connection.first("SELECT 1 FROM removed_tokens WHERE app_id = $1 LIMIT 1", app) { _ in true }
        guard any != nil else { return [] }
        guard let connection = connection as? PostgreSQLConnection else {
            return Set(try tokens.filter { try removal(of: $0, app: app) != nil })
        }
        let byHash = Dictionary(tokens.map { (Self.hash($0), $0) }) { first, _ in first }
        let noted = try PostgreSQLDevices(connection: connection).noted(Array(byHash.keys), app: app)
        return Set(noted.compactMap { byHash[$0] })
    }

    /// When a token was removed; `nil` when it was not.
    func removal(of token: TenantToken, app: AppID) throws -> Timestamp? {
        try connection.first(
            "SELECT removed_at FROM removed_tokens WHERE app_id = $1 AND token_hash = $2",
            app,
            Self.hash(token),
            as: Timestamp.self
        )
    }

    /// Without a tenant it is the hash of the token alone.
    private static func hash(_ token: TenantToken) -> [UInt8] {
        var bytes = token.token.bytes
        // A token has at most 100 bytes: no other one with its tenant has the same.
        if let tenant = token.tenant, !tenant.isEmpty { bytes = [UInt8(bytes.count)] + bytes + Array(tenant.utf8) }
        return Array(SHA256.hash(data: bytes).prefix(16))
    }
}
