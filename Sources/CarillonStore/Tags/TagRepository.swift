import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Tags in SQL.
struct TagRepository: TagStore {
    /// How many Devices lose a deleted tag in one transaction.
    private static let step = 500

    let database: any Database

    func insert(
        _ tag: Tag,
        app: AppID,
        limit: Int,
        for request: IdempotentRequest<Tag>?
    ) async throws(StoreError) -> TagInsertion {
        let author = try tag.createdBy.map { author throws(StoreError) in try JSONColumn(author).text }
        return try await database.write { connection in
            try connection.idempotencyKeys.begin(request)
            try connection.lock(.app(app))
            let count = try connection.first("SELECT count(*) FROM tags WHERE app_id = $1", app, as: Int.self)
            guard count ?? 0 < limit else { return .full }
            guard try !connection.tags.hasTag(named: tag.name, app: app) else { return .nameTaken }
            let rows = try connection.run(
                """
                INSERT INTO tags (app_id, id, name, created_at, number, updated_at, created_by)
                SELECT id, $1, $2, $3, next_tag_number, $3, $4 FROM apps WHERE id = $5
                ON CONFLICT (app_id, id) DO NOTHING
                """,
                tag.id,
                tag.name,
                tag.createdAt,
                author,
                app
            )
            guard rows > 0 else { return .taken }
            try connection.run("UPDATE apps SET next_tag_number = next_tag_number + 1 WHERE id = $1", app)
            try connection.idempotencyKeys.complete(request, tag)
            return .added
        }
    }

