import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The Users of tags, as operators see them.
extension TagRepository {
    /// How many Users without Devices are looked through in one read.
    private static let scanLimit = 10_000

    func number(named name: String, app: AppID) async throws(StoreError) -> Int64? {
        try await database.read { connection in
            try connection.first(
                "SELECT number FROM tags WHERE app_id = $1 AND (name = $2 OR id = $2) ORDER BY name <> $2, number LIMIT 1",
                app,
                name,
                as: Int64.self
            )
        }
    }

    func tags(of user: UserID, app: AppID) async throws(StoreError) -> Set<TagID> {
        try await database.read { connection in
            Set(try connection.tags.tags(of: user, app: app).map(\.id))
        }
    }

    func apply(
        _ change: TagChange,
        to users: [UserID],
        app: AppID
    ) async throws(StoreError) -> Result<[UserID: Set<TagID>], EngineError> {
        try await database.write { connection in
            try connection.lock(Set(users.map { WriteLock.user($0, app: app) }))
            var plans: [UserID: TagPlan] = [:]
            for user in users {
                switch try connection.tags.plan(change, for: user, app: app) {
                case .failure(let error): return .failure(error)
                case .success(let plan): plans[user] = plan
                }
            }
            for (user, plan) in plans { try connection.tags.carryOut(plan, of: user, app: app) }
            return .success(plans.mapValues(\.tags))
        }
    }

    func users(
        of tag: TagID,
        app: AppID,
        after: TagUserPosition?,
        limit: Int
    ) async throws(StoreError) -> (users: [UserID], next: TagUserPosition?)? {
        try await database.read { connection in
            guard let number = try connection.tags.tagNumber(tag, app: app) else { return nil }
            var users: [UserID] = []
            var last: UserID?
            switch after {
            case .user(let user): last = user
            case nil, .device:
                let first: DeviceNumber? = if case .device(let device) = after { device } else { nil }
                let found = try connection.tags.usersWithDevices(of: number, app: app, after: first, limit: limit)
                users = found.map(\.user)
                if users.count == limit { return (users, found.last.map { .device($0.device) }) }
            }
            let (parked, next) = try connection.tags.usersWithoutDevices(
                of: number,
                app: app,
                after: last,
                limit: limit - users.count,
                scanLimit: Self.scanLimit
            )
            return (users + parked, next)
        }
    }
}

private enum UserTagsColumn: Int, SQLColumn { case userID, tags }

extension TagTable {
    /// Users of a tag at the first of their Devices.
    fileprivate func usersWithDevices(
        of tag: Int64,
        app: AppID,
        after: DeviceNumber?,
        limit: Int
    ) throws -> [(device: DeviceNumber, user: UserID)] {
        let rows = try connection.all(
            """
            SELECT t.device_number, d.user_id FROM device_tags t
            JOIN devices d ON d.app_id = $1 AND d.number = t.device_number
            WHERE t.app_id = $1 AND t.tag = $2 AND t.device_number > $3 AND d.user_id IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM devices o
                WHERE o.app_id = $1 AND o.user_id = d.user_id AND o.number < d.number)
            ORDER BY t.device_number LIMIT $4
            """,
            app,
            tag,
            after?.rawValue ?? -1,
            limit,
            as: (DeviceNumber, String).self
        )
        return rows.compactMap { device, user in UserID(rawValue: user).map { (device, $0) } }
    }

    /// Users of a tag who have no Device at the moment.
    fileprivate func usersWithoutDevices(
        of tag: Int64,
        app: AppID,
        after: UserID?,
        limit: Int,
        scanLimit: Int
    ) throws -> (users: [UserID], next: TagUserPosition?) {
        let statement = try connection.prepare(
            "SELECT \(UserTagsColumn.list) FROM user_tags WHERE app_id = $1 AND user_id > $2 ORDER BY user_id LIMIT $3"
        )
        defer { statement.reset() }
        statement.bind(app.rawValue, at: 1)
        statement.bind(after?.rawValue ?? "", at: 2)
        statement.bind(Int64(scanLimit), at: 3)
        var (users, last, count): ([UserID], UserID?, Int) = ([], after, 0)
        while users.count < limit {
            guard try statement.next() else {
                return (users, count < scanLimit ? nil : last.map(TagUserPosition.user))
            }
            count += 1
            guard let user = UserID(rawValue: statement.string(UserTagsColumn.userID.rawValue)) else { continue }
            last = user
            if try TagNumbers.read(statement, at: UserTagsColumn.tags.rawValue).numbers.contains(tag) {
                users.append(user)
            }
        }
        return (users, last.map(TagUserPosition.user))
    }
}
