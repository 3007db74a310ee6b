package import CarillonEngine
package import CarillonModel

/// Rows of `device_tokens`: at most one for a Device and push type, and one for a token and push type.
extension SQLConnection {
    /// Drops a token that the push service called dead, if it is still the one that was sent to and was not registered
    /// since.
    ///
    /// - Parameters:
    ///   - app: Whose Device.
    ///   - device: Which; its number at the time of sending.
    ///   - pushType: Of the token.
    ///   - token: What was sent to.
    ///   - invalidSince: Since when it is dead by the push service's clock; `nil` when it did not say. A token whose time
    ///     of registration is not known, as after an import, is dropped in any case.
    /// - Returns: Whether it was dropped.
    /// - Throws: ``StoreError``.
    @discardableResult
    package func dropToken(
        app: AppID,
        device: DeviceNumber,
        pushType: PushType,
        token: [UInt8],
        invalidSince: Timestamp?
    ) throws(StoreError) -> Bool {
        try run(
            """
            UPDATE device_tokens SET state = $1
            WHERE app_id = $2 AND device_number = $3 AND push_type = $4 AND token = $5 AND state <> 3
                AND (registered_at IS NULL OR registered_at < $6)
            """,
            DeviceRecord.TokenState.dropped.code,
            app,
            device,
            pushType.code,
            token,
            invalidSince?.rawValue ?? .max
        ) > 0
    }

    /// Lets a token wait until its Device registers it again, if it is still the one that was sent to.
    ///
    /// - Parameters:
    ///   - app: Whose Device.
    ///   - device: Which; its number at the time of sending.
    ///   - pushType: Of the token.
    ///   - token: What was sent to.
    /// - Returns: Whether it waits now and did not before.
    /// - Throws: ``StoreError``.
    @discardableResult
    package func quarantineToken(
        app: AppID,
        device: DeviceNumber,
        pushType: PushType,
        token: [UInt8]
    ) throws(StoreError) -> Bool {
        try run(
            """
            UPDATE device_tokens SET state = $1
            WHERE app_id = $2 AND device_number = $3 AND push_type = $4 AND token = $5 AND state = 1
            """,
            DeviceRecord.TokenState.quarantined.code,
            app,
            device,
            pushType.code,
            token
        ) > 0
    }

    /// Gives a Device that has no token of a push type one; whoever had it loses it.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - pushType: Of the token.
    ///   - app: Whose Device.
    ///   - number: The Device's number.
    ///   - device: The Device's public id, which inherits the number of an imported Device that had the token.
    ///   - registeredAt: When the app told it; `nil` when that is not known.
    ///   - at: The time.
    /// - Throws: ``StoreError``.
    func giveToken(
        _ token: DeviceToken,
        _ pushType: PushType,
        app: AppID,
        number: DeviceNumber,
        device: DeviceID,
        registeredAt: Timestamp?,
        at: Timestamp
    ) throws(StoreError) {
        if try insertToken(token, pushType, app: app, number: number, registeredAt: registeredAt) { return }
        try takeToken(token, pushType, app: app, for: device, at: at)
        guard try insertToken(token, pushType, app: app, number: number, registeredAt: registeredAt) else {
            throw .failed("A device token cannot be taken over.")
        }
    }

    /// Notes that a Device's token was told again.
    func renewToken(app: AppID, number: DeviceNumber, pushType: PushType, at: Timestamp) throws(StoreError) {
        try run(
            """
            UPDATE device_tokens SET state = 1, registered_at = $1
            WHERE app_id = $2 AND device_number = $3 AND push_type = $4
            """,
            at,
            app,
            number,
            pushType.code
        )
    }

    /// Takes a Device's token for notifications away; the one for calls stays.
    func removeNotificationTokens(app: AppID, number: DeviceNumber) throws(StoreError) {
        try run(
            "DELETE FROM device_tokens WHERE app_id = $1 AND device_number = $2 AND push_type IN ($3, $4)",
            app,
            number,
            PushType.apns.code,
            PushType.apnsSandbox.code
        )
    }

    /// Takes all tokens of a Device away.
    func removeTokens(app: AppID, number: DeviceNumber) throws(StoreError) {
        try run("DELETE FROM device_tokens WHERE app_id = $1 AND device_number = $2", app, number)
    }

    func moveTokens(app: AppID, from old: DeviceNumber, to new: DeviceNumber) throws(StoreError) {
        try run(
            "UPDATE device_tokens SET device_number = $1 WHERE app_id = $2 AND device_number = $3",
            new,
            app,
            old
        )
    }

    /// Gives a Device a token that nobody has.
    ///
    /// - Returns: False when another Device has the token; nothing is written then.
    func insertToken(
        _ token: DeviceToken,
        _ pushType: PushType,
        app: AppID,
        number: DeviceNumber,
        registeredAt: Timestamp?
    ) throws(StoreError) -> Bool {
        try run(
            """
            INSERT INTO device_tokens (app_id, device_number, push_type, token, state, registered_at)
            VALUES ($1, $2, $3, $4, 1, $5)
            ON CONFLICT (app_id, push_type, token) DO NOTHING
            """,
            app,
            number,
            pushType.code,
            token,
            registeredAt
        ) > 0
    }

    // MARK: - Private

    /// Takes a token from the Device that has it.
    ///
    /// Nothing else of that Device moves, but an imported one that nobody has claimed was only a place for its token:
    /// it goes, and its number counts for the new Device.
    private func takeToken(
        _ token: DeviceToken,
        _ pushType: PushType,
        app: AppID,
        for device: DeviceID,
        at: Timestamp
    ) throws(StoreError) {
        let loser = try first(
            """
            DELETE FROM device_tokens WHERE app_id = $1 AND push_type = $2 AND token = $3 RETURNING device_number
            """,
            app,
            pushType.code,
            token
        ) { row throws(StoreError) in DeviceNumber(rawValue: row.int64(0)) }
        guard let loser else { return }
        let wasImported = try run(
            "DELETE FROM devices WHERE app_id = $1 AND number = $2 AND secret_hash IS NULL",
            app,
            loser
        )
        guard wasImported > 0 else { return }
        try removeTokens(app: app, number: loser)
        try insertFormerNumber(app: app, number: loser, device: device, user: nil, at: at)
    }
}
