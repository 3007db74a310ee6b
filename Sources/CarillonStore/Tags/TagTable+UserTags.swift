import CarillonEngine
import CarillonModel
import CarillonSQL

/// The tags of a User: all Devices of theirs have them in their rows; without a Device they are parked in `user_tags`.
extension TagTable {
    /// The tags of a User.
    func tagNumbers(of user: UserID, app: AppID) throws -> TagNumbers {
        try foundTags(of: user, app: app, butOf: nil)?.tags ?? .none
    }

    /// The tags that a Device gets with its User; those that were parked are its own from now on.
    ///
    /// - Parameters:
    ///   - user: Whose Device it becomes.
    ///   - app: In which App.
    ///   - number: The Device's number, if it is there.
    /// - Returns: The tags.
    /// - Throws: ``StoreError``.
    func joinedTags(of user: UserID, app: AppID, butOf number: DeviceNumber?) throws -> TagNumbers {
        guard let found = try foundTags(of: user, app: app, butOf: number) else { return .none }
        if found.areParked { try connection.run("DELETE FROM user_tags WHERE app_id = $1 AND user_id = $2", app, user) }
        return found.tags
    }

    /// Keeps the tags of a Device's User when the Device is the last one that leaves.
    func parkTags(of row: DeviceRow) throws {
        guard let user = row.registration.user, let tags = row.tags.stored else { return }
        let hasOthers = try connection.first(
            "SELECT 1 FROM devices WHERE app_id = $1 AND user_id = $2 AND number <> $3 LIMIT 1",
            row.app,
            user,
            row.number
        ) { _ in true }
        if hasOthers == nil { try park(tags, of: user, app: row.app) }
    }

    /// Whether a User has more Devices than a person has.
    func hasTooManyDevices(_ user: UserID, app: AppID) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM devices WHERE app_id = $1 AND user_id = $2 LIMIT 1 OFFSET $3",
            app,
            user,
            Tags.maximumDevices
        ) { _ in true } ?? false
    }

    /// Gives a User these tags in the place of those they have.
    func setTags(_ tags: TagNumbers, of user: UserID, app: AppID) throws {
        let devices = try connection.all(
            "SELECT number, tags FROM devices WHERE app_id = $1 AND user_id = $2 LIMIT $3",
            app,
            user,
            Tags.maximumDevices,
            as: (DeviceNumber, TagNumbers).self
        )
        try connection.run("DELETE FROM user_tags WHERE app_id = $1 AND user_id = $2", app, user)
        if devices.isEmpty, let stored = tags.stored { try park(stored, of: user, app: app) }
        try setTags(tags, ofDevices: devices, app: app)
    }

    /// Gives Devices of a User these tags in the place of those they have.
    func setTags(_ tags: TagNumbers, ofDevices devices: [(DeviceNumber, TagNumbers)], app: AppID) throws {
        let changed = devices.filter { $0.1 != tags }
        guard !changed.isEmpty else { return }
        // From here on nobody else changes the rows before the commit.
        let rows = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    UPDATE devices SET tags = $1
                    WHERE app_id = $2 AND number IN (SELECT value FROM json_each($3))
                    RETURNING \(FacetColumn.list)
                    """,
                postgreSQL: """
                    UPDATE devices SET tags = $1
                    WHERE app_id = $2 AND number = ANY(ARRAY(SELECT unnest(CAST(CAST($3 AS TEXT) AS BIGINT[]))))
                    RETURNING \(FacetColumn.list)
                    """
            ),
            tags.stored,
            app,
            SQLList(changed.lazy.map(\.0.rawValue), connection.dialect)
        ) { row in (try row[.number] as DeviceNumber, try DeviceFacets(row: row)) }
        let facets = Dictionary(rows) { first, _ in first }
        for (number, had) in changed {
            guard let facets = facets[number] else { continue }
            try connection.devices.removeDeviceTags(had, but: tags, from: number, app: app)
            try connection.devices.addDeviceTags(tags, but: had, to: number, facets, app: app)
        }
    }

    /// Takes all tags of a User away; of one whom more Devices share than a person has, from some of them.
    func removeTags(of user: UserID, app: AppID) throws {
        try connection.run("DELETE FROM user_tags WHERE app_id = $1 AND user_id = $2", app, user)
        let devices = try connection.all(
            "SELECT number, tags FROM devices WHERE app_id = $1 AND user_id = $2 AND tags IS NOT NULL LIMIT $3",
            app,
            user,
            Tags.maximumDevices,
            as: (DeviceNumber, TagNumbers).self
        )
        for (number, had) in devices {
            try connection.send("UPDATE devices SET tags = NULL WHERE app_id = $1 AND number = $2", app, number)
            try connection.devices.removeDeviceTags(had, but: .none, from: number, app: app)
        }
    }

    // MARK: - Private

    private func park(_ tags: String, of user: UserID, app: AppID) throws {
        try connection.run(
            """
            INSERT INTO user_tags (app_id, user_id, tags) VALUES ($1, $2, $3)
            ON CONFLICT (app_id, user_id) DO UPDATE SET tags = excluded.tags
            """,
            app,
            user,
            tags
        )
    }

    private func foundTags(
        of user: UserID,
        app: AppID,
        butOf number: DeviceNumber?
    ) throws -> (tags: TagNumbers, areParked: Bool)? {
        try connection.first(
            """
            SELECT tags, 0 FROM (
                SELECT tags FROM devices WHERE app_id = $1 AND user_id = $2 AND number <> $3 LIMIT 1) AS other
            UNION ALL SELECT tags, 1 FROM user_tags WHERE app_id = $1 AND user_id = $2
            """,
            app,
            user,
            number?.rawValue ?? -1,
            as: (TagNumbers, Bool).self
        ).map { ($0, $1) }
    }
}

/// The columns of `devices` that facets are made of.
private enum FacetColumn: Int, SQLColumn { case number, consent, language, country }

extension DeviceFacets {
    fileprivate init(row: SQLRow<FacetColumn>) throws {
        self.init(consent: try row[.consent], language: try row[.language], country: try row[.country])
    }
}
