import CarillonEngine
import CarillonModel

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
    func makeDeviceIndexes() throws(StoreError) {
        try sortingInParts { () throws(StoreError) in try execute(script: DeviceIndexes.create(dialect)) }
        try describeIndexes()
        if dialect == .postgreSQL { try execute(script: "ANALYZE devices; ANALYZE device_tags") }
    }

    /// Lets SQLite sort four megabytes at once, while the next are read.
    ///
    /// It sorts as much as its cache may hold, which else is all of a million Devices: then reading waits for sorting.
    private func sortingInParts(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        guard dialect == .sqlite else { return try body() }
        let size = try first("PRAGMA cache_size") { row throws(StoreError) in row.int64(0) }
        try execute(script: "PRAGMA cache_size = -4096")
        defer { if let size { try? execute(script: "PRAGMA cache_size = \(size)") } }
        try body()
    }
}
