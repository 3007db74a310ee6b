package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension CampaignRepository {
    package func contentRules(of app: AppID) async throws(StoreError) -> AppContentRules? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT a.dialect, a.ad_rule, a.ad_position, a.payload_limit, k.app_id,
                    a.personal_messages, a.identity
                FROM apps a LEFT JOIN push_keys k ON k.app_id = $1 WHERE a.id = $1
                """,
                app
            ) { row in
                AppContentRules(
                    dialect: try .read(row, at: 0),
                    adRule: try .read(row, at: 1),
                    adWordPosition: try .read(row, at: 2),
                    payloadLimit: row.optionalInt64(3).map(Int.init),
                    hasPushKey: !row.isNull(4),
                    allowsPersonalMessages: row.bool(5) || row.string(6) != App.Identity.open.rawValue
                )
            }
        }
    }

    package func templateMessage(_ id: TemplateID, of app: AppID) async throws(StoreError) -> Message? {
        try await database.read { connection in
            try connection.first("SELECT message FROM templates WHERE app_id = $1 AND id = $2", app, id) {
                row in try JSONColumn.value(row, at: 0)
            }
        }
    }

    package func sample(_ device: DeviceID, of app: AppID) async throws(StoreError) -> SampleDevice? {
        try await database.read { connection in
            guard let stored = try connection.devices.deviceRow(app: app, device: device)?.stored else { return nil }
            return SampleDevice(
                number: stored.number,
                user: stored.registration.user,
                consent: ConsentBits(stored.registration.consent),
                language: stored.registration.language,
                timeZone: stored.registration.timeZone,
                hasToken: stored.tokenState == .active
            )
        }
    }

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
