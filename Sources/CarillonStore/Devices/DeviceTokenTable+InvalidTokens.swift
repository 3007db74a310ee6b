package import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension DeviceTokenTable {
    /// Drops a token that the push service called dead, if it is still the one that was sent to and was not registered
    /// since, and lists it.
    ///
    /// - Parameters:
    ///   - verdict: What was said. A token whose time of registration is not known, as after an import, is dropped in
    ///     any case.
    ///   - set: The verdicts that it is one of.
    /// - Returns: Whether it was dropped.
    /// - Throws: ``StoreError``.
    @discardableResult
    package func dropToken(_ verdict: ChunkCommit.TokenVerdict, of set: TokenVerdicts) throws -> Bool {
        let count = try connection.run(
            verdict.pushType.isVoIP
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
            set.app,
            verdict.device,
            verdict.pushType,
            verdict.token,
            verdict.since ?? Timestamp(rawValue: .max)
        )
        guard count > 0 else { return false }
        try list(verdict, of: set)
        return true
    }

    /// Lets a token wait until its Device registers it again, if it is still the one that was sent to and was not
    /// registered since, and lists it.
    ///
    /// - Parameters:
    ///   - verdict: What was said.
    ///   - set: The verdicts that it is one of.
    /// - Returns: Whether it waits now and did not before.
    /// - Throws: ``StoreError``.
    @discardableResult
    package func quarantineToken(_ verdict: ChunkCommit.TokenVerdict, of set: TokenVerdicts) throws -> Bool {
        let count = try connection.run(
            verdict.pushType.isVoIP
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
            set.app,
            verdict.device,
            verdict.pushType,
            verdict.token,
            set.at
        )
        guard count > 0 else { return false }
        try list(verdict, of: set)
        return true
    }

    private func list(_ verdict: ChunkCommit.TokenVerdict, of set: TokenVerdicts) throws {
        try connection.run(
            """
            INSERT INTO invalid_tokens (\(RefusedTokenColumn.list))
            SELECT app_id, $1, number, $2, $3, $4, $5, public_id, tenant, user_id, $6
            FROM devices WHERE app_id = $7 AND number = $8
            ON CONFLICT (app_id, at, device_number, push_type) DO NOTHING
            """,
            set.at,
            verdict.pushType,
            set.campaign,
            verdict.since,
            verdict.token,
            verdict.reason.rawValue,
            set.app,
            verdict.device
        )
    }
}

/// The columns of `invalid_tokens`, which lists refusals.
enum RefusedTokenColumn: Int, SQLColumn {
    case appID, at, deviceNumber, pushType, campaignID, invalidSince, token, publicID, tenant, userID, reason
}
