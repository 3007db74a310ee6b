import CarillonEngine
import CarillonModel
import CarillonOperatorModel
package import CarillonSQL

/// Users or Devices that an Audience names one by one.
enum AudienceList: Sendable {
    case users(Set<UserID>)
    case devices(Set<DeviceID>)

    /// How many Devices a list is looked up for.
    ///
    /// One with more, of Users whom many Devices share, is found by going through the App's Devices, a window at a time.
    static let deviceLimit = 50_000
    /// How many Devices of a list are read at a time.
    static let portion = 5_000

    /// The list of an Audience that is no rule.
    init?(_ audience: Audience) {
        switch audience {
        case .users(let users): self = .users(Set(users))
        case .devices(let devices): self = .devices(Set(devices))
        // Nobody is left of it.
        case .redacted: self = .users([])
        case .all, .rule, .saved: return nil
        }
    }

    /// The list of a rule that holds for nobody else, if it has one.
    init?(_ rule: AudienceRule) {
        for case .term(let term) in rule.conjuncts {
            switch term {
            case .user(let match) where !match.isNegated:
                self = .users(Set(match.values))
                return
            case .device(let match) where !match.isNegated:
                self = .devices(Set(match.values))
                return
            default: continue
            }
        }
        return nil
    }

    /// The list as a parameter.
    func values(_ dialect: Dialect) -> SQLList {
        switch self {
        case .users(let users): SQLList(texts: users.lazy.map(\.rawValue), dialect)
        case .devices(let devices): SQLList(devices, dialect)
        }
    }
}

/// The statements of lists, each one for all that a list names.
package enum AudienceListSQL {
    /// How many Devices Users have, as far as it matters.
    static let count: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT count(*) FROM (
            SELECT 1 FROM json_each($1) u CROSS JOIN devices d ON d.app_id = $2 AND d.user_id = u.value LIMIT $3
        ) AS found
        """,
        """
        SELECT count(*) FROM (
            SELECT 1 FROM unnest(CAST(CAST($1 AS TEXT) AS TEXT[])) AS u (id)
            CROSS JOIN LATERAL (
                SELECT 1 FROM devices x WHERE x.app_id = $2 AND x.user_id = u.id LIMIT $3) AS d
            LIMIT $3
        ) AS found
        """
    )
    /// The inner limit is beyond what a list has that is looked up: PostgreSQL follows the index of Users then,
    /// whatever it knows of the table.
    static let ofUsers: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT d.number FROM json_each($1) u CROSS JOIN devices d ON d.app_id = $2 AND d.user_id = u.value
        WHERE d.number > $3 AND d.number <= $4 ORDER BY d.number LIMIT $5
        """,
        """
        SELECT d.number FROM unnest(CAST(CAST($1 AS TEXT) AS TEXT[])) AS u (id)
        CROSS JOIN LATERAL (
            SELECT x.number FROM devices x
            WHERE x.app_id = $2 AND x.user_id = u.id AND x.number > $3 AND x.number <= $4 LIMIT 1000000) AS d
        ORDER BY d.number LIMIT $5
        """
    )
    static let ofDevices: (sqlite: SQL, postgreSQL: SQL) = (
        """
        WITH RECURSIVE places (place) AS (
            SELECT 0 WHERE length($1) > 0
            UNION ALL SELECT place + 1 FROM places WHERE (place + 1) * 16 < length($1)
        )
        SELECT d.number FROM places CROSS JOIN devices d
            ON d.app_id = $2 AND d.public_id = substr($1, place * 16 + 1, 16)
        WHERE d.number > $3 AND d.number <= $4 ORDER BY d.number LIMIT $5
        """,
        """
        SELECT d.number FROM unnest(CAST(CAST($1 AS TEXT) AS BYTEA[])) AS p (id)
        CROSS JOIN LATERAL (
            SELECT x.number FROM devices x
            WHERE x.app_id = $2 AND x.public_id = p.id AND x.number > $3 AND x.number <= $4 LIMIT 1) AS d
        ORDER BY d.number LIMIT $5
        """
    )

    /// All on SQLite, for a test of how they find their rows.
    package static let reading: [SQL] = [count.sqlite, ofUsers.sqlite, ofDevices.sqlite]
}

extension AudienceTable {
    /// Whether a list stands for more Devices than are looked up.
    func isLong(_ list: AudienceList, app: AppID) throws -> Bool {
        guard case .users = list else { return false }
        let sql = connection.dialect.pick(
            sqlite: AudienceListSQL.count.sqlite,
            postgreSQL: AudienceListSQL.count.postgreSQL
        )
        let (values, limit) = (list.values(connection.dialect), AudienceList.deviceLimit + 1)
        let count = try connection.first(sql, values, app, limit, as: Int.self)
        return count ?? 0 > AudienceList.deviceLimit
    }

    /// The next numbers of a list's Devices in their order, after one, through another.
    func numbers(
        of list: AudienceList,
        app: AppID,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws -> [DeviceNumber] {
        let sql =
            switch list {
            case .users:
                connection.dialect.pick(
                    sqlite: AudienceListSQL.ofUsers.sqlite,
                    postgreSQL: AudienceListSQL.ofUsers.postgreSQL
                )
            case .devices:
                connection.dialect.pick(
                    sqlite: AudienceListSQL.ofDevices.sqlite,
                    postgreSQL: AudienceListSQL.ofDevices.postgreSQL
                )
            }
        return try connection.all(sql, list.values(connection.dialect), app, after, through, AudienceList.portion) {
            DeviceNumber(rawValue: $0.int64(RecipientColumn.number.rawValue))
        }
    }
}
