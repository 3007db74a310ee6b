import CarillonEngine
import CarillonModel
import CarillonSQL
import Foundation

/// The device token for notifications: a column of its Device's row.
///
/// (push type, tenant, token) is there once. No index says so: the writer looks first, and what it looks at is locked
/// until it is written.
extension DeviceTokenTable {
    /// Takes a token from any other Device that has it.
    ///
    /// Nothing else of that Device moves, but one without a secret (imported, or registered through a vendor API) was only
    /// a place for its token: it goes, and its number counts for the new Device.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - registration: Of which push type and tenant.
    ///   - app: Whose Devices.
    ///   - device: Which Device keeps it.
    ///   - number: That Device's number.
    ///   - at: The time.
    /// - Throws: ``StoreError``.
    func takeToken(
        _ token: DeviceToken,
        like registration: Registration,
        app: AppID,
        for device: DeviceID,
        _ number: DeviceNumber,
        at: Timestamp
    ) throws {
        try connection.lock(.token(token, app: app))
        for holder in try holders(of: token, like: registration, app: app) where holder.device != device {
            if !holder.hasSecret {
                try connection.badges.move(from: holder.number, to: number, app: app)
                if let row = try connection.devices.deviceRow(app: app, device: holder.device) {
                    try connection.devices.deleteDevice(row, notedAt: at, keepsToken: true)
                }
                try connection.devices.insertFormerNumber(
                    app: app,
                    number: holder.number,
                    device: device,
                    user: nil,
                    at: at
                )
            } else {
                try removeToken(app: app, number: holder.number)
            }
        }
    }

    /// The Devices that have a token; one, but for what was there before a rule changed.
    func holders(
        of token: DeviceToken,
        like registration: Registration,
        app: AppID
    ) throws -> [TokenHolder] {
        let rows = try connection.all(
            """
            SELECT number, public_id, secret_hash, vendor_registered, consent FROM devices
            WHERE app_id = $1 AND substr(token, 1, 4) = $2 AND substr(token, length(token) - 3) = $3 AND token = $4
                AND push_type = $5 AND tenant = $6 LIMIT 10
            """,
            app,
            token.firstBytes,
            token.lastBytes,
            token,
            registration.pushType,
            registration.tenant ?? "",
            as: (DeviceNumber, DeviceID, [UInt8]?, Bool?, Consent).self
        )
        return rows.map { number, device, secretHash, isVendors, consent in
            TokenHolder(
                number: number,
                device: device,
                hasSecret: secretHash != nil,
                isRegisteredAtVendorAPI: isVendors ?? false,
                consent: consent
            )
        }
    }

    /// Takes a Device's token for notifications away; the one for calls stays.
    func removeToken(app: AppID, number: DeviceNumber) throws {
        try connection.run(
            """
            UPDATE devices SET token = NULL, token_state = NULL, token_at = NULL WHERE app_id = $1 AND number = $2
            """,
            app,
            number
        )
    }

    /// Takes the tokens for notifications of all other Devices of a User away.
    func removeTokens(of user: UserID, butOf number: DeviceNumber, app: AppID) throws {
        try connection.run(
            """
            UPDATE devices SET token = NULL, token_state = NULL, token_at = NULL
            WHERE app_id = $1 AND user_id = $2 AND number <> $3 AND token IS NOT NULL
            """,
            app,
            user,
            number
        )
    }

    /// Notes that a Device told the same as before.
    ///
    /// - Parameters:
    ///   - app: Whose Device.
    ///   - number: Which.
    ///   - withToken: Whether it told its token, which is active as of now then, unless another node gave it away
    ///     meanwhile.
    ///   - at: The time.
    /// - Throws: ``StoreError``.
    func touchDevice(app: AppID, number: DeviceNumber, withToken: Bool, at: Timestamp) throws {
        if withToken {
            try connection.run(
                """
                UPDATE devices SET registered_at = CAST($1 AS BIGINT),
                    token_at = CASE WHEN token IS NULL THEN NULL ELSE CAST($1 AS BIGINT) END,
                    token_state = CASE WHEN token IS NULL THEN NULL ELSE 1 END
                WHERE app_id = $2 AND number = $3
                """,
                at,
                app,
                number
            )
        } else {
            try connection.run(
                "UPDATE devices SET registered_at = $1 WHERE app_id = $2 AND number = $3",
                at,
                app,
                number
            )
        }
    }
}

extension DeviceToken {
    /// What an index finds tokens by, with ``lastBytes``: an index of the whole would be as large as half of the row.
    var firstBytes: [UInt8] { Array(bytes.prefix(4)) }
    /// See ``firstBytes``.
    var lastBytes: [UInt8] { Array(bytes.suffix(4)) }
}

/// A Device that has a token.
struct TokenHolder {
    var number: DeviceNumber
    var device: DeviceID
    var hasSecret: Bool
    var isRegisteredAtVendorAPI: Bool
    /// What is known of it comes from a file alone.
    var isImported: Bool { !hasSecret && !isRegisteredAtVendorAPI }
    var consent: Consent
}
