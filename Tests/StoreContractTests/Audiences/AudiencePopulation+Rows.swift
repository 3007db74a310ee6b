import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation

/// Rows as the registry writes them.
extension AudiencePopulation {
    /// Writes all of it into a database with a schema.
    func write(into database: any Database) async throws {
        try await database.write { connection in
            try connection.run(
                """
                INSERT INTO apps (id, name, bundle_id, identity, created_at, next_device_number)
                VALUES ($1, 'a', 'b', 'open', 0, 1000000)
                """,
                Self.app
            )
            try writeNames(connection)
            for (user, attributes) in attributes { try Self.write(attributes, of: user, connection) }
            for device in devices { try write(device, connection) }
        }
    }

    private func writeNames(_ connection: any SQLConnection) throws(StoreError) {
        for (place, tag) in tags.enumerated() {
            try connection.run(
                "INSERT INTO tags (app_id, id, name, created_at, number, updated_at) VALUES ($1, $2, $3, 0, $4, 0)",
                Self.app,
                tag.id,
                tag.name,
                place + 1
            )
        }
        for (place, label) in labels.enumerated() {
            try connection.run(
                """
                INSERT INTO category_labels (app_id, number, is_defined, created_at, dimension, label)
                VALUES ($1, $2, 1, 0, $3, $4)
                """,
                Self.app,
                place + 1,
                label.dimension,
                label.label
            )
        }
        for (campaign, occurrences) in campaigns {
            for occurrence in occurrences {
                try connection.run(
                    """
                    INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until, next_chunk,
                        slot)
                    VALUES ($1, $2, $3, 0, 0, 0, 1, $2)
                    """,
                    Self.app,
                    occurrence,
                    campaign
                )
            }
        }
    }

    private static func write(
        _ attributes: [String: JSONValue],
        of user: UserID,
        _ connection: any SQLConnection
    ) throws(StoreError) {
        for (name, value) in attributes {
            let row: (kind: Int, text: String?, number: Double?, whole: Int64?) =
                switch value {
                case .string(let text): (1, text, nil, nil)
                case .integer(let whole): (2, nil, Double(whole), whole)
                case .number(let number): (3, nil, number, nil)
                default: (4, nil, value == .bool(true) ? 1 : 0, nil)
                }
            try connection.run(
                """
                INSERT INTO user_attributes (app_id, user_id, name, kind, text, number, whole)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """,
                app,
                user,
                name,
                row.kind,
                row.text,
                row.number,
                row.whole
            )
        }
    }

    private func write(_ device: SampledDevice, _ connection: any SQLConnection) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO devices (app_id, number, public_id, user_id, consent, push_type, language, country, time_zone,
                app_version, os_version, model, categories, latitude, longitude, created_at, registered_at, tags,
                token, token_state, notifications_since, ads_since, night_ads_since)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                $22, $23)
            """,
            Self.app,
            device.number,
            device.id,
            device.user,
            Int64(device.consent.rawValue),
            device.pushType.code,
            device.language,
            device.country,
            device.timeZone,
            device.appVersion,
            device.osVersion,
            device.model,
            device.categories.map { _ in "[]" },
            device.place?.latitude,
            device.place?.longitude,
            device.createdAt,
            device.registeredAt,
            device.tags.isEmpty ? nil : device.tags.sorted().map { String($0 + 1) }.joined(separator: ","),
            Self.token(device.number),
            (device.hasToken ? DeviceRecord.TokenState.active : .dropped).code,
            device.time(.notificationsGiven),
            device.time(.adsGiven),
            device.time(.nightAdsGiven)
        )
        if device.hasCallToken {
            try connection.run(
                """
                INSERT INTO call_tokens (app_id, device_number, push_type, state, registered_at, token)
                VALUES ($1, $2, $3, 1, 0, $4)
                """,
                Self.app,
                device.number,
                PushType.apnsVoIP.code,
                Array(Self.token(device.number).reversed())
            )
        }
        try writeLabels(device, connection)
        try writeHistory(device, connection)
    }

    private static func token(_ number: Int64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init) + Array(repeating: UInt8(0), count: 24)
    }

    private func writeLabels(_ device: SampledDevice, _ connection: any SQLConnection) throws(StoreError) {
        for tag in device.tags {
            try connection.run(
                "INSERT INTO device_tags (app_id, tag, device_number, facets) VALUES ($1, $2, $3, $4)",
                Self.app,
                tag + 1,
                device.number,
                DeviceFacets(consent: device.consent, language: device.language, country: device.country).rawValue
            )
        }
        for (place, label) in labels.enumerated()
        where device.categories?[label.dimension]?.contains(label.label) == true {
            try connection.run(
                "INSERT INTO device_categories (app_id, label, device_number) VALUES ($1, $2, $3)",
                Self.app,
                place + 1,
                device.number
            )
        }
    }

    private func writeHistory(_ device: SampledDevice, _ connection: any SQLConnection) throws(StoreError) {
        for entry in device.history where entry.isDelivery {
            try connection.run(
                """
                INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
                VALUES ($1, $2, $3, 1, $4, 0, 0)
                """,
                Self.app,
                entry.occurrence,
                device.number,
                Delivery.Outcome.accepted.code
            )
        }
        for entry in device.history where !entry.isDelivery {
            try connection.run(
                """
                INSERT INTO events (app_id, occurrence_id, device_number, kind, action, occurred_at)
                VALUES ($1, $2, $3, $4, $5, 0)
                """,
                Self.app,
                entry.occurrence,
                device.number,
                entry.kind.code,
                entry.action
            )
        }
    }
}
