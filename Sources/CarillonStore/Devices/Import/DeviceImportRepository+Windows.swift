import CarillonEngine
import CarillonModel
import CarillonSQL

// SQLite writes whole pages, into the log and later into the file. A batch of Devices falls on the tail of nearly every
// tag, and the next batch does so again; a window's tags together write each of these pages once.

extension DeviceImportRepository {
    /// PostgreSQL's log has rows, not pages.
    var takesTagsFirst: Bool { database.dialect == .sqlite }

    func beginWindow(_ count: Int, app: AppID) async throws(StoreError) -> DeviceNumber? {
        try await database.write(priority: .bulk) { [takesTagsFirst] connection in
            guard let end = try connection.devices.reserveDeviceNumbers(Int64(count), app: app) else { return nil }
            let first = DeviceNumber(rawValue: end - Int64(count))
            guard takesTagsFirst else { return first }
            try connection.run(
                "INSERT INTO import_windows (app_id, first_number, last_number) VALUES ($1, $2, $3)",
                app,
                first,
                end - 1
            )
            return first
        }
    }

    func importTags(_ tags: [ImportedTag], app: AppID) async throws(StoreError) {
        try await database.write(priority: .bulk) { connection in
            try connection.imports.insertTags(tags, app: app)
        }
    }

    func endWindow(_ first: DeviceNumber, app: AppID, isWhole: Bool) async throws(StoreError) {
        guard takesTagsFirst else { return }
        try await database.endImportWindow(first, app: app, isWhole: isWhole)
    }
}

extension Database {
    /// Ends the windows of imports that the process before this one left, or the file that was moved here.
    func completeImportWindows() async throws(StoreError) {
        let windows = try await read { connection in
            try connection.all("SELECT app_id, first_number FROM import_windows", as: (AppID, DeviceNumber).self)
        }
        for (app, first) in windows { try await endImportWindow(first, app: app, isWhole: false) }
    }

    fileprivate func endImportWindow(_ first: DeviceNumber, app: AppID, isWhole: Bool) async throws(StoreError) {
        if !isWhole { try await removeTagsWithoutDevices(ofWindow: first, app: app) }
        _ = try await write(priority: .bulk) { connection in
            try connection.run("DELETE FROM import_windows WHERE app_id = $1 AND first_number = $2", app, first)
        }
    }

    fileprivate func removeTagsWithoutDevices(ofWindow first: DeviceNumber, app: AppID) async throws(StoreError) {
        var after: Int64? = 0
        while let tag = after {
            after = try await write(priority: .bulk) { connection in
                try connection.imports.removeTagsWithoutDevices(ofWindow: first, app: app, after: tag)
            }
        }
    }
}

extension ImportTable {
    /// How many tags are looked through in a transaction; a window has at most some ten thousand rows of one.
    private static var tagStep: Int { 64 }

    /// Removes what some tags have of a window's Devices that are not there.
    ///
    /// - Returns: The last tag that was looked at; `nil` when there are no more.
    fileprivate func removeTagsWithoutDevices(
        ofWindow first: DeviceNumber,
        app: AppID,
        after: Int64
    ) throws -> Int64? {
        var last = after
        for _ in 0..<Self.tagStep {
            let tag = try connection.first(
                "SELECT tag FROM device_tags WHERE app_id = $1 AND tag > $2 ORDER BY tag LIMIT 1",
                app,
                last,
                as: Int64.self
            )
            guard let tag else { return nil }
            last = tag
            try connection.run(
                """
                DELETE FROM device_tags WHERE app_id = $1 AND tag = $2
                    AND device_number BETWEEN $3 AND (
                        SELECT last_number FROM import_windows WHERE app_id = $1 AND first_number = $3)
                    AND NOT EXISTS (SELECT 1 FROM devices d WHERE d.app_id = $1 AND d.number = device_tags.device_number)
                """,
                app,
                tag,
                first
            )
        }
        return last
    }
}
