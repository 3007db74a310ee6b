package import CarillonEngine
import CarillonModel
package import CarillonSQL
package import StoreErrors

/// A row of `devices`: a Device with its token for notifications and the tags of its User.
struct DeviceRow: Equatable {
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
    /// It was registered through a vendor API.
    var isRegisteredAtVendorAPI = false
    /// When an import last changed it after it was created; `nil` when none did.
    var importedAt: Timestamp?
    var createdAt: Timestamp
    var registeredAt: Timestamp

    var stored: StoredDevice {
        var stored = StoredDevice(
            number: number,
            secretHash: secretHash,
            registration: registration,
            consentTimes: consentTimes,
            tokenState: tokenState,
            createdAt: createdAt,
            registeredAt: registeredAt
        )
        stored.isRegisteredAtVendorAPI = isRegisteredAtVendorAPI
        return stored
    }

    var record: DeviceRecord { stored.record(device, app: app) }
}

extension DeviceTable {
    static let select: SQL = "SELECT \(DeviceColumn.list) FROM devices WHERE app_id = $1 AND public_id = $2"
    private static let selectLocking: SQL = """
        SELECT \(DeviceColumn.list) FROM devices WHERE app_id = $1 AND public_id = $2 FOR UPDATE
        """
    static let selectAll: SQL = """
        SELECT \(DeviceColumn.list) FROM devices WHERE app_id = $1 AND number > $2 ORDER BY number LIMIT $3
        """
    static let selectOfUser: SQL = """
        SELECT \(DeviceColumn.list) FROM devices
        WHERE app_id = $1 AND user_id = $2 AND number > $3 ORDER BY number LIMIT $4
        """
    private static let insert: SQL = "INSERT INTO devices (\(DeviceColumn.list)) VALUES (\(DeviceColumn.parameters))"
    private static let update: SQL = """
        UPDATE devices SET \(DeviceColumn.assignments(through: .registeredAt)) WHERE app_id = $30 AND number = $31
        """

    /// A Device; `nil` when there is none.
    func deviceRow(app: AppID, device: DeviceID) throws -> DeviceRow? {
        try connection.first(Self.select, app, device, read: DeviceRow.init(row:))
    }

    /// Devices in the order of their numbers; of one User, or all.
    func deviceRows(app: AppID, user: UserID?, after: DeviceNumber, limit: Int) throws -> [DeviceRow] {
        guard let user else { return try connection.all(Self.selectAll, app, after, limit, read: DeviceRow.init(row:)) }
        return try connection.all(Self.selectOfUser, app, user, after, limit, read: DeviceRow.init(row:))
    }

    /// A Device whose row is about to be written; nobody else writes it until the commit.
    func lockedDeviceRow(app: AppID, device: DeviceID) throws -> DeviceRow? {
        let select = connection.dialect.pick(sqlite: Self.select, postgreSQL: Self.selectLocking)
        return try connection.first(select, app, device, read: DeviceRow.init(row:))
    }

    func insertDevice(_ device: DeviceRow) throws {
        try connection.run(Self.insert) { (row: SQLParameters<DeviceColumn>) in
            try device.bind(to: row)
            row.bind(device.createdAt, to: .createdAt)
            row.bind(device.app, to: .appID)
            row.bind(device.device, to: .publicID)
        }
    }

    /// Puts a row in the place of the one before, under the same number or a new one.
    func updateDevice(_ device: DeviceRow, formerNumber: DeviceNumber) throws {
        let statement = try connection.prepare(Self.update)
        try device.bind(to: SQLParameters(statement))
        device.app.bind(to: statement, at: 30)
        formerNumber.bind(to: statement, at: 31)
        try statement.run()
    }

