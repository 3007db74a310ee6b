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
        INSERT INTO device_badges (app_id, device_number, badge) VALUES ($1, $2, $3)
        ON CONFLICT (app_id, device_number) DO UPDATE
            SET badge = CASE WHEN excluded.badge + $4 * device_badges.badge > 99999 THEN 99999
            ELSE excluded.badge + $4 * device_badges.badge END
        """
    /// In the order of the Devices: other Campaigns change the same ones.
    private static let many: SQL = """
        INSERT INTO device_badges (app_id, device_number, badge)
        SELECT CAST($1 AS BIGINT), n.value, CAST($2 AS BIGINT)
        FROM (SELECT u.value FROM unnest(CAST(CAST($3 AS TEXT) AS BIGINT[])) AS u (value) ORDER BY u.value) AS n
        ON CONFLICT (app_id, device_number) DO UPDATE
            SET badge = CASE WHEN excluded.badge + $4 * device_badges.badge > 99999 THEN 99999
            ELSE excluded.badge + $4 * device_badges.badge END
        """

    /// Whether a count is kept for any of an App's Devices.
    func areCounted(of app: AppID) throws -> Bool {
        try connection.first("SELECT 1 FROM device_badges WHERE app_id = $1 LIMIT 1", app, as: Int.self) != nil
    }

    /// Changes the counts of some Devices, without repetition.
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

    /// Notes the number that an app set; 0 is noted only where there is another one.
    func set(_ badge: Int, of device: DeviceNumber, app: AppID) throws {
        guard badge == 0 else { return try change([device], by: .count(badge), of: app) }
        try connection.run(
            "UPDATE device_badges SET badge = 0 WHERE app_id = $1 AND device_number = $2 AND badge <> 0",
            app,
            device
        )
    }

    /// Gives a Device's count to its next number.
    func move(from old: DeviceNumber, to new: DeviceNumber, app: AppID) throws {
        try connection.run(
            "UPDATE device_badges SET device_number = $1 WHERE app_id = $2 AND device_number = $3",
            new,
            app,
            old
        )
    }

    /// Deletes a Device's count.
    func delete(_ device: DeviceNumber, app: AppID) throws {
        try connection.run("DELETE FROM device_badges WHERE app_id = $1 AND device_number = $2", app, device)
    }
}
