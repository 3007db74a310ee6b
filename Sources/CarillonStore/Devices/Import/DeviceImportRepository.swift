import CarillonEngine
import CarillonModel
import Foundation
import NIOConcurrencyHelpers

/// Devices of another service, in SQL.
///
/// Most lines are plain: their token, Device and User are new. These are written together; the others one by one, as a
/// registration would be.
final class DeviceImportRepository: DeviceImportStore {
    /// What an import into a store without indexes has to remember.
    private struct Bulk {
        var keys = ImportKeys()
        /// What waits for the indexes.
        var later: [(app: AppID, at: Timestamp, device: ImportedDevice)] = []
    }

    /// On PostgreSQL a transaction holds a lock for each token, of which the server has a bounded number.
    static let maximumTokenLocks = 1_000

    private let database: any Database
    /// `nil` unless the indexes are gone.
    private let bulk = NIOLockedValueBox<Bulk?>(nil)

    init(database: any Database) { self.database = database }

    var servingBatchLimit: Int { database.dialect == .postgreSQL ? Self.maximumTokenLocks : 4_000 }

    func importDevices(
        _ lines: [ImportedDevice],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts? {
        if let plain = plainInBulk(lines, app: app, at: at) {
            return try await importPlain(plain, app: app, at: at)
        }
        return try await database.write(priority: .bulk) { connection throws(StoreError) in
            guard let end = try connection.reserveDeviceNumbers(Int64(lines.count), app: app) else { return nil }
            var number = end - Int64(lines.count)
            try connection.lockTokens(of: lines, app: app)
            let known = try KnownLines(lines, app: app, connection)
            var plain: [DeviceRow] = []
            var others: [(row: DeviceRow, line: ImportedDevice)] = []
            for (place, line) in lines.enumerated() {
                let row = DeviceRow(line, number: DeviceNumber(rawValue: number), app: app, at: at)
                number += 1
                if known.isPlain(place) { plain.append(row) } else { others.append((row, line)) }
            }
            try connection.insertImported(plain)
            var counts = ImportCounts()
            counts.added = plain.count
            for other in others.sorted(by: { $0.line.line < $1.line.line }) {
                switch try connection.importDevice(other.row, other.line) {
                case .added: counts.added += 1
                case .replaced: counts.replaced += 1
                case .registered: counts.registered += 1
                }
            }
            return counts
        }
    }

    func beginBulk() async throws(StoreError) -> Bool {
        let isEmpty = try await database.write(priority: .bulk) { connection throws(StoreError) in
            guard try connection.first("SELECT 1 FROM devices LIMIT 1", read: { _ in true }) == nil else {
                return false
            }
            try connection.execute(script: DeviceIndexes.drop(connection.dialect))
            return true
        }
        if isEmpty { bulk.withLockedValue { $0 = Bulk() } }
        return isEmpty
    }

    func endBulk() async throws(StoreError) -> ImportCounts {
        try await database.write(priority: .bulk) { connection throws(StoreError) in
            try connection.makeDeviceIndexes()
        }
        let later = bulk.withLockedValue { bulk in
            defer { bulk = nil }
            return bulk?.later ?? []
        }
        var counts = ImportCounts()
        for start in stride(from: 0, to: later.count, by: 5_000) {
            let some = later[start..<min(start + 5_000, later.count)]
            for (app, lines) in Dictionary(grouping: some, by: \.app) {
                guard let first = lines.first else { continue }
                let kept = try await importDevices(lines.map(\.device), app: app, at: first.at)
                counts.added += kept?.added ?? 0
                counts.replaced += kept?.replaced ?? 0
                counts.registered += kept?.registered ?? 0
            }
        }
        return counts
    }

    // MARK: - Private

    /// The lines that can be written without indexes; `nil` when the indexes are there.
    private func plainInBulk(_ devices: [ImportedDevice], app: AppID, at: Timestamp) -> [ImportedDevice]? {
        bulk.withLockedValue { bulk -> [ImportedDevice]? in
            guard var state = bulk else { return nil }
            bulk = nil
            defer { bulk = state }
            var plain: [ImportedDevice] = []
            plain.reserveCapacity(devices.count)
            for device in devices {
                if state.keys.insert(device), device.isSimple {
                    plain.append(device)
                } else {
                    state.later.append((app, at, device))
                }
            }
            return plain
        }
    }

    private func importPlain(
        _ lines: [ImportedDevice],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts? {
        return try await database.write(priority: .bulk) { connection throws(StoreError) in
            guard let end = try connection.reserveDeviceNumbers(Int64(lines.count), app: app) else { return nil }
            var rows: [DeviceRow] = []
            rows.reserveCapacity(lines.count)
            var number = end - Int64(lines.count)
            for line in lines {
                rows.append(DeviceRow(line, number: DeviceNumber(rawValue: number), app: app, at: at))
                number += 1
            }
            try connection.insertImported(rows)
            var counts = ImportCounts()
            counts.added = rows.count
            return counts
        }
    }
}

/// The indexes of `devices`, and on PostgreSQL the key of `device_tags`, which an import into an empty store builds once
/// instead of a row at a time: that is faster, and their pages are full.
enum DeviceIndexes {
    static let ofDevices = """
        CREATE UNIQUE INDEX IF NOT EXISTS devices_by_public_id ON devices (app_id, public_id);
        CREATE INDEX IF NOT EXISTS devices_by_user ON devices (app_id, user_id) WHERE user_id IS NOT NULL;
        CREATE INDEX IF NOT EXISTS devices_by_token ON devices (app_id, substr(token, 1, 8)) WHERE token IS NOT NULL;

        """
    static func create(_ dialect: Dialect) -> String {
        dialect == .sqlite
            ? ofDevices
            : ofDevices + """
                CREATE UNIQUE INDEX IF NOT EXISTS device_tags_pkey ON device_tags (app_id, tag, device_number);
                """
    }

    static func drop(_ dialect: Dialect) -> String {
        let drop = """
            DROP INDEX IF EXISTS devices_by_public_id;
            DROP INDEX IF EXISTS devices_by_user;
            DROP INDEX IF EXISTS devices_by_token;

            """
        return dialect == .sqlite
            ? drop
            : drop + """
                ALTER TABLE device_tags DROP CONSTRAINT IF EXISTS device_tags_pkey;
                DROP INDEX IF EXISTS device_tags_pkey;
                """
    }

    /// How many of them there are.
    static func count(_ connection: any SQLConnection) throws(StoreError) -> Int? {
        let sqlite: SQL = """
            SELECT count(*) + 1 FROM sqlite_master WHERE type = 'index'
                AND name IN ('devices_by_public_id', 'devices_by_user', 'devices_by_token')
            """
        let postgreSQL: SQL = """
            SELECT count(*) FROM pg_indexes WHERE schemaname = current_schema()
                AND indexname IN ('devices_by_public_id', 'devices_by_user', 'devices_by_token', 'device_tags_pkey')
            """
        return try connection.first(connection.dialect.pick(sqlite: sqlite, postgreSQL: postgreSQL)) {
            row throws(StoreError) in row.int(0)
        }
    }
}

extension Database {
    /// Builds the indexes of `devices` that an import left behind when it was cut off.
    func completeDeviceIndexes() async throws(StoreError) {
        guard try await read({ connection throws(StoreError) in try DeviceIndexes.count(connection) }) != 4 else {
            return
        }
        try await write { connection throws(StoreError) in
            try connection.lock(.schema)
            try connection.makeDeviceIndexes()
        }
    }
}

extension SQLConnection {
    /// Makes the indexes that are missing, and tells the planner of them and of what the tables hold.
    fileprivate func makeDeviceIndexes() throws(StoreError) {
        try execute(script: DeviceIndexes.create(dialect))
        try describeIndexes()
        if dialect == .postgreSQL { try execute(script: "ANALYZE devices; ANALYZE device_tags") }
    }
}

extension ImportedDevice {
    /// Whether it tells nothing that only the long way takes.
    var isSimple: Bool { registration.location == nil && registration.permission == nil }
}

extension DeviceRow {
    fileprivate init(_ line: ImportedDevice, number: DeviceNumber, app: AppID, at: Timestamp) {
        self.init(
            app: app,
            number: number,
            device: line.device ?? line.newID ?? DeviceID(rawValue: UUID()),
            secretHash: nil,
            // Since when the people of a file agree is not known.
            registration: line.registration,
            tags: TagNumbers(line.tags ?? []),
            tokenState: .active,
            createdAt: at,
            registeredAt: at
        )
    }
}