    /// Remembers whose a number was, for rows that were written under it.
    func insertFormerNumber(
        app: AppID,
        number: DeviceNumber,
        device: DeviceID,
        user: UserID?,
        at: Timestamp
    ) throws {
        try connection.run(
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

extension SecretHash: SQLBindable, SQLReadable {
    package func bind(to statement: any SQLStatement, at index: Int) {
        withUnsafeBytes { statement.bind($0, at: index) }
    }

    package static func read(_ row: any SQLStatement, at column: Int) throws(StoreError) -> SecretHash {
        guard let hash = SecretHash(bytes: row.bytes(column)) else {
            throw .failed("Column \(column) of a row holds bytes that are no hash of a secret.")
        }
        return hash
    }
}

extension DeviceRow {
    /// Binds what may change: the columns through ``DeviceColumn/registeredAt``.
    fileprivate func bind(to row: SQLParameters<DeviceColumn>) throws {
        row.bind(number, to: .number)
        row.bind(secretHash, to: .secretHash)
        try registration.bind(to: row)
        row.bind(tags.stored, to: .tags)
        row.bind(registration.token == nil ? nil : tokenState, to: .tokenState)
        row.bind(tokenAt, to: .tokenAt)
        row.bind(consentTimes.notifications, to: .notificationsSince)
        row.bind(consentTimes.ads, to: .adsSince)
        row.bind(consentTimes.nightAds, to: .nightAdsSince)
        row.bind(isTokenUnconfirmed ? true : nil, to: .tokenUnconfirmed)
        row.bind(isRegisteredAtVendorAPI ? true : nil, to: .vendorRegistered)
        row.bind(importedAt, to: .importedAt)
        row.bind(registeredAt, to: .registeredAt)
    }

    init(row: SQLRow<DeviceColumn>) throws {
        self.init(
            app: try row[.appID],
            number: try row[.number],
            device: try row[.publicID],
            secretHash: try row[.secretHash],
            registration: try Registration(row: row),
            consentTimes: ConsentTimes(
                notifications: try row[.notificationsSince],
                ads: try row[.adsSince],
                nightAds: try row[.nightAdsSince]
            ),
            tags: TagNumbers(stored: try row[.tags]),
            tokenState: try row[.tokenState] ?? .none,
            tokenAt: try row[.tokenAt],
            isTokenUnconfirmed: try row[.tokenUnconfirmed] ?? false,
            isRegisteredAtVendorAPI: try row[.vendorRegistered] ?? false,
            importedAt: try row[.importedAt],
            createdAt: try row[.createdAt],
            registeredAt: try row[.registeredAt]
        )
    }
}

extension Registration {
    fileprivate func bind(to row: SQLParameters<DeviceColumn>) throws {
        row.bind(user, to: .userID)
        row.bind(consent, to: .consent)
        row.bind(permission, to: .permission)
        row.bind(pushType, to: .pushType)
        row.bind(language, to: .language)
        row.bind(country, to: .country)
        row.bind(timeZone, to: .timeZone)
        row.bind(appVersion, to: .appVersion)
        row.bind(osVersion, to: .osVersion)
        row.bind(model, to: .model)
        row.bind(sdkVersion, to: .sdkVersion)
        row.bind(try categories.map { try $0.stored() }, to: .categories)
        row.bind(location?.latitude, to: .latitude)
        row.bind(location?.longitude, to: .longitude)
        row.bind(location?.at, to: .locatedAt)
        row.bind(token, to: .token)
        row.bind(tenant ?? "", to: .tenant)
    }

    fileprivate init(row: SQLRow<DeviceColumn>) throws {
        self.init(token: try row[.token], pushType: try row[.pushType], consent: try row[.consent])
        user = try row[.userID]
        permission = try row[.permission]
        language = try row[.language]
        country = try row[.country]
        timeZone = try row[.timeZone]
        appVersion = try row[.appVersion]
        osVersion = try row[.osVersion]
        model = try row[.model]
        sdkVersion = try row[.sdkVersion]
        categories = try (row[.categories] as String?).map { try .stored($0) }
        if let at: Timestamp = try row[.locatedAt] {
            location = DeviceLocation(latitude: try row[.latitude], longitude: try row[.longitude], at: at)
        }
        let stored: String = try row[.tenant]
        tenant = stored.isEmpty ? nil : stored
    }
}
