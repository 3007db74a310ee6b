import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The vendor APIs that Apps have turned on, in SQL.
struct VendorAPIRepository: VendorAPIStore {
    let database: any Database

    func turnOn(_ api: StoredVendorAPI) async throws(StoreError) -> VendorAPIChange {
        try await database.write { connection in
            try connection.lock(.vendorKeys)
            guard try connection.apps.app(api.app) != nil else { return .unknown }
            let holder = try connection.vendorAPIs.vendorAPI(api.api, keyHash: api.keyHash)
            guard holder == nil || holder?.app == api.app else { return .keyTaken }
            try connection.run(
                """
                INSERT INTO vendor_apis (app_id, api, key_hash, secret_hash, updated_at) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (app_id, api) DO UPDATE SET key_hash = excluded.key_hash,
                    secret_hash = excluded.secret_hash, updated_at = excluded.updated_at
                """,
                api.app,
                api.api,
                api.keyHash,
                api.secretHash,
                api.updatedAt
            )
            return .on
        }
    }

    func turnOff(_ api: VendorAPI, app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.run("DELETE FROM vendor_apis WHERE app_id = $1 AND api = $2", app, api) > 0
        }
    }

    func vendorAPIs(of app: AppID) async throws(StoreError) -> [StoredVendorAPI]? {
        try await database.read { connection in
            guard try connection.apps.app(app) != nil else { return nil }
            return try connection.all(
                "SELECT \(VendorAPIColumn.list) FROM vendor_apis WHERE app_id = $1 ORDER BY api LIMIT 10",
                app,
                read: StoredVendorAPI.init(row:)
            )
        }
    }

    func vendorAPI(_ api: VendorAPI, keyHash: SecretHash) async throws(StoreError) -> StoredVendorAPI? {
        try await database.read { connection in try connection.vendorAPIs.vendorAPI(api, keyHash: keyHash) }
    }
}

/// The columns of `vendor_apis`.
private enum VendorAPIColumn: Int, SQLColumn { case appID, api, keyHash, secretHash, updatedAt }

extension VendorAPITable {
    fileprivate func vendorAPI(_ api: VendorAPI, keyHash: SecretHash) throws -> StoredVendorAPI? {
        try connection.first(
            "SELECT \(VendorAPIColumn.list) FROM vendor_apis WHERE key_hash = $1 AND api = $2",
            keyHash,
            api,
            read: StoredVendorAPI.init(row:)
        )
    }
}

extension StoredVendorAPI {
    fileprivate init(row: SQLRow<VendorAPIColumn>) throws {
        self.init(
            app: try row[.appID],
            api: try row[.api],
            keyHash: try row[.keyHash],
            secretHash: try row[.secretHash],
            updatedAt: try row[.updatedAt]
        )
    }
}

extension VendorAPI: SQLBindable, SQLReadable {}
