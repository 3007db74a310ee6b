import CarillonEngine
import CarillonModel
import CarillonSQL

/// The columns of `device_tags`.
enum DeviceTagColumn: Int, SQLColumn { case appID, tag, deviceNumber, facets }

/// The labels of a Device in the order of Devices: `device_tags` and `device_categories` follow its row.
extension DeviceTable {
    private static let insertTag: SQL = """
        INSERT INTO device_tags (\(DeviceTagColumn.list)) VALUES (\(DeviceTagColumn.parameters))
        ON CONFLICT (app_id, tag, device_number) DO UPDATE SET facets = excluded.facets
        """

    /// Makes the labels of a Device follow a change of its row.
    ///
    /// - Parameters:
    ///   - old: The row as it was; `nil` when it is new.
    ///   - new: The row as it is; `nil` when it is gone.
    /// - Throws: ``StoreError``.
    func updateLabels(from old: DeviceRow?, to new: DeviceRow?) throws {
        let isMoved = old?.number != new?.number
        if let old {
            let kept = isMoved ? .none : new?.tags ?? .none
            try removeDeviceTags(old.tags, but: kept, from: old.number, app: old.app)
        }
        if let new {
            let facets = new.registration.facets
            let had = isMoved || old?.registration.facets != facets ? .none : old?.tags ?? .none
            try addDeviceTags(new.tags, but: had, to: new.number, facets, app: new.app)
        }
        guard isMoved || old?.registration.categories != new?.registration.categories else { return }
        if let old { try removeCategories(of: old) }
        if let new, let categories = new.registration.categories {
            // The last use of an imported Device may be long ago.
            try addCategories(categories, to: new.number, app: new.app, at: max(new.createdAt, new.registeredAt))
        }
    }

    func addDeviceTags(
        _ tags: TagNumbers,
        but had: TagNumbers,
        to number: DeviceNumber,
        _ facets: DeviceFacets,
        app: AppID
    ) throws {
        for tag in tags.numbers where !had.numbers.contains(tag) {
            try connection.send(Self.insertTag, app, tag, number, facets.rawValue)
        }
    }

    func removeDeviceTags(
        _ tags: TagNumbers,
        but kept: TagNumbers,
        from number: DeviceNumber,
        app: AppID
    ) throws {
        for tag in tags.numbers where !kept.numbers.contains(tag) {
            try connection.send(
                "DELETE FROM device_tags WHERE app_id = $1 AND tag = $2 AND device_number = $3",
                app,
                tag,
                number
            )
        }
    }

    // MARK: Categories

    /// Puts a Device into categories; labels that nobody defined are made, so that they can be listed.
    func addCategories(
        _ categories: DeviceCategories,
        to number: DeviceNumber,
        app: AppID,
        at: Timestamp
    ) throws {
        for code in try connection.categories.labelNumbers(categories.labels, app: app, at: at) {
            try connection.send(
                """
                INSERT INTO device_categories (app_id, label, device_number) VALUES ($1, $2, $3)
                ON CONFLICT DO NOTHING
                """,
                app,
                code,
                number
            )
        }
    }

    /// Takes a Device out of the categories of its row, which must still be there.
    private func removeCategories(of row: DeviceRow) throws {
        guard let categories = row.registration.categories else { return }
        for label in categories.labels {
            try connection.send(
                """
                DELETE FROM device_categories WHERE app_id = $1 AND device_number = $2 AND label = (
                    SELECT l.number FROM category_labels l
                    WHERE l.app_id = $1 AND l.dimension = $3 AND l.label = $4)
                """,
                row.app,
                row.number,
                label.dimension,
                label.label
            )
        }
    }
}
