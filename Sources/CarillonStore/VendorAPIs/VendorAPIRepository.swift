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
            if let settings = api.coimotion {
                guard try connection.vendorAPIs.setCode(settings, of: api.app) else { return .codeTaken }
            }
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
            try connection.lock(.vendorKeys)
            if api == .coimotion { try connection.run("DELETE FROM vendor_app_codes WHERE app_id = $1", app) }
            return try connection.run("DELETE FROM vendor_apis WHERE app_id = $1 AND api = $2", app, api) > 0
        }
    }

    func vendorAPIs(of app: AppID) async throws(StoreError) -> [StoredVendorAPI]? {
        try await database.read { connection in
            guard try connection.apps.app(app) != nil else { return nil }
            var apis = try connection.all(
                "SELECT \(VendorAPIColumn.list) FROM vendor_apis WHERE app_id = $1 ORDER BY api LIMIT 10",
                app,
                read: StoredVendorAPI.init(row:)
            )
            if let index = apis.firstIndex(where: { $0.api == .coimotion }) {
                apis[index].coimotion = try connection.vendorAPIs.settings(of: app)
            }
            return apis
        }
    }

    func vendorAPI(_ api: VendorAPI, keyHash: SecretHash) async throws(StoreError) -> StoredVendorAPI? {
        try await database.read { connection in
            var found = try connection.vendorAPIs.vendorAPI(api, keyHash: keyHash)
            if let app = found?.app, api == .coimotion {
                found?.coimotion = try connection.vendorAPIs.settings(of: app)
            }
            return found
        }
    }

    func coimotion(codeHash: SecretHash) async throws(StoreError) -> StoredVendorAPI? {
        try await database.read { connection in
            guard let app = try connection.vendorAPIs.app(codeHash: codeHash) else { return nil }
            var found = try connection.first(
                "SELECT \(VendorAPIColumn.list) FROM vendor_apis WHERE app_id = $1 AND api = $2",
                app,
                VendorAPI.coimotion,
                read: StoredVendorAPI.init(row:)
            )
            found?.coimotion = try connection.vendorAPIs.settings(of: app)
            return found
        }
    }
}

/// The columns of `vendor_apis`.
private enum VendorAPIColumn: Int, SQLColumn { case appID, api, keyHash, secretHash, updatedAt }

extension VendorAPITable {
    /// The App of an app code; `nil` when no App has it.
    fileprivate func app(codeHash: SecretHash) throws -> AppID? {
        try connection.first(
            "SELECT app_id FROM vendor_app_codes WHERE code_hash = $1",
            codeHash,
            as: AppID.self
        )
    }

    fileprivate func settings(of app: AppID) throws -> CoimotionSettings? {
        let column = try connection.first(
            "SELECT settings FROM vendor_app_codes WHERE app_id = $1",
            app,
            as: JSONColumn<CoimotionSettings>.self
        )
        return column?.value
    }

    /// Saves an App's code and settings.
    ///
    /// - Returns: False when another App has the code; nothing is saved then.
    fileprivate func setCode(_ settings: CoimotionSettings, of app: AppID) throws -> Bool {
        let hash = StoredVendorAPI.hash(ofCode: settings.code)
        let holder = try self.app(codeHash: hash)
        guard holder == nil || holder == app else { return false }
        try connection.run(
            """
            INSERT INTO vendor_app_codes (app_id, code_hash, settings) VALUES ($1, $2, $3)
            ON CONFLICT (app_id) DO UPDATE SET code_hash = excluded.code_hash, settings = excluded.settings
            """,
            app,
            hash,
            try JSONColumn(settings)
        )
        return true
    }

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
