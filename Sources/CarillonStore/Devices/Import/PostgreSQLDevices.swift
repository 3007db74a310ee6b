import CarillonEngine
import CarillonModel
import CarillonSQL
import Foundation

/// A batch of imported Devices in PostgreSQL: a command for all of them, where one a row would take a round trip each.
struct PostgreSQLDevices {
    let connection: PostgreSQLConnection

    /// Which lines name a token, a Device or a User that is known.
    ///
    /// - Returns: Their places.
    func known(_ lines: [ImportedDevice], app: AppID) throws -> [Int] {
        let ordinals = try connection.all(
            Self.knownLines,
            app,
            ArrayText.bytes(lines) { $0.token.bytes },
            ArrayText.bytes(lines) { $0.device?.bytes },
            ArrayText.texts(lines) { $0.registration.user?.rawValue },
            as: Int.self
        )
        return ordinals.map { $0 - 1 }
    }

    /// Which hashes are those of removed tokens.
    func noted(_ hashes: [[UInt8]], app: AppID) throws -> [[UInt8]] {
        try connection.all(Self.notedHashes, app, ArrayText.bytes(hashes) { $0 }, as: [UInt8].self)
    }

    /// Writes rows of which nothing is known, with their tags.
    func insert(
        _ rows: some Collection<DeviceRow>,
        _ tags: some Collection<ImportedTag>,
        app: AppID
    ) throws {
        guard !rows.isEmpty else { return }
        var copied = CopiedRows(fieldCount: Self.columnCount, capacity: rows.count * 320)
        for row in rows { try copied.add(row) }
        try connection.copy(Self.copyDevices, copied)
        try insert(tags, app: app)
    }

    private func insert(_ tags: some Collection<ImportedTag>, app: AppID) throws {
        guard !tags.isEmpty else { return }
        var copied = CopiedRows(fieldCount: 4, capacity: tags.count * 52)
        for tag in tags {
            copied.beginRow()
            copied.add(app.rawValue)
            copied.add(tag.tag)
            copied.add(tag.device.rawValue)
            copied.add(tag.facets.rawValue)
        }
        try connection.copy(Self.copyTags, copied)
    }

    private static let copyTags = "COPY device_tags (app_id, tag, device_number, facets) FROM STDIN (FORMAT binary)"

    /// In the order of ``CopiedRows/add(_:)-(DeviceRow)``.
    private static let copyDevices = """
        COPY devices (app_id, number, consent, push_type, token_state, registered_at, created_at, token, public_id,
            tenant, tags, user_id, language, country, time_zone, app_version, os_version, model, sdk_version, categories,
            notifications_since, ads_since, night_ads_since)
        FROM STDIN (FORMAT binary)
        """
    private static let columnCount: Int16 = 23

    private static let notedHashes: SQL = """
        SELECT u.hash FROM unnest(CAST($2 AS BYTEA[])) AS u (hash) WHERE
            EXISTS (SELECT 1 FROM removed_tokens r WHERE r.app_id = $1 AND r.token_hash = u.hash OFFSET 0)
        """

    // With an offset PostgreSQL looks each line up; without, it may read all Devices of the App into memory first.
    private static let knownLines: SQL = """
        WITH lines AS (
            SELECT u.place, u.token, u.device, u.user_id
            FROM unnest(CAST($2 AS BYTEA[]), CAST($3 AS BYTEA[]), CAST($4 AS TEXT[]))
                WITH ORDINALITY AS u (token, device, user_id, place)
        )
        SELECT place FROM lines l WHERE
            EXISTS (SELECT 1 FROM devices d
                WHERE d.app_id = $1 AND substr(d.token, 1, 4) = substr(l.token, 1, 4)
                    AND substr(d.token, length(d.token) - 3) = substr(l.token, length(l.token) - 3)
                    AND d.token = l.token
                OFFSET 0)
            OR EXISTS (SELECT 1 FROM devices d WHERE d.app_id = $1 AND d.public_id = l.device OFFSET 0)
            OR EXISTS (SELECT 1 FROM devices d WHERE d.app_id = $1 AND d.user_id = l.user_id OFFSET 0)
            OR EXISTS (SELECT 1 FROM user_tags t WHERE t.app_id = $1 AND t.user_id = l.user_id OFFSET 0)
        """
}

extension CopiedRows {
    fileprivate mutating func add(_ row: DeviceRow) throws {
        beginRow()
        add(row.app.rawValue)
        add(row.number.rawValue)
        add(small: Int64(ConsentBits(row.registration.consent).rawValue))
        add(small: row.registration.pushType.code)
        add(small: row.tokenState.code)
        add(row.registeredAt.rawValue)
        add(row.createdAt.rawValue)
        add(row.registration.token?.bytes)
        add(row.device.bytes)
        add(row.registration.tenant ?? "")
        add(row.tags.stored)
        add(row.registration.user?.rawValue)
        add(row.registration.language)
        add(row.registration.country)
        add(row.registration.timeZone)
        add(row.registration.appVersion)
        add(row.registration.osVersion)
        add(row.registration.model)
        add(row.registration.sdkVersion)
        add(try row.registration.categories.map { categories in try categories.stored() })
        add(row.consentTimes.notifications?.rawValue)
        add(row.consentTimes.ads?.rawValue)
        add(row.consentTimes.nightAds?.rawValue)
    }
}

/// PostgreSQL's text form of arrays.
enum ArrayText {
    private static let digits = Array("0123456789abcdef".utf8)

    static func bytes<Row>(_ rows: [Row], _ bytes: (Row) -> [UInt8]?) -> String {
        join(rows) { row, text in
            guard let bytes = bytes(row) else { return text.append(contentsOf: "NULL".utf8) }
            text.append(contentsOf: "\"\\\\x".utf8)
            for byte in bytes {
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
            text.append(UInt8(ascii: "\""))
        }
    }

    static func texts<Row>(_ rows: [Row], _ value: (Row) -> String?) -> String {
        join(rows) { row, text in
            guard let value = value(row) else { return text.append(contentsOf: "NULL".utf8) }
            text.append(UInt8(ascii: "\""))
            for byte in value.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
                text.append(byte)
            }
            text.append(UInt8(ascii: "\""))
        }
    }

    private static func join<Row>(_ rows: [Row], _ add: (Row, inout [UInt8]) -> Void) -> String {
        var text: [UInt8] = [UInt8(ascii: "{")]
        text.reserveCapacity(rows.count * 24)
        for (place, row) in rows.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            add(row, &text)
        }
        text.append(UInt8(ascii: "}"))
        return String(decoding: text, as: UTF8.self)
    }
}
