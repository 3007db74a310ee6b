import CarillonEngine
import CarillonModel
package import CarillonSQL

/// A row of `devices`: a Device with its token for notifications and the tags of its User.
struct DeviceRow {
    var app: AppID
    var number: DeviceNumber
    var device: DeviceID
    var secretHash: SecretHash?
    /// Without a proof; the token is the one that was told, whatever became of it.
    var registration: Registration
    var consentTimes = ConsentTimes()
    var tags = TagNumbers.none
    var tokenState = DeviceRecord.TokenState.none
    /// When the app told the token; `nil` when that is not known.
    var tokenAt: Timestamp?
    /// No notification to the token was taken yet.
    var isTokenUnconfirmed = false
    var createdAt: Timestamp
    var registeredAt: Timestamp

    var stored: StoredDevice {
        StoredDevice(
            number: number,
            secretHash: secretHash,
            registration: registration,
            consentTimes: consentTimes,
            tokenState: tokenState,
            createdAt: createdAt,
            registeredAt: registeredAt
        )
    }

    var record: DeviceRecord { stored.record(device, app: app) }
}

extension SQLConnection {
    /// A Device; `nil` when there is none.
    func deviceRow(app: AppID, device: DeviceID) throws(StoreError) -> DeviceRow? {
        try deviceRow(
            """
            SELECT number, secret_hash, user_id, consent, permission, push_type, language, country, time_zone,
                app_version, os_version, model, sdk_version, created_at, registered_at, token, token_state, token_at,
                categories, latitude, longitude, located_at, notifications_since, ads_since, night_ads_since, tenant,
                tags, token_unconfirmed
            FROM devices WHERE app_id = $1 AND public_id = $2
            """,
            app,
            device
        )
    }

    /// A Device whose row is about to be written; nobody else writes it until the commit.
    func lockedDeviceRow(app: AppID, device: DeviceID) throws(StoreError) -> DeviceRow? {
        guard dialect == .postgreSQL else { return try deviceRow(app: app, device: device) }
        return try deviceRow(
            """
            SELECT number, secret_hash, user_id, consent, permission, push_type, language, country, time_zone,
                app_version, os_version, model, sdk_version, created_at, registered_at, token, token_state, token_at,
                categories, latitude, longitude, located_at, notifications_since, ads_since, night_ads_since, tenant,
                tags, token_unconfirmed
            FROM devices WHERE app_id = $1 AND public_id = $2 FOR UPDATE
            """,
            app,
            device
        )
    }

    private func deviceRow(_ sql: SQL, _ app: AppID, _ device: DeviceID) throws(StoreError) -> DeviceRow? {
        try first(sql, app, device) { row throws(StoreError) in try DeviceRow(app: app, device: device, row: row) }
    }

    func insertDevice(_ device: DeviceRow) throws(StoreError) {
        let statement = try prepare(
            """
            INSERT INTO devices (app_id, number, public_id, secret_hash, user_id, consent, permission, push_type,
                language, country, time_zone, app_version, os_version, model, sdk_version, categories, latitude,
                longitude, located_at, token, tenant, tags, token_state, token_at, notifications_since, ads_since,
                night_ads_since, token_unconfirmed, created_at, registered_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                $22, $23, $24, $25, $26, $27, $28, $29, $30)
            """
        )
        statement.bind(device.app.rawValue, at: 1)
        statement.bind(device.number.rawValue, at: 2)
        device.device.bind(to: statement, at: 3)
        try device.bind(to: statement, from: 4)
        statement.bind(device.createdAt.rawValue, at: 29)
        statement.bind(device.registeredAt.rawValue, at: 30)
        try statement.run()
    }

    /// Puts a row in the place of the one before, under the same number or a new one.
    func updateDevice(_ device: DeviceRow, formerNumber: DeviceNumber) throws(StoreError) {
        let statement = try prepare(
            """
            UPDATE devices SET number = $1, secret_hash = $2, user_id = $3, consent = $4, permission = $5,
                push_type = $6, language = $7, country = $8, time_zone = $9, app_version = $10, os_version = $11,
                model = $12, sdk_version = $13, categories = $14, latitude = $15, longitude = $16, located_at = $17,
                token = $18, tenant = $19, tags = $20, token_state = $21, token_at = $22, notifications_since = $23,
                ads_since = $24, night_ads_since = $25, token_unconfirmed = $26, registered_at = $27
            WHERE app_id = $28 AND number = $29
            """
        )
        statement.bind(device.number.rawValue, at: 1)
        try device.bind(to: statement, from: 2)
        statement.bind(device.registeredAt.rawValue, at: 27)
        statement.bind(device.app.rawValue, at: 28)
        statement.bind(formerNumber.rawValue, at: 29)
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

extension SecretHash: SQLBindable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        withUnsafeBytes { statement.bind($0, at: index) }
    }
}

extension DeviceRow {
    /// Binds the 25 columns from `secret_hash` through `token_unconfirmed`.
    fileprivate func bind(to statement: any SQLStatement, from index: Int) throws(StoreError) {
        secretHash.bind(to: statement, at: index)
        try registration.bind(to: statement, from: index + 1)
        registration.token.bind(to: statement, at: index + 16)
        statement.bind(registration.tenant ?? "", at: index + 17)
        tags.stored.bind(to: statement, at: index + 18)
        (registration.token == nil ? nil : tokenState.code).bind(to: statement, at: index + 19)
        tokenAt.bind(to: statement, at: index + 20)
        consentTimes.notifications.bind(to: statement, at: index + 21)
        consentTimes.ads.bind(to: statement, at: index + 22)
        consentTimes.nightAds.bind(to: statement, at: index + 23)
        (isTokenUnconfirmed ? Int64(1) : nil).bind(to: statement, at: index + 24)
    }

    /// Reads the columns in the order of ``SQLConnection/deviceRow(app:device:)``.
    init(app: AppID, device: DeviceID, row: any SQLStatement) throws(StoreError) {
        self.init(
            app: app,
            number: DeviceNumber(rawValue: row.int64(0)),
            device: device,
            secretHash: row.isNull(1) ? nil : SecretHash(bytes: row.bytes(1)),
            registration: try Registration(row: row),
            consentTimes: ConsentTimes(
                notifications: row.optionalInt64(22).map(Timestamp.init(rawValue:)),
                ads: row.optionalInt64(23).map(Timestamp.init(rawValue:)),
                nightAds: row.optionalInt64(24).map(Timestamp.init(rawValue:))
            ),
            tags: TagNumbers(stored: row.optionalString(26)),
            tokenState: row.isNull(16) ? .none : DeviceRecord.TokenState(code: row.int64(16)) ?? .none,
            tokenAt: row.optionalInt64(17).map(Timestamp.init(rawValue:)),
            isTokenUnconfirmed: row.optionalInt64(27) == 1,
            createdAt: Timestamp(rawValue: row.int64(13)),
            registeredAt: Timestamp(rawValue: row.int64(14))
        )
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
        let stored = row.string(25)
        tenant = stored.isEmpty ? nil : stored
    }
}
