package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension CampaignRepository {
    package func contentRules(of app: AppID) async throws(StoreError) -> AppContentRules? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT \(AppContentColumn.list(through: .guardsKeys)), k.app_id FROM apps a
                LEFT JOIN push_keys k ON k.app_id = $1 WHERE a.id = $1
                """,
                app,
                read: AppContentRules.init(row:)
            )
        }
    }

    package func templateMessage(_ id: TemplateID, of app: AppID) async throws(StoreError) -> Message? {
        try await database.read { connection in
            let message = try connection.first(
                "SELECT message FROM templates WHERE app_id = $1 AND id = $2",
                app,
                id,
                as: JSONColumn<Message>.self
            )
            return message?.value
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

    package func newestDevices(of app: AppID, limit: Int) async throws(StoreError) -> [DeviceNumber] {
        try await database.read { connection in
            try connection.all(
                "SELECT number FROM devices WHERE app_id = $1 ORDER BY number DESC LIMIT $2",
                app,
                limit,
                as: DeviceNumber.self
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

/// The columns of `apps` that say what its Campaigns may send, behind them the App's id if it has a push key.
private enum AppContentColumn: Int, SQLColumn {
    case dialect, adRule, adPosition, payloadLimit, personalMessages, identity, sendingPausedAt
    case confirmAbove, approveAbove, holdSeconds, guardsKeys, keyOwner
}

extension AppContentRules {
    fileprivate init(row: SQLRow<AppContentColumn>) throws {
        let (key, identity): (AppID?, App.Identity) = (try row[.keyOwner], try row[.identity])
        self.init(
            dialect: try row[.dialect],
            adRule: try row[.adRule],
            adWordPosition: try row[.adPosition],
            payloadLimit: try row[.payloadLimit],
            hasPushKey: key != nil,
            allowsPersonalMessages: try row[.personalMessages] || identity != .open
        )
        isSendingPaused = try row[.sendingPausedAt] as Timestamp? != nil
        sendGuards.confirmAbove = try row[.confirmAbove]
        sendGuards.approveAbove = try row[.approveAbove]
        sendGuards.hold = try row[.holdSeconds]
        sendGuards.appliesToKeys = try row[.guardsKeys]
    }
}
