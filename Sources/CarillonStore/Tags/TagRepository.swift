import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Tags in SQL.
struct TagRepository: TagStore {
    /// How many Users lose a deleted tag in one transaction.
    private static let step = 1_000

    let database: any Database

    func insert(_ tag: Tag, app: AppID, limit: Int) async throws(StoreError) -> TagInsertion {
        try await database.write { connection throws(StoreError) in
            let count = try connection.first("SELECT count(*) FROM tags WHERE app_id = $1", app) {
                row throws(StoreError) in row.int(0)
            }
            guard count ?? 0 < limit else { return .full }
            let rows = try connection.run(
                """
                INSERT INTO tags (app_id, id, name, created_at, number, updated_at)
                SELECT id, $1, $2, $3, next_tag_number, $3 FROM apps WHERE id = $4
                ON CONFLICT (app_id, id) DO NOTHING
                """,
                tag.id,
                tag.name,
                tag.createdAt,
                app
            )
            guard rows > 0 else { return .taken }
            try connection.run("UPDATE apps SET next_tag_number = next_tag_number + 1 WHERE id = $1", app)
            return .added
        }
    }

    func tags(app: AppID, after: TagID?, limit: Int) async throws(StoreError) -> [Tag] {
        try await database.read { connection throws(StoreError) in
            try connection.all(
                "SELECT id, name, created_at FROM tags WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3",
                app,
                after?.rawValue ?? "",
                limit
            ) { row throws(StoreError) in
                Tag(id: try .stored(row.string(0)), name: row.string(1), createdAt: Timestamp(rawValue: row.int64(2)))
            }
        }
    }

    func delete(_ tag: TagID, app: AppID) async throws(StoreError) -> Bool {
        let wasThere = try await database.write { connection throws(StoreError) in
            try connection.run("DELETE FROM tags WHERE app_id = $1 AND id = $2", app, tag) > 0
        }
        // Also when it was not there: a deletion that was cut off goes on.
        while try await removeSomeUses(of: tag, app: app) {}
        return wasThere
    }

    func tags(of caller: DeviceCaller) async throws(StoreError) -> Result<Set<TagID>, EngineError> {
        try await database.read { connection throws(StoreError) in
            switch try connection.knownUser(caller) {
            case .failure(let error): .failure(error)
            case .success(let user): .success(try connection.tags(of: user, app: caller.app))
            }
        }
    }

    func apply(
        _ change: TagChange,
        of caller: DeviceCaller
    ) async throws(StoreError) -> Result<Set<TagID>, EngineError> {
        try await database.write { connection throws(StoreError) in
            let user: UserID
            switch try connection.knownUser(caller) {
            case .failure(let error): return .failure(error)
            case .success(let known): user = known
            }
            let current = try connection.tags(of: user, app: caller.app)
            let plan = try change.plan(for: current) { tag throws(StoreError) in
                try connection.hasTag(tag, app: caller.app)
            }
            guard case .success(let result) = plan else { return plan }
            for tag in current.subtracting(result) { try connection.removeTag(tag, from: user, app: caller.app) }
            for tag in result.subtracting(current) { try connection.addTag(tag, to: user, app: caller.app) }
            return plan
        }
    }

    // MARK: - Private

    /// - Returns: Whether there may be more.
    private func removeSomeUses(of tag: TagID, app: AppID) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection throws(StoreError) in
            try connection.run(
                """
                DELETE FROM user_tags WHERE app_id = $1 AND tag_id = $2 AND user_id IN (
                    SELECT user_id FROM user_tags WHERE app_id = $1 AND tag_id = $2 ORDER BY user_id LIMIT $3)
                """,
                app,
                tag,
                Self.step
            ) == Self.step
        }
    }
}

extension SQLConnection {
    /// Takes all tags of a User away.
    func removeTags(of user: UserID, app: AppID) throws(StoreError) {
        try run("DELETE FROM user_tags WHERE app_id = $1 AND user_id = $2", app, user)
    }

    /// The tags of a User that the App still has.
    fileprivate func tags(of user: UserID, app: AppID) throws(StoreError) -> Set<TagID> {
        let tags = try all(
            """
            SELECT u.tag_id FROM user_tags u JOIN tags t ON t.app_id = u.app_id AND t.id = u.tag_id
            WHERE u.app_id = $1 AND u.user_id = $2
            """,
            app,
            user
        ) { row throws(StoreError) in try TagID.stored(row.string(0)) }
        return Set(tags)
    }

    fileprivate func hasTag(_ tag: TagID, app: AppID) throws(StoreError) -> Bool {
        try first("SELECT 1 FROM tags WHERE app_id = $1 AND id = $2", app, tag) { _ in true } ?? false
    }

    fileprivate func addTag(_ tag: TagID, to user: UserID, app: AppID) throws(StoreError) {
        try run(
            "INSERT INTO user_tags (app_id, user_id, tag_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            app,
            user,
            tag
        )
    }

    fileprivate func removeTag(_ tag: TagID, from user: UserID, app: AppID) throws(StoreError) {
        try run("DELETE FROM user_tags WHERE app_id = $1 AND user_id = $2 AND tag_id = $3", app, user, tag)
    }
}

extension TagID {
    fileprivate static func stored(_ text: String) throws(StoreError) -> TagID {
        guard let id = TagID(rawValue: text) else { throw .failed("A tag's id is damaged.") }
        return id
    }
}
