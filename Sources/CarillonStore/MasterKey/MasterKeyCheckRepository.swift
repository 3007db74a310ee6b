import CarillonEngine
import CarillonModel
import CarillonSQL

/// The check values of the master key in SQL: 1 is the store's, 2 that of the key which is to take its place.
struct MasterKeyCheckRepository: MasterKeyCheckStore {
    let database: any Database

    func sealedChecks() async throws(StoreError) -> SealedChecks {
        try await database.read { connection in
            let found = try connection.all(
                "SELECT id, sealed FROM master_key_checks WHERE id <= 2 ORDER BY id LIMIT 2",
                as: (Int64, [UInt8]).self
            )
            return SealedChecks(current: found.first { $0.0 == 1 }?.1, next: found.first { $0.0 == 2 }?.1)
        }
    }

    func saveCheck(_ sealed: [UInt8]) async throws(StoreError) -> [UInt8] {
        try await database.write { connection in
            try connection.lock(.keys)
            _ = try connection.run(
                "INSERT INTO master_key_checks (id, sealed) VALUES (1, $1) ON CONFLICT (id) DO NOTHING",
                sealed
            )
            return try connection.sealedValues.masterKeyCheck() ?? sealed
        }
    }

    func setNextCheck(_ sealed: [UInt8]) async throws(StoreError) {
        _ = try await database.write { connection in
            try connection.lock(.keys)
            return try connection.run(
                """
                INSERT INTO master_key_checks (id, sealed) VALUES (2, $1)
                ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed
                """,
                sealed
            )
        }
    }

    func completeRotation(_ sealed: [UInt8]) async throws(StoreError) {
        _ = try await database.write { connection in
            try connection.lock(.keys)
            try connection.run("UPDATE master_key_checks SET sealed = $1 WHERE id = 1", sealed)
            return try connection.run("DELETE FROM master_key_checks WHERE id = 2")
        }
    }
}

extension SealedValueTable {
    fileprivate func masterKeyCheck() throws -> [UInt8]? {
        try connection.first("SELECT sealed FROM master_key_checks WHERE id = 1", as: [UInt8].self)
    }
}
