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
                t.token, t.state, t.registered_at, d.categories, d.latitude, d.longitude, d.located_at,
                d.notifications_since, d.ads_since, d.night_ads_since
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
                language, country, time_zone, app_version, os_version, model, sdk_version, categories, latitude,
                longitude, located_at, notifications_since, ads_since, night_ads_since, created_at, registered_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                $22, $23, $24)
            """
        )
        statement.bind(device.app.rawValue, at: 1)
        statement.bind(device.number.rawValue, at: 2)
        device.device.bind(to: statement, at: 3)
        device.secretHash.bind(to: statement, at: 4)
        try device.registration.bind(to: statement, from: 5)
        device.consentTimes.bind(to: statement, from: 20)
        statement.bind(device.at.rawValue, at: 23)
        statement.bind(device.at.rawValue, at: 24)
        try statement.run()
    }

    /// Puts a registration in the place of the one before, under the same number or a new one.
    func updateDevice(_ device: NewDevice, formerNumber: DeviceNumber) throws(StoreError) {
        let statement = try prepare(
            """
            UPDATE devices SET number = $1, secret_hash = $2, user_id = $3, consent = $4, permission = $5,
                push_type = $6, language = $7, country = $8, time_zone = $9, app_version = $10, os_version = $11,
                model = $12, sdk_version = $13, categories = $14, latitude = $15, longitude = $16, located_at = $17,
                notifications_since = $18, ads_since = $19, night_ads_since = $20, registered_at = $21
            WHERE app_id = $22 AND number = $23
            """
        )
        statement.bind(device.number.rawValue, at: 1)
        device.secretHash.bind(to: statement, at: 2)
        try device.registration.bind(to: statement, from: 3)
        device.consentTimes.bind(to: statement, from: 18)
        statement.bind(device.at.rawValue, at: 21)
        statement.bind(device.app.rawValue, at: 22)
        statement.bind(formerNumber.rawValue, at: 23)
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
    var consentTimes: ConsentTimes
    var at: Timestamp
}

extension SecretHash: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        withUnsafeBytes { statement.bind($0, at: index) }
    }
}

extension Registration {
    /// Binds the fifteen columns from `user_id` through `located_at`.
    fileprivate func bind(to statement: any SQLStatement, from index: Int) throws(StoreError) {
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
        try categories.map { categories throws(StoreError) in try categories.stored() }
            .bind(to: statement, at: index + 11)
        (location?.latitude).bind(to: statement, at: index + 12)
        (location?.longitude).bind(to: statement, at: index + 13)
        (location?.at).bind(to: statement, at: index + 14)
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
        if !row.isNull(18) { categories = try .stored(row.string(18)) }
        if !row.isNull(21) {
            location = DeviceLocation(
                latitude: row.double(19),
                longitude: row.double(20),
                at: Timestamp(rawValue: row.int64(21))
            )
        }
    }
}

extension ConsentTimes {
    /// Binds the three columns from `notifications_since` through `night_ads_since`.
    fileprivate func bind(to statement: any SQLStatement, from index: Int) {
        notifications.bind(to: statement, at: index)
        ads.bind(to: statement, at: index + 1)
        nightAds.bind(to: statement, at: index + 2)
    }

    fileprivate init(row: any SQLStatement) {
        self.init(
            notifications: row.optionalInt64(22).map(Timestamp.init(rawValue:)),
            ads: row.optionalInt64(23).map(Timestamp.init(rawValue:)),
            nightAds: row.optionalInt64(24).map(Timestamp.init(rawValue:))
        )
    }
}

extension StoredDevice {
    fileprivate init(row: any SQLStatement) throws(StoreError) {
        let tokenTime = row.optionalInt64(17) ?? 0
        self.init(
            number: DeviceNumber(rawValue: row.int64(0)),
            secretHash: row.isNull(1) ? nil : SecretHash(bytes: row.bytes(1)),
            registration: try Registration(row: row),
            consentTimes: ConsentTimes(row: row),
            tokenState: row.isNull(16) ? .none : DeviceRecord.TokenState(code: row.int64(16)) ?? .none,
            createdAt: Timestamp(rawValue: row.int64(13)),
            // An unchanged registration writes the token's time alone.
            registeredAt: Timestamp(rawValue: max(row.int64(14), tokenTime))
        )
    }
}
