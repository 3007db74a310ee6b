import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The columns of a test Device, with those of its Device.
private enum TestDeviceColumn: Int, SQLColumn {
    case number, publicID, name, ownerName, addedAt, userID, language, model, tokenState
}

private enum TestDeviceSQL {
    static let list: SQL = """
        SELECT t.device_number, d.public_id, t.name, t.owner_name, t.added_at, d.user_id, d.language, d.model,
            d.token_state
        FROM test_devices t JOIN devices d ON d.app_id = $1 AND d.number = t.device_number
        WHERE t.app_id = $1 AND t.device_number > $2 ORDER BY t.device_number LIMIT $3
        """
    static let one: SQL = """
        SELECT t.device_number, d.public_id, t.name, t.owner_name, t.added_at, d.user_id, d.language, d.model,
            d.token_state
        FROM test_devices t JOIN devices d ON d.app_id = $1 AND d.number = t.device_number
        WHERE t.app_id = $1 AND t.device_number = $2
        """
}

/// Test Devices, their codes and their counts in SQL.
struct TestDeviceRepository: TestDeviceStore {
    let database: any Database

    func testDevices(
        of app: AppID,
        after number: DeviceNumber,
        limit: Int
    ) async throws(StoreError) -> [ListedTestDevice] {
        try await database.read { connection in
            try connection.all(TestDeviceSQL.list, app, number, limit, read: ListedTestDevice.init(row:))
        }
    }

    func add(
        _ request: TestDeviceRequest,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError) -> Result<TestDevice, EngineError> {
        try await database.write { connection in
            try connection.lock(.app(app))
            let caller = DeviceCaller(app: app, device: request.device, secret: nil)
            switch try connection.devices.knownDevice(caller) {
            case .failure(let error): return .failure(error)
            case .success(let device):
                return try connection.testDevices.add(device.number, request.name, request.owner, app: app, at: now)
            }
        }
    }

    func remove(_ device: DeviceID, app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.run(
                """
                DELETE FROM test_devices WHERE app_id = $1 AND device_number IN (
                    SELECT d.number FROM devices d WHERE d.app_id = $1 AND d.public_id = $2)
                """,
                app,
                device
            ) > 0
        }
    }

    func insert(_ pairing: NewTestPairing, at now: Timestamp) async throws(StoreError) -> Bool {
        try await database.write { connection in
            guard try connection.apps.app(pairing.app) != nil else { return false }
            try connection.run(
                "DELETE FROM test_pairings WHERE app_id = $1 AND expires_at <= $2",
                pairing.app,
                now
            )
            try connection.run(
                """
                INSERT INTO test_pairings (app_id, code_hash, name, owner_name, attempts, expires_at)
                VALUES ($1, $2, $3, $4, 0, $5)
                ON CONFLICT (app_id, code_hash) DO UPDATE SET name = excluded.name, owner_name = excluded.owner_name,
                    attempts = 0, expires_at = excluded.expires_at
                """,
                pairing.app,
                pairing.code,
                pairing.request.name,
                pairing.request.owner,
                pairing.expiresAt
            )
            return true
        }
    }

    func pair(
        _ caller: DeviceCaller,
        code: SecretHash,
        at now: Timestamp
    ) async throws(StoreError) -> Result<TestDevice, EngineError> {
        try await database.write { connection in
            try connection.lock(.app(caller.app))
            let device: KnownDevice
            switch try connection.devices.knownDevice(caller) {
            case .failure(let error): return .failure(error)
            case .success(let known): device = known
            }
            let found = try connection.first(
                """
                DELETE FROM test_pairings WHERE app_id = $1 AND code_hash = $2 AND expires_at > $3 AND attempts < $4
                RETURNING name, owner_name
                """,
                caller.app,
                code,
                now,
                TestPairing.maximumAttempts,
                as: (String, String?).self
            )
            guard let (name, owner) = found else {
                try connection.run("UPDATE test_pairings SET attempts = attempts + 1 WHERE app_id = $1", caller.app)
                return .failure(.notFound(.testPairing))
            }
            return try connection.testDevices.add(device.number, name, owner, app: caller.app, at: now)
        }
    }

    func acquire(
        _ count: Int,
        app: AppID,
        limit: Int,
        since start: Timestamp,
        at now: Timestamp
    ) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.lock(.app(app))
            try connection.run("DELETE FROM test_sends WHERE app_id = $1 AND at <= $2", app, start)
            let sent = try connection.first(
                "SELECT CAST(COALESCE(SUM(notifications), 0) AS BIGINT) FROM test_sends WHERE app_id = $1",
                app,
                as: Int.self
            )
            guard (sent ?? 0) + count <= limit else { return false }
            try connection.run(
                """
                INSERT INTO test_sends (app_id, at, notifications) VALUES ($1, $2, $3)
                ON CONFLICT (app_id, at) DO UPDATE SET notifications = test_sends.notifications + excluded.notifications
                """,
                app,
                now,
                count
            )
            return true
        }
    }
}

/// Test Devices, in SQL on one connection.
struct TestDeviceTable {
    let connection: any SQLConnection

    /// Makes a Device a test Device, or renames one.
    fileprivate func add(
        _ number: DeviceNumber,
        _ name: String,
        _ owner: String?,
        app: AppID,
        at now: Timestamp
    ) throws -> Result<TestDevice, EngineError> {
        let others = try connection.first(
            "SELECT count(*) FROM test_devices WHERE app_id = $1 AND device_number <> $2",
            app,
            number,
            as: Int.self
        )
        guard others ?? 0 < TestDevice.maximumCount else {
            return .failure(.conflict("The App has the maximum of \(TestDevice.maximumCount) test Devices."))
        }
        try connection.run(
            """
            INSERT INTO test_devices (app_id, device_number, name, owner_name, added_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (app_id, device_number) DO UPDATE SET name = excluded.name, owner_name = excluded.owner_name
            """,
            app,
            number,
            name,
            owner,
            now
        )
        let added = try connection.first(TestDeviceSQL.one, app, number, read: ListedTestDevice.init(row:))
        guard let added else { return .failure(.notFound(.device)) }
        return .success(added.device)
    }

    /// A Device's number changes.
    func move(app: AppID, from old: DeviceNumber, to new: DeviceNumber) throws {
        try connection.run(
            "UPDATE test_devices SET device_number = $1 WHERE app_id = $2 AND device_number = $3",
            new,
            app,
            old
        )
    }

    /// A Device is deleted.
    func delete(_ number: DeviceNumber, app: AppID) throws {
        try connection.run("DELETE FROM test_devices WHERE app_id = $1 AND device_number = $2", app, number)
    }
}

extension SQLConnection {
    var testDevices: TestDeviceTable { TestDeviceTable(connection: self) }
}

extension ListedTestDevice {
    fileprivate init(row: SQLRow<TestDeviceColumn>) throws {
        let state: DeviceRecord.TokenState? = try row[.tokenState]
        var device = TestDevice(
            device: try row[.publicID],
            name: try row[.name],
            owner: try row[.ownerName],
            hasToken: state == .active,
            addedAt: try row[.addedAt]
        )
        device.user = try row[.userID]
        device.language = try row[.language]
        device.model = try row[.model]
        self.init(number: try row[.number], device: device)
    }
}
