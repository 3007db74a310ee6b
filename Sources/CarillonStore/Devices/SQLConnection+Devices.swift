import CarillonEngine
import CarillonModel
import Foundation

/// Rows of `devices`.
extension SQLConnection {
    /// A Device with the token of its push type; `nil` when there is none.
    func storedDevice(app: AppID, device: DeviceID) throws(StoreError) -> StoredDevice? {
        try first(
            """
            SELECT d.number, d.secret_hash, d.user_id, d.consent, d.permission, d.push_type, d.language, d.country,
                d.time_zone, d.app_version, d.os_version, d.model, d.sdk_version, d.created_at, d.registered_at,
                t.token, t.state, t.registered_at
            FROM devices d LEFT JOIN device_tokens t
                ON t.app_id = d.app_id AND t.device_number = d.number AND t.push_type = d.push_type
            WHERE d.app_id = $1 AND d.public_id = $2
            """,
            app,
            device,
            read: StoredDevice.init(row:)
        )
    }

    func insertDevice(_ device: NewDevice) throws(StoreError) {
        let statement = try prepare(
            """
            INSERT INTO devices (app_id, number, public_id, secret_hash, user_id, consent, permission, push_type,
                language, country, time_zone, app_version, os_version, model, sdk_version, created_at, registered_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            """
        )
        statement.bind(device.app.rawValue, at: 1)
        statement.bind(device.number.rawValue, at: 2)
        device.device.bind(to: statement, at: 3)
        device.secretHash.bind(to: statement, at: 4)
        device.registration.bind(to: statement, from: 5)
        statement.bind(device.at.rawValue, at: 16)
        statement.bind(device.at.rawValue, at: 17)
        try statement.run()
    }

    /// Puts a registration in the place of the one before, under the same number or a new one.
    func updateDevice(_ device: NewDevice, formerNumber: DeviceNumber) throws(StoreError) {
        let statement = try prepare(
            """
            UPDATE devices SET number = $1, secret_hash = $2, user_id = $3, consent = $4, permission = $5,
                push_type = $6, language = $7, country = $8, time_zone = $9, app_version = $10, os_version = $11,
                model = $12, sdk_version = $13, registered_at = $14
            WHERE app_id = $15 AND number = $16
            """
        )
        statement.bind(device.number.rawValue, at: 1)
        device.secretHash.bind(to: statement, at: 2)
        device.registration.bind(to: statement, from: 3)
        statement.bind(device.at.rawValue, at: 14)
        statement.bind(device.app.rawValue, at: 15)
        statement.bind(formerNumber.rawValue, at: 16)
        try statement.run()
    }

    /// Remembers whose a number was, for rows that were written under it.
    func insertFormerNumber(
        app: AppID,
        number: DeviceNumber,
        device: DeviceID,
        user: UserID?,
        at: Timestamp
    ) throws(StoreError) {
        try run(
            """
            INSERT INTO former_device_numbers (app_id, number, public_id, user_id, changed_at)
            VALUES ($1, $2, $3, $4, $5)
            """,
            app,
            number,
            device,
            user,
            at
        )
    }
}

/// A row of `devices` that is to be written.
struct NewDevice {
    var app: AppID
    var number: DeviceNumber
    var device: DeviceID
    var secretHash: SecretHash?
    var registration: Registration
    var at: Timestamp
}

extension SecretHash: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        withUnsafeBytes { statement.bind($0, at: index) }
    }
}

extension Registration {
    /// Binds the eleven columns from `user_id` through `sdk_version`.
    fileprivate func bind(to statement: any SQLStatement, from index: Int) {
        user.bind(to: statement, at: index)
        statement.bind(Int64(ConsentBits(consent).rawValue), at: index + 1)
        permission.map(\.code).bind(to: statement, at: index + 2)
        statement.bind(pushType.code, at: index + 3)
        language.bind(to: statement, at: index + 4)
        country.bind(to: statement, at: index + 5)
        timeZone.bind(to: statement, at: index + 6)
        appVersion.bind(to: statement, at: index + 7)
        osVersion.bind(to: statement, at: index + 8)
        model.bind(to: statement, at: index + 9)
        sdkVersion.bind(to: statement, at: index + 10)
    }

    fileprivate init(row: any SQLStatement) throws(StoreError) {
        guard let pushType = PushType(code: row.int64(5)) else { throw .failed("A Device has an unknown push type.") }
        let consent = ConsentBits(rawValue: UInt8(truncatingIfNeeded: row.int64(3)))
        self.init(
            token: row.isNull(15) ? nil : DeviceToken(bytes: row.bytes(15)),
            pushType: pushType,
            consent: Consent(
                notifications: consent.contains(.notifications),
                ads: consent.contains(.ads),
                nightAds: consent.contains(.nightAds)
            )
        )
        user = row.optionalString(2).flatMap(UserID.init(rawValue:))
        permission = row.optionalInt64(4).flatMap(NotificationPermission.init(code:))
        language = row.optionalString(6)
        country = row.optionalString(7)
        timeZone = row.optionalString(8)
        appVersion = row.optionalString(9)
        osVersion = row.optionalString(10)
        model = row.optionalString(11)
        sdkVersion = row.optionalString(12)
    }
}

extension StoredDevice {
    fileprivate init(row: any SQLStatement) throws(StoreError) {
        let tokenTime = row.optionalInt64(17) ?? 0
        self.init(
            number: DeviceNumber(rawValue: row.int64(0)),
            secretHash: row.isNull(1) ? nil : SecretHash(bytes: row.bytes(1)),
            registration: try Registration(row: row),
            tokenState: row.isNull(16) ? .none : DeviceRecord.TokenState(code: row.int64(16)) ?? .none,
            createdAt: Timestamp(rawValue: row.int64(13)),
            // An unchanged registration writes the token's time alone.
            registeredAt: Timestamp(rawValue: max(row.int64(14), tokenTime))
        )
    }
}
