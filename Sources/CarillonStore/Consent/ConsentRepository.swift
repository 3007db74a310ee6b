import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// What people decided, in SQL.
struct ConsentRepository: ConsentStore {
    /// How many Devices are looked at in one read.
    static let scanLimit = 100_000

    let database: any Database

    func history(of device: DeviceID, app: AppID, limit: Int) async throws(StoreError) -> ConsentHistory? {
        try await database.read { connection in
            guard let stored = try connection.devices.deviceRow(app: app, device: device)?.stored else { return nil }
            var isFirstImported = stored.secretHash == nil
            let later = try connection.all(
                """
                SELECT \(ConsentColumn.list(through: .newConsent)) FROM consent_changes
                WHERE app_id = $1 AND device_number = $2 ORDER BY at DESC LIMIT $3
                """,
                app,
                stored.number,
                limit - 1
            ) { (row: SQLRow<ConsentColumn>) in
                isFirstImported = try row[.source] == ConsentSource.claim
                return try ConsentChange(row: row)
            }
            // What a Device began with is not written anywhere else: it is what the first change changed.
            let first = ConsentChange(
                at: stored.createdAt,
                source: isFirstImported ? .import : .registration,
                old: nil,
                new: later.last?.old ?? stored.registration.consent
            )
            return ConsentHistory(
                device: device,
                consent: stored.registration.consent,
                since: stored.consentTimes,
                changes: later + [first]
            )
        }
    }

    func oldConsents(_ query: OldConsentQuery, limit: Int) async throws(StoreError) -> OldConsentPart {
        try await database.read { connection in
            let statement = try connection.prepare(
                """
                SELECT \(OldConsentColumn.list) FROM devices
                WHERE app_id = $1 AND number > $2 ORDER BY number LIMIT $3
                """
            )
            defer { statement.reset() }
            statement.bind(query.app.rawValue, at: 1)
            statement.bind(query.after.rawValue, at: 2)
            // One more tells whether there are more.
            statement.bind(Int64(Self.scanLimit + 1), at: 3)
            var part = OldConsentPart(rows: [], last: nil)
            var scanned = 0
            var last = query.after
            while try statement.next() {
                guard part.rows.count < limit, scanned < Self.scanLimit else {
                    part.last = last
                    break
                }
                scanned += 1
                last = DeviceNumber(rawValue: statement.int64(OldConsentColumn.number.rawValue))
                guard OldConsent.isWanted(statement, query) else { continue }
                part.rows.append(try OldConsent(row: SQLRow(statement)))
            }
            return part
        }
    }
}

private enum OldConsentColumn: Int, SQLColumn { case number, consent, adsSince, publicID, userID, language }

extension OldConsent {
    /// Whether the query asks for a row; read without generics, because a scan looks at up to 100,000 rows.
    fileprivate static func isWanted(_ row: any SQLStatement, _ query: OldConsentQuery) -> Bool {
        let adsSince = OldConsentColumn.adsSince.rawValue
        guard ConsentBits.read(row, at: OldConsentColumn.consent.rawValue).contains(.ads), !row.isNull(adsSince) else {
            return false
        }
        let since = Timestamp(rawValue: row.int64(adsSince))
        return since < query.until && query.from.map { since >= $0 } ?? true
    }

    fileprivate init(row: SQLRow<OldConsentColumn>) throws {
        self.init(
            device: try row[.publicID],
            user: (try row[.userID] as String?).flatMap(UserID.init(rawValue:)),
            language: try row[.language],
            since: try row[.adsSince]
        )
    }
}

/// The columns of `consent_changes`.
enum ConsentColumn: Int, SQLColumn { case at, source, oldConsent, newConsent, appID, deviceNumber }

/// Who told a decision that is kept; the numbers never change their meaning.
enum ConsentSource: Int64, SQLBindable, SQLReadable {
    case app = 2
    case file = 3
    /// The app, when it registered a Device that had come from a file.
    case claim = 4
}

extension ConsentChange {
    /// Reads the columns through ``ConsentColumn/newConsent``.
    init(row: SQLRow<ConsentColumn>) throws {
        let source: ConsentSource = try row[.source]
        self.init(
            at: try row[.at],
            source: source == .file ? .import : .app,
            old: try row[.oldConsent],
            new: try row[.newConsent]
        )
    }
}

extension ConsentTable {
    /// Notes what a person decided anew; nothing when it is what they had decided, unless somebody else decides now.
    ///
    /// Two decisions of one millisecond are one.
    func noteConsent(from old: DeviceRow, to new: DeviceRow, source: ConsentSource) throws {
        let isNewPerson = old.number != new.number || source == .claim
        guard old.registration.consent != new.registration.consent || isNewPerson else { return }
        try connection.run(
            """
            INSERT INTO consent_changes (\(ConsentColumn.list)) VALUES (\(ConsentColumn.parameters))
            ON CONFLICT (app_id, device_number, at)
            DO UPDATE SET source = excluded.source, new_consent = excluded.new_consent
            """
        ) { (row: SQLParameters<ConsentColumn>) in
            row.bind(new.registeredAt, to: .at)
            row.bind(source, to: .source)
            row.bind(old.registration.consent, to: .oldConsent)
            row.bind(new.registration.consent, to: .newConsent)
            row.bind(new.app, to: .appID)
            row.bind(new.number, to: .deviceNumber)
        }
    }

    /// Lets what was decided under one number count under another too.
    func moveConsents(from old: DeviceNumber, to new: DeviceNumber, app: AppID) throws {
        try connection.run(
            """
            INSERT INTO consent_changes (app_id, device_number, at, source, old_consent, new_consent)
            SELECT app_id, CAST($1 AS BIGINT), at, source, old_consent, new_consent FROM consent_changes
            WHERE app_id = $2 AND device_number = $3
            ON CONFLICT (app_id, device_number, at) DO NOTHING
            """,
            new,
            app,
            old
        )
    }

    /// Takes away what was decided on a Device, under all numbers that it had.
    func forgetConsents(of device: DeviceRow) throws {
        try forgetConsents(of: device.number, app: device.app)
        try connection.run(
            """
            DELETE FROM consent_changes WHERE app_id = $1 AND device_number IN (
                SELECT number FROM former_device_numbers WHERE app_id = $1 AND public_id = $2)
            """,
            device.app,
            device.device
        )
    }

    /// Takes away what was decided under a number.
    func forgetConsents(of device: DeviceNumber, app: AppID) throws {
        try connection.run("DELETE FROM consent_changes WHERE app_id = $1 AND device_number = $2", app, device)
    }
}
