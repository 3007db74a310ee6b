import CarillonEngine
import CarillonModel
import CarillonSQL

extension ImportTable {
    /// Writes Devices of which nothing is known yet, with their labels.
    ///
    /// - Parameters:
    ///   - rows: The Devices.
    ///   - tags: Those of their tags that are not kept yet, in the order of the key: pages are written once for many then.
    ///   - app: Whose Devices.
    /// - Throws: ``StoreError``.
    func insertNew(
        _ rows: some Collection<DeviceRow>,
        _ tags: some Collection<ImportedTag>,
        app: AppID
    ) throws {
        if let connection = connection as? PostgreSQLConnection {
            try PostgreSQLDevices(connection: connection).insert(rows, tags, app: app)
            for row in rows { try addCategories(of: row) }
        } else {
            for row in rows {
                try connection.devices.insertDevice(row)
                try addCategories(of: row)
            }
            try insertTags(tags, app: app)
        }
    }

    private func addCategories(of row: DeviceRow) throws {
        guard let categories = row.registration.categories else { return }
        try connection.devices.addCategories(categories, to: row.number, app: row.app, at: row.createdAt)
    }

    /// Writes tags of new Devices; it is fast in the order of the key.
    func insertTags(_ tags: some Collection<ImportedTag>, app: AppID) throws {
        let insert = try connection.prepare(
            "INSERT INTO device_tags (\(DeviceTagColumn.list)) VALUES (\(DeviceTagColumn.parameters))"
        )
        insert.bind(app.rawValue, at: DeviceTagColumn.appID.parameter)
        for tag in tags {
            insert.bind(tag.tag, at: DeviceTagColumn.tag.parameter)
            insert.bind(tag.device.rawValue, at: DeviceTagColumn.deviceNumber.parameter)
            insert.bind(tag.facets.rawValue, at: DeviceTagColumn.facets.parameter)
            try insert.run()
        }
    }
}

extension [DeviceRow] {
    /// The tags of all of them, in order.
    var importedTags: [ImportedTag] {
        flatMap { row in
            let facets = row.registration.facets
            return row.tags.numbers.map { ImportedTag(tag: $0, device: row.number, facets: facets) }
        }
        .sorted()
    }
}
