import CarillonEngine
import CarillonModel

/// Which lines of a batch are not plain: they name a token, a Device or a User that is known, or that another line names
/// too.
struct KnownLines {
    private var isKnown: [Bool]

    init(_ lines: [ImportedDevice], app: AppID, _ connection: any SQLConnection) throws(StoreError) {
        isKnown = zip(lines, RepeatedLines(lines).isRepeated).map { line, isRepeated in isRepeated || !line.isSimple }
        if let connection = connection as? PostgreSQLConnection {
            for place in try PostgreSQLDevices(connection: connection).known(lines, app: app) { isKnown[place] = true }
        } else {
            for place in lines.indices where !isKnown[place] {
                isKnown[place] = try connection.knows(lines[place], app: app)
            }
        }
    }

    /// Whether a line can be written together with others.
    func isPlain(_ place: Int) -> Bool { !isKnown[place] }
}

extension SQLConnection {
    fileprivate func knows(_ line: ImportedDevice, app: AppID) throws(StoreError) -> Bool {
        let prefix = Array(line.token.bytes.prefix(8))
        let token = try first(
            "SELECT 1 FROM devices WHERE app_id = $1 AND substr(token, 1, 8) = $2 AND token = $3 LIMIT 1",
            app,
            prefix,
            line.token
        ) { _ in true }
        if token != nil { return true }
        if let device = line.device {
            let known = try first("SELECT 1 FROM devices WHERE app_id = $1 AND public_id = $2", app, device) { _ in true
            }
            if known != nil { return true }
        }
        guard let user = line.registration.user else { return false }
        let known = try first(
            """
            SELECT 1 FROM devices WHERE app_id = $1 AND user_id = $2
            UNION ALL SELECT 1 FROM user_tags WHERE app_id = $1 AND user_id = $2 LIMIT 1
            """,
            app,
            user
        ) { _ in true }
        return known != nil
    }

    /// Writes Devices of which nothing is known yet, with their labels.
    ///
    /// - Parameters:
    ///   - rows: The Devices.
    ///   - haveTags: Whether their tags are kept already.
    /// - Throws: ``StoreError``.
    func insertImported(_ rows: [DeviceRow], haveTags: Bool) throws(StoreError) {
        guard !rows.isEmpty else { return }
        if let connection = self as? PostgreSQLConnection {
            try PostgreSQLDevices(connection: connection).insert(rows)
        } else {
            for row in rows { try insertDevice(row) }
            if !haveTags {
                // In the order of the key, pages are written once for many rows.
                try insertTags(rows.importedTags, app: rows[0].app)
            }
        }
        for row in rows {
            guard let categories = row.registration.categories else { continue }
            try addCategories(categories, to: row.number, app: row.app, at: row.registeredAt)
        }
    }

    /// Writes tags of new Devices; it is fast in the order of the key.
    func insertTags(_ tags: [ImportedTag], app: AppID) throws(StoreError) {
        let insert = try prepare(
            "INSERT INTO device_tags (app_id, tag, device_number, facets) VALUES ($1, $2, $3, $4)"
        )
        insert.bind(app.rawValue, at: 1)
        for tag in tags {
            insert.bind(tag.tag, at: 2)
            insert.bind(tag.device.rawValue, at: 3)
            insert.bind(tag.facets.rawValue, at: 4)
            try insert.run()
        }
    }
}

extension [DeviceRow] {
    /// The tags of all of them, in order.
    var importedTags: [ImportedTag] {
        flatMap { row in
            let facets = row.registration.facets
            return row.tags.numbers.map { ImportedTag(tag: $0, device: row.number, facets: facets) }
        }
        .sorted()
    }
}
