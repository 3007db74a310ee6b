import CarillonEngine
import CarillonModel
import CarillonSQL

/// Which lines of a batch are not plain: they name a token, a Device or a User that is known, a token that was removed, or
/// one that another line names too.
struct KnownLines {
    private var isKnown: [Bool]

    init(_ lines: [ImportedDevice], app: AppID, _ connection: any SQLConnection) throws {
        isKnown = zip(lines, RepeatedLines(lines).isRepeated).map { line, isRepeated in isRepeated || !line.isSimple }
        if let connection = connection as? PostgreSQLConnection {
            for place in try PostgreSQLDevices(connection: connection).known(lines, app: app) { isKnown[place] = true }
        } else {
            for place in lines.indices where !isKnown[place] {
                isKnown[place] = try connection.imports.knows(lines[place], app: app)
            }
        }
        // After the Devices: one that is deleted meanwhile is noted before it is gone.
        let plain = lines.indices.filter { !isKnown[$0] }
        let removed = try connection.removedTokens.removed(plain.map { lines[$0].tenantToken }, app: app)
        for place in plain where removed.contains(lines[place].tenantToken) { isKnown[place] = true }
    }

    /// Whether a line can be written together with others.
    func isPlain(_ place: Int) -> Bool { !isKnown[place] }
}

extension ImportTable {
    fileprivate func knows(_ line: ImportedDevice, app: AppID) throws -> Bool {
        let token = try connection.first(
            """
            SELECT 1 FROM devices
            WHERE app_id = $1 AND substr(token, 1, 4) = $2 AND substr(token, length(token) - 3) = $3 AND token = $4 LIMIT 1
            """,
            app,
            line.token.firstBytes,
            line.token.lastBytes,
            line.token
        ) { _ in true }
        if token != nil { return true }
        if let device = line.device {
            let known = try connection.first("SELECT 1 FROM devices WHERE app_id = $1 AND public_id = $2", app, device)
            { _ in true
            }
            if known != nil { return true }
        }
        guard let user = line.registration.user else { return false }
        let known = try connection.first(
            """
            SELECT 1 FROM devices WHERE app_id = $1 AND user_id = $2
            UNION ALL SELECT 1 FROM user_tags WHERE app_id = $1 AND user_id = $2 LIMIT 1
            """,
            app,
            user
        ) { _ in true }
        return known != nil
    }
}
