package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

/// What the push service said of a token that was sent to.
package struct TokenRefusal: Hashable, Sendable {
    package var app: AppID
    /// Its number at the time of sending.
    package var device: DeviceNumber
    package var pushType: PushType
    /// What was sent to.
    package var token: [UInt8]
    /// The push service's word.
    package var reason: String
    /// Since when it is dead by the push service's clock; `nil` when it did not say.
    package var invalidSince: Timestamp?
    /// What was sent.
    package var campaign: CampaignID?
    package var at: Timestamp

    package init(
        app: AppID,
        device: DeviceNumber,
        pushType: PushType,
        token: [UInt8],
        reason: String,
        invalidSince: Timestamp? = nil,
        campaign: CampaignID? = nil,
        at: Timestamp
    ) {
        self.app = app
        self.device = device
        self.pushType = pushType
        self.token = token
        self.reason = reason
        self.invalidSince = invalidSince
        self.campaign = campaign
        self.at = at
    }
}

extension DeviceTokenTable {
    /// Drops a token that the push service called dead, if it is still the one that was sent to and was not registered
    /// since, and lists it.
    ///
    /// - Parameter refusal: What was said. A token whose time of registration is not known, as after an import, is
    ///   dropped in any case.
    /// - Returns: Whether it was dropped.
    /// - Throws: ``StoreError``.
    @discardableResult
    package func dropToken(_ refusal: TokenRefusal) throws -> Bool {
        let count = try connection.run(
            refusal.pushType.isVoIP
                ? """
                UPDATE call_tokens SET state = 3
                WHERE app_id = $1 AND device_number = $2 AND push_type = $3 AND token = $4 AND state <> 3
                    AND registered_at < $5
                """
                : """
                UPDATE devices SET token_state = 3
                WHERE app_id = $1 AND number = $2 AND push_type = $3 AND token = $4 AND token_state <> 3
                    AND (token_at IS NULL OR token_at < $5)
                """,
            refusal.app,
            refusal.device,
            refusal.pushType,
            refusal.token,
            refusal.invalidSince ?? Timestamp(rawValue: .max)
        )
        guard count > 0 else { return false }
        try list(refusal)
        return true
    }

    /// Lets a token wait until its Device registers it again, if it is still the one that was sent to and was not
    /// registered since, and lists it.
    ///
    /// - Parameter refusal: What was said.
    /// - Returns: Whether it waits now and did not before.
    /// - Throws: ``StoreError``.
    @discardableResult
    package func quarantineToken(_ refusal: TokenRefusal) throws -> Bool {
        let count = try connection.run(
            refusal.pushType.isVoIP
                ? """
                UPDATE call_tokens SET state = 2
                WHERE app_id = $1 AND device_number = $2 AND push_type = $3 AND token = $4 AND state = 1
                    AND registered_at <= $5
                """
                : """
                UPDATE devices SET token_state = 2
                WHERE app_id = $1 AND number = $2 AND push_type = $3 AND token = $4 AND token_state = 1
                    AND registered_at <= $5
                """,
            refusal.app,
            refusal.device,
            refusal.pushType,
            refusal.token,
            refusal.at
        )
        guard count > 0 else { return false }
        try list(refusal)
        return true
    }

    private func list(_ refusal: TokenRefusal) throws {
        try connection.run(
            """
            INSERT INTO invalid_tokens (\(RefusedTokenColumn.list))
            SELECT app_id, $1, number, $2, $3, $4, $5, public_id, tenant, user_id, $6
            FROM devices WHERE app_id = $7 AND number = $8
            ON CONFLICT (app_id, at, device_number, push_type) DO NOTHING
            """,
            refusal.at,
            refusal.pushType,
            refusal.campaign,
            refusal.invalidSince,
            refusal.token,
            refusal.reason,
            refusal.app,
            refusal.device
        )
    }
}

/// The columns of `invalid_tokens`, which lists refusals.
enum RefusedTokenColumn: Int, SQLColumn {
    case appID, at, deviceNumber, pushType, campaignID, invalidSince, token, publicID, tenant, userID, reason
}
