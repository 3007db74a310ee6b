package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL
import Foundation

extension DeliveryRepository {
    package func personalValues(
        of fields: [PersonalField],
        for devices: [DeviceNumber],
        in campaign: CampaignID?,
        app: AppID
    ) async throws(StoreError) -> PersonalValues {
        try await database.read { connection in
            try connection.deliveries.personalValues(of: fields, for: devices, in: campaign, app: app)
        }
    }
}

/// What is read of a Device, `d`; times come last.
enum PersonalColumn: Int, SQLColumn {
    case number, userID, language, country, timeZone, appVersion, osVersion, model, notificationsSince, adsSince
    case nightAdsSince

    fileprivate var isTime: Bool { rawValue >= Self.notificationsSince.rawValue }
}

/// What is read of an attribute, `a`, of a Device's User.
enum PersonalAttributeColumn: Int, SQLColumn {
    case deviceNumber, name, kind, text, number, whole

    var sql: String { self == .deviceNumber ? "d.number" : name }
}

/// The statements that read what Devices have of their own; all find every row by its key.
///
/// The numbers come as one parameter, a JSON array: one statement serves any number of Devices.
package enum PersonalSQL {
    static let devices: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT \(PersonalColumn.list(of: "d"))
        FROM json_each($1) n CROSS JOIN devices d ON d.app_id = $2 AND d.number = n.value
        """,
        """
        SELECT \(PersonalColumn.list(of: "d"))
        FROM json_array_elements_text(CAST($1 AS json)) n
        CROSS JOIN LATERAL (SELECT * FROM devices x WHERE x.app_id = $2 AND x.number = CAST(n.value AS BIGINT) LIMIT 1) d
        """
    )
    static let attributes: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT \(PersonalAttributeColumn.list(of: "a"))
        FROM json_each($1) n CROSS JOIN devices d ON d.app_id = $2 AND d.number = n.value
        CROSS JOIN json_each($3) w
        CROSS JOIN user_attributes a ON a.app_id = $2 AND a.user_id = d.user_id AND a.name = w.value
        """,
        """
        SELECT \(PersonalAttributeColumn.list(of: "a"))
        FROM json_array_elements_text(CAST($1 AS json)) n
        CROSS JOIN LATERAL (
            SELECT x.number, x.user_id FROM devices x WHERE x.app_id = $2 AND x.number = CAST(n.value AS BIGINT)
            LIMIT 1) d
        CROSS JOIN json_array_elements_text(CAST($3 AS json)) w
        CROSS JOIN LATERAL (
            SELECT * FROM user_attributes x WHERE x.app_id = $2 AND x.user_id = d.user_id AND x.name = w.value
            LIMIT 1) a
        """
    )

    static let badges: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT \(BadgeColumn.list(of: "b"))
        FROM json_each($1) n CROSS JOIN device_badges b ON b.app_id = $2 AND b.device_number = n.value
        """,
        """
        SELECT \(BadgeColumn.list(of: "b"))
        FROM json_array_elements_text(CAST($1 AS json)) n
        CROSS JOIN LATERAL (
            SELECT * FROM device_badges x WHERE x.app_id = $2 AND x.device_number = CAST(n.value AS BIGINT)
            LIMIT 1) b
        """
    )

    /// All on SQLite, for a test of how they find their rows.
    package static let reading: [SQL] = [devices.sqlite, attributes.sqlite, badges.sqlite]
}

extension DeliveryTable {
    /// Looks up fields of Devices and of their Users.
    func personalValues(
        of fields: [PersonalField],
        for devices: [DeviceNumber],
        in campaign: CampaignID?,
        app: AppID
    ) throws -> PersonalValues {
        var values = PersonalValues(fields: fields, devices: devices)
        let numbers = "[" + values.devices.map { String($0.rawValue) }.joined(separator: ",") + "]"
        try readDevices(&values, numbers, app)
        try readAttributes(&values, numbers, app)
        try readBadges(&values, numbers, app)
        if let campaign, fields.contains(where: \.isOfRecipient) {
            try connection.recipients.readRecipientValues(&values, numbers, in: campaign, app: app)
        }
        return values
    }

    private func readDevices(
        _ values: inout PersonalValues,
        _ numbers: String,
        _ app: AppID
    ) throws {
        let columns = values.fields.enumerated().compactMap { place, field in field.column.map { (place, $0) } }
        guard !columns.isEmpty else { return }
        let statement = try connection.prepare(
            connection.dialect.pick(sqlite: PersonalSQL.devices.sqlite, postgreSQL: PersonalSQL.devices.postgreSQL)
        )
        defer { statement.reset() }
        statement.bind(numbers, at: 1)
        statement.bind(app.rawValue, at: 2)
        var dates = LocalDates()
        while try statement.next() {
            let device = DeviceNumber(rawValue: statement.int64(PersonalColumn.number.rawValue))
            for (place, column) in columns {
                if !column.isTime {
                    values.set(statement.bytes(column.rawValue), at: place, of: device)
                } else if let time = statement.optionalInt64(column.rawValue) {
                    let zone = statement.optionalString(PersonalColumn.timeZone.rawValue)
                    values.set(dates.text(Timestamp(rawValue: time), in: zone).utf8, at: place, of: device)
                }
            }
        }
    }

    private func readBadges(
        _ values: inout PersonalValues,
        _ numbers: String,
        _ app: AppID
    ) throws {
        guard let place = values.fields.firstIndex(of: .badge) else { return }
        let statement = try connection.prepare(
            connection.dialect.pick(sqlite: PersonalSQL.badges.sqlite, postgreSQL: PersonalSQL.badges.postgreSQL)
        )
        defer { statement.reset() }
        statement.bind(numbers, at: 1)
        statement.bind(app.rawValue, at: 2)
        while try statement.next() {
            let device = DeviceNumber(rawValue: statement.int64(BadgeColumn.deviceNumber.rawValue))
            values.set("\(statement.int64(BadgeColumn.badge.rawValue))".utf8, at: place, of: device)
        }
    }

    private func readAttributes(
        _ values: inout PersonalValues,
        _ numbers: String,
        _ app: AppID
    ) throws {
        var places: [String: Int] = [:]
        for (place, field) in values.fields.enumerated() {
            if case .attribute(let name) = field { places[name] = place }
        }
        guard !places.isEmpty else { return }
        let statement = try connection.prepare(
            connection.dialect.pick(
                sqlite: PersonalSQL.attributes.sqlite,
                postgreSQL: PersonalSQL.attributes.postgreSQL
            )
        )
        defer { statement.reset() }
        statement.bind(numbers, at: 1)
        statement.bind(app.rawValue, at: 2)
        // Names are letters, digits, dots, underscores and hyphens: none needs an escape.
        statement.bind("[" + places.keys.map { "\"\($0)\"" }.joined(separator: ",") + "]", at: 3)
        while try statement.next() {
            guard let place = places[statement.string(PersonalAttributeColumn.name.rawValue)] else { continue }
            let device = DeviceNumber(rawValue: statement.int64(PersonalAttributeColumn.deviceNumber.rawValue))
            let value = try JSONValue(attribute: statement, from: PersonalAttributeColumn.kind.rawValue)
            if let value = value.plainText { values.set(value.utf8, at: place, of: device) }
        }
    }
}

extension PersonalField {
    /// Where a Device's row has it; `nil` for what the row does not have.
    fileprivate var column: PersonalColumn? {
        switch self {
        case .attribute, .value, .recipient, .badge: nil
        case .user: .userID
        case .device(.language): .language
        case .device(.country): .country
        case .device(.timeZone): .timeZone
        case .device(.appVersion): .appVersion
        case .device(.osVersion): .osVersion
        case .device(.model): .model
        case .consent(.notifications): .notificationsSince
        case .consent(.ads): .adsSince
        case .consent(.nightAds): .nightAdsSince
        }
    }
}

/// Times by the wall clock of a place: `2026-11-21 17:05`, or `2026-11-21 08:05 UTC` where the place is not known.
private struct LocalDates {
    private var zones: [String: TimeZone?] = [:]

    mutating func text(_ time: Timestamp, in name: String?) -> String {
        guard let zone = name.flatMap({ zone($0) }) else { return Self.text(time, offset: 0) + " UTC" }
        let date = Date(timeIntervalSince1970: Double(time.rawValue / 1_000))
        return Self.text(time, offset: zone.secondsFromGMT(for: date))
    }

    private mutating func zone(_ name: String) -> TimeZone? {
        if let known = zones[name] { return known }
        let zone = TimeZone(identifier: name)
        zones[name] = .some(zone)
        return zone
    }

    /// The text form of a time begins with date and time of day, in UTC.
    private static func text(_ time: Timestamp, offset: Int) -> String {
        let local = Timestamp(rawValue: time.rawValue + 1_000 * Int64(offset)).description
        return local.prefix(10) + " " + local.dropFirst(11).prefix(5)
    }
}
