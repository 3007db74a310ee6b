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
                SELECT at, source, old_consent, new_consent FROM consent_changes
                WHERE app_id = $1 AND device_number = $2 ORDER BY at DESC LIMIT $3
                """,
                app,
                stored.number,
                limit - 1
            ) { row in
                isFirstImported = row.int64(1) == ConsentSource.claim.rawValue
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
                SELECT number, consent, ads_since, public_id, user_id, language FROM devices
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
                last = DeviceNumber(rawValue: statement.int64(0))
                if let row = try OldConsent(statement, query) { part.rows.append(row) }
            }
            return part
        }
    }
}

extension OldConsent {
    /// `nil` when the row is none that is asked for.
    fileprivate init?(_ row: any SQLStatement, _ query: OldConsentQuery) throws {
        let consent = ConsentBits.read(row, at: 1)
        guard consent.contains(.ads), let since = row.optionalInt64(2).map(Timestamp.init(rawValue:)),
            since <= query.through, query.from.map({ since >= $0 }) ?? true
        else { return nil }
        guard let device = DeviceID(bytes: row.bytes(3)) else { throw StoreError.failed("A Device's id is damaged.") }
        self.init(
            device: device,
            user: row.optionalString(4).flatMap(UserID.init(rawValue:)),
            language: row.optionalString(5),
            since: since
        )
    }
}

/// Who told a decision that is kept; the numbers never change their meaning.
enum ConsentSource: Int64 {
    case app = 2
    case file = 3
    /// The app, when it registered a Device that had come from a file.
    case claim = 4
}

extension ConsentChange {
    /// Reads a row of `consent_changes`: `at`, `source`, `old_consent` and `new_consent`.
    init(row: any SQLStatement) throws {
        self.init(
            at: Timestamp(rawValue: row.int64(0)),
            source: try .stored(row.int64(1)),
            old: try .read(row, at: 2),
            new: .read(row, at: 3)
        )
    }
}

extension ConsentChange.Source {
    fileprivate static func stored(_ code: Int64) throws -> Self {
        switch ConsentSource(rawValue: code) {
        case .app, .claim: return .app
        case .file: return .import
        case nil: throw StoreError.failed("A consent's source is not known.")
        }
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
            INSERT INTO consent_changes (app_id, device_number, at, source, old_consent, new_consent)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (app_id, device_number, at)
            DO UPDATE SET source = excluded.source, new_consent = excluded.new_consent
            """,
            new.app,
            new.number,
            new.registeredAt,
            source.rawValue,
            old.registration.consent,
            new.registration.consent
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
