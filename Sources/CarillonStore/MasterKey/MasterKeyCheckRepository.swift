import CarillonEngine
import CarillonModel

/// The check value of the master key in SQL.
struct MasterKeyCheckRepository: MasterKeyCheckStore {
    let database: any Database

    func sealedCheck() async throws(StoreError) -> [UInt8]? {
        try await database.read { connection throws(StoreError) in try connection.masterKeyCheck() }
    }

    func keepCheck(_ sealed: [UInt8]) async throws(StoreError) -> [UInt8] {
        try await database.write { connection throws(StoreError) in
            try connection.lock(.keys)
            _ = try connection.run(
                "INSERT INTO master_key_checks (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO NOTHING",
                sealed
            )
            return try connection.masterKeyCheck() ?? sealed
        }
    }
}

extension SQLConnection {
    fileprivate func masterKeyCheck() throws(StoreError) -> [UInt8]? {
        try first("SELECT sealed FROM master_key_checks WHERE id = 1") { row throws(StoreError) in row.array(0) }
    }
}
