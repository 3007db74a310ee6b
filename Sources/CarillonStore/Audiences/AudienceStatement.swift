import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// What says how a Device is reached; the last two are whether there is a token for notifications and one for calls.
enum ReachColumn: Int { case number, consent, language, hasToken, hasVoIPToken }

/// Puts the one statement together that reads the Devices of a rule: its text is fragments from here, every value of
/// the rule is bound.
///
/// In it `d` is the Device's row, `t` that of its token for calls where one is looked at, `g` the run that leads to it.
/// A condition is true, false or unknown; only true counts, so that `not` is `IS NOT TRUE`.
struct AudienceStatement {
    /// What of a Device is read.
    enum Columns {
        /// What a campaign needs, of Devices with an active token of the channel that registered at `oldest` or later.
        case recipients(Campaign.Channel, oldest: Timestamp)
        /// The same of all Devices, with the token of those that can be sent to alone, and each Device's User.
        case candidates(Campaign.Channel, oldest: Timestamp)
        /// Those of ``ReachColumn``.
        case reach(oldest: Timestamp)
    }

    var sql = ComposedSQL()
    let columns: Columns
    let names: AudienceNames
    let now: Timestamp
    let dialect: Dialect

    /// The statement of a way to a rule's Devices, in the order of their numbers.
    static func reading(
        _ route: AudienceRoute,
        _ columns: Columns,
        names: AudienceNames,
        now: Timestamp,
        dialect: Dialect
    ) -> ComposedSQL {
        var statement = AudienceStatement(columns: columns, names: names, now: now, dialect: dialect)
        statement.select(route)
        return statement.sql
    }

    private init(columns: Columns, names: AudienceNames, now: Timestamp, dialect: Dialect) {
        self.columns = columns
        self.names = names
        self.now = now
        self.dialect = dialect
    }

    mutating func add(_ literal: SQL) { sql.append(literal) }
    mutating func bind(_ value: Int64) { sql.bind(.integer(value)) }
    mutating func bind(_ value: Double) { sql.bind(.number(value)) }
    mutating func bind(_ value: String) { sql.bind(.text(value)) }
    mutating func add(_ slot: ComposedSQL.Slot) { sql.bind(slot) }

    // MARK: - Private

    private mutating func select(_ route: AudienceRoute) {
        let active = DeviceRecord.TokenState.active.code
        switch columns {
        case .recipients(.notification, let oldest):
            add("SELECT \(RecipientColumn.list(of: "d")) FROM ")
            addDevices(route, "devices d")
            add(" AND d.token_state = ")
            bind(active)
            add(" AND d.registered_at >= ")
            bind(oldest.rawValue)
        case .recipients(.voip, let oldest):
            add("SELECT d.number, t.push_type, t.token, d.consent, d.language, d.time_zone, t.unconfirmed FROM ")
            // Few have such a token: they lead to the Devices where nothing else does.
            addDevices(route, "call_tokens t CROSS JOIN devices d")
            add(" AND t.app_id = ")
            add(.app)
            add(" AND t.device_number = d.number AND t.device_number > ")
            add(.after)
            add(" AND t.device_number <= ")
            add(.through)
            add(" AND t.state = ")
            bind(active)
            add(" AND d.registered_at >= ")
            bind(oldest.rawValue)
        case .candidates(let channel, let oldest):
            add(
                channel == .voip
                    ? "SELECT d.number, t.push_type, CASE WHEN t.state = "
                    : "SELECT d.number, d.push_type, CASE WHEN d.token_state = "
            )
            bind(active)
            add(" AND d.registered_at >= ")
            bind(oldest.rawValue)
            add(channel == .voip ? " THEN t.token END, " : " THEN d.token END, ")
            add("d.consent, d.language, d.time_zone, ")
            add(channel == .voip ? "t.unconfirmed, d.user_id FROM " : "d.token_unconfirmed, d.user_id FROM ")
            addDevices(route, "devices d")
        case .reach(let oldest):
            add("SELECT d.number, d.consent, d.language, CASE WHEN d.token_state = ")
            bind(active)
            add(" AND d.registered_at >= ")
            bind(oldest.rawValue)
            add(" THEN 1 ELSE 0 END, CASE WHEN t.state = ")
            bind(active)
            add(" AND d.registered_at >= ")
            bind(oldest.rawValue)
            add(" THEN 1 ELSE 0 END FROM ")
            addDevices(route, "devices d")
        }
        for filter in route.filters.sorted(by: { $0.cost(names) < $1.cost(names) }) {
            add(" AND ")
            condition(filter)
        }
        if let users = route.users { isOne(of: users) }
        add(order(of: route))
        add(.limit)
    }

    private func order(of route: AudienceRoute) -> SQL {
        switch (route.driver, columns) {
        case (.runs, _): " ORDER BY g.device_number LIMIT "
        case (.scan, .recipients(.voip, _)): " ORDER BY t.device_number LIMIT "
        case (.scan, _), (.numbers, _): " ORDER BY d.number LIMIT "
        }
    }

