import CarillonEngine
import CarillonModel
import CarillonSQL

/// Devices in the order of their numbers, page by page: each page is a read of its own, so nothing is held.
struct DeviceExportRepository: DeviceExportStore {
    let database: any Database

    func devices(app: AppID, after: DeviceNumber?, limit: Int) async throws(StoreError) -> [ExportedDevice] {
        try await database.read { connection throws(StoreError) in
            try connection.all(
                """
                SELECT d.number, d.secret_hash, d.user_id, d.consent, d.permission, d.push_type, d.language, d.country,
                    d.time_zone, d.app_version, d.os_version, d.model, d.sdk_version, d.created_at, d.registered_at,
                    d.token, d.token_state, d.token_at, d.categories, d.latitude, d.longitude, d.located_at,
                    d.notifications_since, d.ads_since, d.night_ads_since, d.tenant, d.tags, d.public_id, t.token,
                    t.push_type
                FROM devices d
                LEFT JOIN call_tokens t ON t.app_id = $1 AND t.device_number = d.number
                WHERE d.app_id = $1 AND d.number > $2 ORDER BY d.number LIMIT $3
                """,
                app,
                after?.rawValue ?? 0,
                limit
            ) { row throws(StoreError) in
                let device = try DeviceRow(app: app, device: .stored(row.bytes(27)), row: row)
                return ExportedDevice(
                    number: device.number,
                    device: device.device,
                    registration: device.registration,
                    tags: device.tags.numbers,
                    tokenState: device.tokenState,
                    voip: try row.voIPRegistration(token: 28, pushType: 29),
                    createdAt: device.createdAt,
                    registeredAt: device.registeredAt
                )
            }
        }
    }

    func tagNames(app: AppID) async throws(StoreError) -> [Int64: String] {
        try await database.read { connection throws(StoreError) in
            let rows = try connection.all("SELECT number, name FROM tags WHERE app_id = $1", app) {
                row throws(StoreError) in (row.int64(0), row.string(1))
            }
            return Dictionary(rows) { first, _ in first }
        }
    }
}

extension SQLStatement {
    func voIPRegistration(token: Int, pushType: Int) throws(StoreError) -> VoIPRegistration? {
        guard !isNull(token), let bytes = DeviceToken(bytes: bytes(token)) else { return nil }
        return VoIPRegistration(token: bytes, pushType: try .stored(int64(pushType)))
    }
}
