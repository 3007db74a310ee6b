import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Changes of many Users' tags.
extension TagRepository {
    func apply(
        _ change: TagListChange,
        of tag: TagID,
        to users: [UserID],
        app: AppID
    ) async throws(StoreError) -> [TagListOutcome]? {
        try await database.write(priority: .bulk) { connection in
            try connection.lock(Set(users.map { WriteLock.user($0, app: app) }))
            guard let number = try connection.tags.tagNumber(tag, app: app) else { return nil }
            let known = try connection.tags.known(users, app: app)
            return try users.map { user in
                guard known.contains(user) else { return .unknown }
                let current = try connection.tags.tags(of: user, app: app).map(\.number)
                guard current.contains(number) != (change == .add) else { return .unchanged }
                if change == .add, current.count >= TagSet.maximumCount { return .tooManyTags }
                guard try !connection.tags.hasTooManyDevices(user, app: app) else { return .tooManyDevices }
                let numbers = change == .add ? current + [number] : current.filter { $0 != number }
                try connection.tags.setTags(TagNumbers(numbers), of: user, app: app)
                return .changed
            }
        }
    }

    func moveUsers(
        of tag: Int64,
        to target: Int64,
        app: AppID,
        after: UserID?,
        limit: Int
    ) async throws(StoreError) -> TagMove {
        let devices = try await database.read { connection in
            try connection.all(
                """
                SELECT t.device_number, d.user_id FROM device_tags t
                JOIN devices d ON d.app_id = $1 AND d.number = t.device_number
                WHERE t.app_id = $1 AND t.tag = $2 ORDER BY t.device_number LIMIT $3
                """,
                app,
                tag,
                limit,
                as: (DeviceNumber, String?).self
            )
        }
        guard devices.isEmpty else {
            let owned = devices.compactMap { device, user in user.flatMap(UserID.init(rawValue:)).map { (device, $0) } }
            // A Device without a User has no tags: what is left of a change is removed.
            guard !owned.isEmpty else {
                _ = try await removeSomeUses(of: tag, app: app)
                return TagMove(users: 0, next: .users(after: after))
            }
            let users = try await replace(tag, by: target, of: owned, app: app)
            return TagMove(users: users, next: .users(after: after))
        }
        let parked = try await database.read { connection in
            try connection.all(
                "SELECT user_id, tags FROM user_tags WHERE app_id = $1 AND user_id > $2 ORDER BY user_id LIMIT $3",
                app,
                after?.rawValue ?? "",
                limit,
                as: (UserID, TagNumbers).self
            )
        }
        guard let last = parked.last?.0 else { return TagMove(users: 0, next: .done) }
        let having = parked.filter { $0.1.numbers.contains(tag) }.map { (DeviceNumber(rawValue: -1), $0.0) }
        let users = having.isEmpty ? 0 : try await replace(tag, by: target, of: having, app: app)
        return TagMove(users: users, next: .users(after: last))
    }

    /// Gives all Users of a tag another one in its place.
    func moveRest(of tag: Int64, to target: Int64, app: AppID) async throws(StoreError) {
        var last: UserID?
        while case .users(let after) = try await moveUsers(of: tag, to: target, app: app, after: last, limit: 100).next
        {
            last = after
        }
    }

    // MARK: - Private

    /// Gives Users another tag; of one whom more Devices share than a person has, the given Devices alone get it.
    private func replace(
        _ tag: Int64,
        by target: Int64,
        of owned: [(device: DeviceNumber, user: UserID)],
        app: AppID
    ) async throws(StoreError) -> Int {
        let devices = Dictionary(grouping: owned, by: \.user).mapValues { $0.map(\.device) }
        return try await database.write(priority: .bulk) { connection in
            try connection.lock(Set(devices.keys.map { WriteLock.user($0, app: app) }))
            var count = 0
            for (user, devices) in devices {
                if try connection.tags.hasTooManyDevices(user, app: app) {
                    for device in devices {
                        let had = try connection.tags.tagNumbers(of: device, app: app)
                        guard had.numbers.contains(tag) else { continue }
                        try connection.tags.setTags(
                            had.replacing(tag, by: target),
                            ofDevices: [(device, had)],
                            app: app
                        )
                    }
                    count += 1
                    continue
                }
                let had = try connection.tags.tagNumbers(of: user, app: app)
                guard had.numbers.contains(tag) else {
                    // Its Devices have other tags than the User: they get those.
                    try connection.tags.setTags(had, of: user, app: app)
                    continue
                }
                try connection.tags.setTags(had.replacing(tag, by: target), of: user, app: app)
                count += 1
            }
            return count
        }
    }
}

extension TagNumbers {
    fileprivate func replacing(_ number: Int64, by other: Int64) -> TagNumbers {
        TagNumbers(numbers.filter { $0 != number } + [other])
    }
}

extension TagTable {
    /// Those of some Users who have a Device, or tags without one.
    fileprivate func known(_ users: [UserID], app: AppID) throws -> Set<UserID> {
        let found = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT u.value FROM json_each($1) u WHERE EXISTS (
                        SELECT 1 FROM devices d WHERE d.app_id = $2 AND d.user_id = u.value)
                        OR EXISTS (SELECT 1 FROM user_tags t WHERE t.app_id = $2 AND t.user_id = u.value) LIMIT 1000
                    """,
                postgreSQL: """
                    SELECT u.id FROM unnest(CAST(CAST($1 AS TEXT) AS TEXT[])) AS u (id) WHERE EXISTS (
                        SELECT 1 FROM devices d WHERE d.app_id = $2 AND d.user_id = u.id)
                        OR EXISTS (SELECT 1 FROM user_tags t WHERE t.app_id = $2 AND t.user_id = u.id) LIMIT 1000
                    """
            ),
            SQLList(texts: users.lazy.map(\.rawValue), connection.dialect),
            app,
            as: UserID.self
        )
        return Set(found)
    }

    fileprivate func tagNumbers(of device: DeviceNumber, app: AppID) throws -> TagNumbers {
        try connection.first(
            "SELECT tags FROM devices WHERE app_id = $1 AND number = $2",
            app,
            device,
            as: TagNumbers.self
        ) ?? .none
    }
}