    /// Asks for one of many Users.
    ///
    /// `IS TRUE` keeps PostgreSQL from looking up the Users' Devices instead, of which there are too many.
    private mutating func isOne(of users: SQLValue) {
        add(" AND (d.user_id IN (")
        add(dialect.pick(sqlite: "SELECT u.value FROM json_each(", postgreSQL: "SELECT unnest(CAST(CAST("))
        sql.bind(users)
        add(dialect.pick(sqlite: ") u", postgreSQL: " AS TEXT) AS TEXT[]))"))
        add(")) IS TRUE")
    }

    /// Adds the tables, and that the Devices are the App's and of the window.
    ///
    /// CROSS JOIN: SQLite joins in the order in which it is written.
    private mutating func addDevices(_ route: AudienceRoute, _ scanned: SQL) {
        switch route.driver {
        case .scan:
            add(scanned)
            // What is scanned instead of Devices joins nothing more.
            switch columns {
            case .reach, .candidates: addCallTokens()
            case .recipients: break
            }
            add(" WHERE d.app_id = ")
            add(.app)
            add(" AND d.number > ")
            add(.after)
            add(" AND d.number <= ")
            add(.through)
        case .runs(let runs):
            add(runs, FacetCondition(route.filters))
            addDevice(" g ", of: "g.device_number")
            addCallTokens()
            add(" WHERE d.app_id = ")
            add(.app)
            if dialect == .sqlite { add(" AND d.number = g.device_number") }
        case .numbers(let list):
            add(numbers: list)
            addCallTokens()
            add(" WHERE d.app_id = ")
            add(.app)
            add(" AND d.number = n.value AND d.number > ")
            add(.after)
            add(" AND d.number <= ")
            add(.through)
        }
    }

    /// Joins the Devices' tokens for calls, where they are looked at.
    private mutating func addCallTokens() {
        switch columns {
        case .recipients(.notification, _), .candidates(.notification, _): break
        case .recipients(.voip, _): add(" CROSS JOIN call_tokens t")
        case .reach, .candidates(.voip, _):
            add(" LEFT JOIN call_tokens t ON t.device_number = d.number AND t.app_id = ")
            add(.app)
        }
    }

    private mutating func add(numbers list: SQLValue) {
        add(dialect.pick(sqlite: "json_each(", postgreSQL: "unnest(CAST(CAST("))
        sql.bind(list)
        add(dialect.pick(sqlite: ")", postgreSQL: " AS TEXT) AS BIGINT[]))"))
        addDevice(dialect.pick(sqlite: " n ", postgreSQL: " AS n (value) "), of: "n.value")
    }

    /// Names what leads to the Devices, and joins the Device of each of its numbers.
    ///
    /// The limit has PostgreSQL look up one number after the other. Left to choose it compares each number with each
    /// Device of the window where it has no statistics, or old ones, because it takes both for a single row.
    private mutating func addDevice(_ name: SQL, of number: SQL) {
        add(name)
        guard dialect == .postgreSQL else { return add("CROSS JOIN devices d") }
        add("CROSS JOIN LATERAL (SELECT * FROM devices x WHERE x.app_id = ")
        add(.app)
        add(" AND x.number = ")
        add(number)
        add(" LIMIT 1) d")
    }

    private mutating func add(_ runs: [AudienceDriver.Run], _ facets: FacetCondition) {
        add("(")
        for (place, run) in runs.enumerated() {
            if place > 0 { add(" UNION ") }
            switch run.table {
            case .tags: add("SELECT device_number FROM device_tags WHERE app_id = ")
            case .categories: add("SELECT device_number FROM device_categories WHERE app_id = ")
            }
            add(.app)
            switch run.table {
            case .tags: add(" AND tag = ")
            case .categories: add(" AND label = ")
            }
            bind(run.label)
            add(" AND device_number > ")
            add(.after)
            add(" AND device_number <= ")
            add(.through)
            if run.table == .tags { facets.add(to: &sql) }
        }
        add(")")
    }

    mutating func condition(_ rule: AudienceRule) {
        switch rule {
        case .and(let rules): conditions(rules, joinedBy: " AND ")
        case .or(let rules): conditions(rules, joinedBy: " OR ")
        case .not(let rule):
            add("(")
            condition(rule)
            add(" IS NOT TRUE)")
        case .term(let term): condition(term)
        }
    }

    private mutating func conditions(_ rules: [AudienceRule], joinedBy joint: SQL) {
        add("(")
        for (place, rule) in rules.sorted(by: { $0.cost(names) < $1.cost(names) }).enumerated() {
            if place > 0 { add(joint) }
            condition(rule)
        }
        add(")")
    }
}

extension AudienceRule {
    /// How many rows have to be looked up to judge it of one Device: what needs none is asked first.
    func cost(_ names: AudienceNames) -> Int { terms.reduce(0) { $0 + $1.lookUps(names) } }
}
