import CarillonEngine
import CarillonModel
import Foundation

/// A batch of imported Devices in PostgreSQL: a statement for all of them, where one a row would take a round trip each.
struct PostgreSQLDevices {
    let connection: any SQLConnection

    /// Which lines name a token, a Device or a User that is known.
    ///
    /// - Returns: Their places.
    func known(_ lines: [ImportedDevice], app: AppID) throws(StoreError) -> [Int] {
        var places: [Int] = []
        let statement = try connection.prepare(Self.knownLines)
        statement.bind(app.rawValue, at: 1)
        statement.bind(ArrayText.bytes(lines) { $0.token.bytes }, at: 2)
        statement.bind(ArrayText.bytes(lines) { $0.device?.bytes }, at: 3)
        statement.bind(ArrayText.texts(lines) { $0.registration.user?.rawValue }, at: 4)
        while try statement.next() { places.append(statement.int(0) - 1) }
        return places
    }

    /// Writes rows of which nothing is known, with their tags.
    func insert(_ rows: [DeviceRow]) throws(StoreError) {
        guard let first = rows.first else { return }
        let statement = try connection.prepare(Self.devices)
        statement.bind(first.app.rawValue, at: 1)
        statement.bind(first.registeredAt.rawValue, at: 2)
        statement.bind(ArrayText.numbers(rows) { $0.number.rawValue }, at: 3)
        statement.bind(ArrayText.numbers(rows) { Int64(ConsentBits($0.registration.consent).rawValue) }, at: 4)
        statement.bind(ArrayText.numbers(rows) { $0.registration.pushType.code }, at: 5)
        statement.bind(ArrayText.bytes(rows) { $0.registration.token?.bytes }, at: 6)
        statement.bind(ArrayText.bytes(rows) { $0.device.bytes }, at: 7)
        statement.bind(ArrayText.texts(rows) { $0.registration.tenant ?? "" }, at: 8)
        statement.bind(ArrayText.texts(rows) { $0.tags.stored }, at: 9)
        statement.bind(ArrayText.texts(rows) { $0.registration.user?.rawValue }, at: 10)
        statement.bind(ArrayText.texts(rows) { $0.registration.language }, at: 11)
        statement.bind(ArrayText.texts(rows) { $0.registration.country }, at: 12)
        statement.bind(ArrayText.texts(rows) { $0.registration.timeZone }, at: 13)
        statement.bind(ArrayText.texts(rows) { $0.registration.appVersion }, at: 14)
        statement.bind(ArrayText.texts(rows) { $0.registration.osVersion }, at: 15)
        statement.bind(ArrayText.texts(rows) { $0.registration.model }, at: 16)
        statement.bind(ArrayText.texts(rows) { $0.registration.sdkVersion }, at: 17)
        let categories = try rows.map { row throws(StoreError) in
            try row.registration.categories.map { categories throws(StoreError) in try categories.stored() }
        }
        statement.bind(ArrayText.texts(categories) { $0 }, at: 18)
        try statement.run()
        try insertTags(rows, app: first.app)
    }

    private func insertTags(_ rows: [DeviceRow], app: AppID) throws(StoreError) {
        var pairs = rows.flatMap { row in row.tags.numbers.map { ($0, row.number.rawValue) } }
        guard !pairs.isEmpty else { return }
        pairs.sort { $0 < $1 }
        let statement = try connection.prepare(
            """
            INSERT INTO device_tags (app_id, tag, device_number)
            SELECT $1, u.tag, u.number FROM unnest(CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[])) AS u (tag, number)
            """
        )
        statement.bind(app.rawValue, at: 1)
        statement.bind(ArrayText.numbers(pairs) { $0.0 }, at: 2)
        statement.bind(ArrayText.numbers(pairs) { $0.1 }, at: 3)
        try statement.run()
    }

    private static let knownLines: SQL = """
        WITH lines AS (
            SELECT u.place, u.token, u.device, u.user_id
            FROM unnest(CAST($2 AS BYTEA[]), CAST($3 AS BYTEA[]), CAST($4 AS TEXT[]))
                WITH ORDINALITY AS u (token, device, user_id, place)
        )
        SELECT place FROM lines l WHERE
            EXISTS (SELECT 1 FROM devices d
                WHERE d.app_id = $1 AND substr(d.token, 1, 8) = substr(l.token, 1, 8) AND d.token = l.token)
            OR EXISTS (SELECT 1 FROM devices d WHERE d.app_id = $1 AND d.public_id = l.device)
            OR EXISTS (SELECT 1 FROM devices d WHERE d.app_id = $1 AND d.user_id = l.user_id)
            OR EXISTS (SELECT 1 FROM user_tags t WHERE t.app_id = $1 AND t.user_id = l.user_id)
        """

    private static let devices: SQL = """
        INSERT INTO devices (app_id, number, consent, push_type, token_state, registered_at, created_at, token,
            public_id, tenant, tags, user_id, language, country, time_zone, app_version, os_version, model, sdk_version,
            categories)
        SELECT $1, u.number, u.consent, u.push_type, 1, $2, $2, u.token, u.public_id, u.tenant, u.tags, u.user_id,
            u.language, u.country, u.time_zone, u.app_version, u.os_version, u.model, u.sdk_version, u.categories
        FROM unnest(CAST($3 AS BIGINT[]), CAST($4 AS SMALLINT[]), CAST($5 AS SMALLINT[]), CAST($6 AS BYTEA[]),
            CAST($7 AS BYTEA[]), CAST($8 AS TEXT[]), CAST($9 AS TEXT[]), CAST($10 AS TEXT[]), CAST($11 AS TEXT[]),
            CAST($12 AS TEXT[]), CAST($13 AS TEXT[]), CAST($14 AS TEXT[]), CAST($15 AS TEXT[]), CAST($16 AS TEXT[]),
            CAST($17 AS TEXT[]), CAST($18 AS TEXT[]))
            AS u (number, consent, push_type, token, public_id, tenant, tags, user_id, language, country, time_zone,
                app_version, os_version, model, sdk_version, categories)
        """
}

extension DeviceID {
    var bytes: [UInt8] { withUnsafeBytes(of: rawValue.uuid) { Array($0) } }
}

/// PostgreSQL's text form of arrays.
private enum ArrayText {
    private static let digits = Array("0123456789abcdef".utf8)

    static func numbers<Row>(_ rows: [Row], _ number: (Row) -> Int64) -> String {
        join(rows) { row, text in text.append(contentsOf: String(number(row)).utf8) }
    }

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