    func tags(app: AppID, named name: String?, after: TagID?, limit: Int) async throws(StoreError) -> [Tag] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(TagColumn.list) FROM tags
                WHERE app_id = $1 AND id > $2 AND name = COALESCE($3, name) ORDER BY id LIMIT $4
                """,
                app,
                after?.rawValue ?? "",
                name,
                limit,
                read: Tag.init(row:)
            )
        }
    }

    func tag(_ tag: TagID, app: AppID) async throws(StoreError) -> Tag? {
        try await database.read { connection in try connection.tags.tag(tag, app: app) }
    }

    func rename(_ tag: TagID, to name: String, app: AppID, at: Timestamp) async throws(StoreError) -> TagRenaming {
        try await database.write { connection in
            try connection.lock(.app(app))
            guard let before = try connection.tags.tag(tag, app: app) else { return .missing }
            guard try before.name == name || !connection.tags.hasTag(named: name, app: app) else { return .nameTaken }
            try connection.run(
                "UPDATE tags SET name = $1, updated_at = $2 WHERE app_id = $3 AND id = $4",
                name,
                at,
                app,
                tag
            )
            return try connection.tags.tag(tag, app: app).map(TagRenaming.renamed) ?? .missing
        }
    }

    func delete(
        _ tag: TagID,
        app: AppID,
        evenIfUsed: Bool,
        movingTo target: Int64?
    ) async throws(StoreError) -> TagDeletion {
        let (deletion, number) = try await database.write { connection -> (TagDeletion, Int64?) in
            // No Audience is saved meanwhile.
            try connection.lock(.app(app))
            guard let found = try connection.tags.tag(tag, app: app),
                let number = try connection.tags.tagNumber(tag, app: app)
            else { return (.missing, nil) }
            if !evenIfUsed {
                let uses = try connection.tags.uses(of: found, app: app)
                guard uses.isEmpty else { return (.used(uses), nil) }
            }
            try connection.run("DELETE FROM tags WHERE app_id = $1 AND id = $2", app, tag)
            return (.deleted, number)
        }
        guard let number else { return deletion }
        // Who got it at the last moment.
        if let target { try await moveRest(of: number, to: target, app: app) }
        while try await removeSomeUses(of: number, app: app) {}
        return .deleted
    }

    func removeLeftovers(app: AppID) async throws(StoreError) {
        let orphans = try await database.read { connection in
            try connection.tags.orphanedTags(app: app)
        }
        for number in orphans { while try await removeSomeUses(of: number, app: app) {} }
    }

    func tags(of caller: DeviceCaller) async throws(StoreError) -> Result<Set<TagID>, EngineError> {
        try await database.read { connection in
            switch try connection.devices.knownUser(caller) {
            case .failure(let error): .failure(error)
            case .success(let user): .success(Set(try connection.tags.tags(of: user, app: caller.app).map(\.id)))
            }
        }
    }

    func apply(
        _ change: TagChange,
        of caller: DeviceCaller
    ) async throws(StoreError) -> Result<Set<TagID>, EngineError> {
        try await database.write { connection in
            // The Device's lock keeps its User the same meanwhile, the User's keeps the tags.
            try connection.lock(.device(caller.device, app: caller.app))
            switch try connection.devices.knownUser(caller) {
            case .failure(let error): return .failure(error)
            case .success(let user):
                try connection.lock(.user(user, app: caller.app))
                return try connection.tags.apply(change, to: user, app: caller.app)
            }
        }
    }

    // MARK: - Private

    private static let uses: SQL = """
        SELECT t.device_number, d.tags FROM device_tags t
        JOIN devices d ON d.app_id = $1 AND d.number = t.device_number
        WHERE t.app_id = $1 AND t.tag = $2 ORDER BY t.device_number LIMIT $3
        """
    /// Nobody else gives these Devices tags before the commit.
    private static let lockedUses: SQL = """
        SELECT t.device_number, d.tags FROM device_tags t
        JOIN devices d ON d.app_id = $1 AND d.number = t.device_number
        WHERE t.app_id = $1 AND t.tag = $2 ORDER BY t.device_number LIMIT $3 FOR UPDATE OF d
        """

    /// - Returns: Whether there may be more.
    func removeSomeUses(of tag: Int64, app: AppID) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            let devices = try connection.all(
                connection.dialect.pick(sqlite: Self.uses, postgreSQL: Self.lockedUses),
                app,
                tag,
                Self.step,
                as: (DeviceNumber, TagNumbers).self
            )
            for (device, tags) in devices {
                let kept = TagNumbers(tags.numbers.filter { $0 != tag })
                try connection.send(
                    "UPDATE devices SET tags = $1 WHERE app_id = $2 AND number = $3",
                    kept.stored,
                    app,
                    device
                )
                try connection.devices.removeDeviceTags(TagNumbers([tag]), but: .none, from: device, app: app)
            }
            return devices.count == Self.step
        }
    }
}

private enum TagColumn: Int, SQLColumn { case id, name, createdAt, updatedAt, createdBy }

extension TagTable {
    func tagNumber(_ tag: TagID, app: AppID) throws(StoreError) -> Int64? {
        try connection.first("SELECT number FROM tags WHERE app_id = $1 AND id = $2", app, tag, as: Int64.self)
    }

    /// Whether the App has a tag of this name.
    func hasTag(named name: String, app: AppID) throws -> Bool {
        try connection.first("SELECT 1 FROM tags WHERE app_id = $1 AND name = $2 LIMIT 1", app, name, as: Int.self)
            != nil
    }

    func tag(_ tag: TagID, app: AppID) throws -> Tag? {
        try connection.first(
            "SELECT \(TagColumn.list) FROM tags WHERE app_id = $1 AND id = $2",
            app,
            tag,
            read: Tag.init(row:)
        )
    }

    /// Numbers of tags that are gone while Devices still have them: a deletion was cut off.
    fileprivate func orphanedTags(app: AppID) throws -> [Int64] {
        var orphans: [Int64] = []
        var last: Int64 = 0
        // From number to number by the key: there are at most as many as tags were ever made.
        while let number = try connection.first(
            "SELECT tag FROM device_tags WHERE app_id = $1 AND tag > $2 ORDER BY tag LIMIT 1",
            app,
            last,
            as: Int64.self
        ) {
            last = number
            let isThere = try connection.first("SELECT 1 FROM tags WHERE app_id = $1 AND number = $2", app, number) {
                _ in true
            }
            if isThere == nil { orphans.append(number) }
        }
        return orphans
    }
}

extension Tag {
    fileprivate init(row: SQLRow<TagColumn>) throws {
        self.init(
            id: try row[.id],
            name: try row[.name],
            createdAt: try row[.createdAt],
            updatedAt: try row[.updatedAt],
            createdBy: try row.optionalJSON(.createdBy)
        )
    }
}
