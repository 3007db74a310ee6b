import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The numbers on Devices' icons, in SQL on one connection.
struct BadgeTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var badges: BadgeTable { BadgeTable(connection: self) }
}

/// What is read of a Device's icon.
enum BadgeColumn: Int, SQLColumn { case deviceNumber, badge }

extension BadgeTable {
    private static let one: SQL = """
        INSERT INTO device_badges (app_id, device_number, badge)
        SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM devices d WHERE d.app_id = $1 AND d.number = $2)
        ON CONFLICT (app_id, device_number) DO UPDATE
            SET badge = CASE WHEN excluded.badge + $4 * device_badges.badge > 99999 THEN 99999
            ELSE excluded.badge + $4 * device_badges.badge END
        """
    /// In the order of the Devices: other Campaigns change the same ones.
    private static let many: SQL = """
        INSERT INTO device_badges (app_id, device_number, badge)
        SELECT CAST($1 AS BIGINT), n.value, CAST($2 AS BIGINT)
        FROM (SELECT u.value FROM unnest(CAST(CAST($3 AS TEXT) AS BIGINT[])) AS u (value) ORDER BY u.value) AS n
        WHERE EXISTS (SELECT 1 FROM devices d WHERE d.app_id = CAST($1 AS BIGINT) AND d.number = n.value)
        ON CONFLICT (app_id, device_number) DO UPDATE
            SET badge = CASE WHEN excluded.badge + $4 * device_badges.badge > 99999 THEN 99999
            ELSE excluded.badge + $4 * device_badges.badge END
        """

    /// Whether a count is kept for any of an App's Devices.
    func areCounted(of app: AppID) throws -> Bool {
        try connection.first("SELECT 1 FROM device_badges WHERE app_id = $1 LIMIT 1", app, as: Int.self) != nil
    }

    /// Changes the counts of some Devices, without repetition; those that are gone by now get none.
    func change(_ devices: [DeviceNumber], by badge: Badge, of app: AppID) throws {
        guard !devices.isEmpty else { return }
        // A count that is set replaces the former one, and an increment is added to it.
        let (value, share) =
            switch badge {
            case .count(let count): (count, 0)
            case .increment(let step): (step, 1)
            }
        guard connection.dialect == .sqlite else {
            let list = SQLList(devices.lazy.map(\.rawValue), connection.dialect)
            return try connection.send(Self.many, app, value, list, share)
        }
        let statement = try connection.prepare(Self.one)
        statement.bind(app.rawValue, at: 1)
        statement.bind(Int64(value), at: 3)
        statement.bind(Int64(share), at: 4)
        for device in devices {
            statement.bind(device.rawValue, at: 2)
            try statement.run()
        }
    }

    /// Notes the number that an app set, where the App adds to numbers.
    func set(_ badge: Int, of device: DeviceNumber, app: AppID) throws {
        guard try areCounted(of: app) else { return }
        try change([device], by: .count(badge), of: app)
    }

    /// The count of a Device; `nil` when there is none.
    func count(of device: DeviceNumber, app: AppID) throws -> Int? {
        try connection.first(
            "SELECT badge FROM device_badges WHERE app_id = $1 AND device_number = $2",
            app,
            device,
            as: Int.self
        )
    }

    /// Gives a Device's count to another number of the same phone, unless that one has a count.
    func move(from old: DeviceNumber, to new: DeviceNumber, app: AppID) throws {
        try connection.run(
            """
            UPDATE device_badges SET device_number = $1 WHERE app_id = $2 AND device_number = $3
                AND NOT EXISTS (SELECT 1 FROM device_badges x WHERE x.app_id = $2 AND x.device_number = $1)
            """,
            new,
            app,
            old
        )
        try delete(old, app: app)
    }

    /// Deletes a Device's count.
    func delete(_ device: DeviceNumber, app: AppID) throws {
        try connection.run("DELETE FROM device_badges WHERE app_id = $1 AND device_number = $2", app, device)
    }
}
