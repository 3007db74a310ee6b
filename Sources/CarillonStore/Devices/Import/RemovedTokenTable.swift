import CarillonModel
import CarillonSQL
import Crypto

/// Tokens whose person has left here, in SQL on one connection.
///
/// Another service still has them for a while, and its next file would bring the person back with the consent of then.
struct RemovedTokenTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var removedTokens: RemovedTokenTable { RemovedTokenTable(connection: self) }
}

extension RemovedTokenTable {
    /// Notes that a token was removed.
    func note(_ token: DeviceToken, app: AppID, at now: Timestamp) throws {
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
    func removed(_ tokens: some Sequence<DeviceToken>, app: AppID) throws -> Set<DeviceToken> {
        let any = try connection.first("SELECT 1 FROM removed_tokens WHERE app_id = $1 LIMIT 1", app) { _ in true }
        guard any != nil else { return [] }
        guard let connection = connection as? PostgreSQLConnection else {
            return Set(try tokens.filter { try contains($0, app: app) })
        }
        let byHash = Dictionary(tokens.map { (Self.hash($0), $0) }) { first, _ in first }
        let noted = try PostgreSQLDevices(connection: connection).noted(Array(byHash.keys), app: app)
        return Set(noted.compactMap { byHash[$0] })
    }

    /// Whether a token was removed.
    func contains(_ token: DeviceToken, app: AppID) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM removed_tokens WHERE app_id = $1 AND token_hash = $2",
            app,
            Self.hash(token)
        ) { _ in true } != nil
    }

    private static func hash(_ token: DeviceToken) -> [UInt8] {
        Array(SHA256.hash(data: token.bytes).prefix(16))
    }
}
