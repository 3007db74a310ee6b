import CarillonEngine
import CarillonModel
import CarillonSQL

/// Devices in the order of their numbers, page by page: each page is a read of its own, so nothing is held.
struct DeviceExportRepository: DeviceExportStore {
    let database: any Database

    func devices(app: AppID, after: DeviceNumber?, limit: Int) async throws(StoreError) -> [ExportedDevice] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(DeviceColumn.list(of: "d")), \(VoIPTokenColumn.list(of: "t")) FROM devices d
                LEFT JOIN call_tokens t ON t.app_id = $1 AND t.device_number = d.number
                WHERE d.app_id = $1 AND d.number > $2 ORDER BY d.number LIMIT $3
                """,
                app,
                after?.rawValue ?? 0,
                limit
            ) { row in
                let device = try DeviceRow(row: row)
                var exported = ExportedDevice(
                    number: device.number,
                    device: device.device,
                    registration: device.registration,
                    tags: device.tags.numbers,
                    tokenState: device.tokenState,
                    voip: try VoIPRegistration(row: row.following(VoIPTokenColumn.self)),
                    createdAt: device.createdAt,
                    registeredAt: device.registeredAt
                )
                exported.importedAt = device.importedAt
                return exported
            }
        }
    }

    func tagNames(app: AppID) async throws(StoreError) -> [Int64: String] {
        try await database.read { connection in
            let sql: SQL = "SELECT number, name FROM tags WHERE app_id = $1"
            let rows = try connection.all(sql, app, as: (Int64, String).self)
            return Dictionary(rows) { first, _ in first }
        }
    }
}

/// The columns of `call_tokens` that say what a VoIP token is.
enum VoIPTokenColumn: Int, SQLColumn { case token, pushType }

extension VoIPRegistration {
    /// `nil` when the Device has no VoIP token.
    init?(row: SQLRow<VoIPTokenColumn>) throws {
        guard let token: DeviceToken = try row[.token] else { return nil }
        self.init(token: token, pushType: try row[.pushType])
    }
}
