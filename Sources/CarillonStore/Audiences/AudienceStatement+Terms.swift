import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

/// Conditions. Each stands in parentheses of its own.
extension AudienceStatement {
    mutating func condition(_ term: AudienceTerm) {
        switch term {
        case .tag, .tagName: hasTag(names.tags[term] ?? [])
        case .category(let dimension, let match): category(term, dimension, match)
        case .attribute(let name, let test): attribute(name, test)
        case .text(let field, let match): text(field, match)
        case .user(let match):
            matches(match, { $0.add("d.user_id") }, { .text($0.rawValue) })
        case .device(let match):
            matches(match, { $0.add("d.public_id") }, { .bytes(withUnsafeBytes(of: $0.rawValue.uuid, Array.init)) })
        case .pushType(let match): pushType(match)
        case .version(let field, let ordering): version(field, ordering)
        case .flag(let flag): self.flag(flag)
        case .time(let field, let relation, let instant): time(field, relation, instant.timestamp(now: now))
        case .exists(let field): exists(field)
        case .within(let area): within(area)
        case .event(let event): self.event(event)
        }
    }

    // MARK: - Labels

    /// The tags of the Device's User stand in the Device's row: numbers with commas between them.
    private mutating func hasTag(_ tags: [Int64]) {
        guard !tags.isEmpty else { return add("(1 = 0)") }
        add("(")
        for (place, tag) in tags.enumerated() {
            if place > 0 { add(" OR ") }
            add(dialect.pick(sqlite: "INSTR(',' || d.tags || ',', ", postgreSQL: "STRPOS(',' || d.tags || ',', "))
            bind(",\(tag),")
            add(") > 0")
        }
        add(")")
    }

    private mutating func hasLabel(_ labels: [Int64]) {
        guard !labels.isEmpty else { return add("(1 = 0)") }
        add("EXISTS (SELECT 1 FROM device_categories x WHERE x.app_id = ")
        add(.app)
        add(" AND x.label IN (")
        sql.bind(list: labels.map { .integer($0) })
        // The window keeps PostgreSQL from reading the whole run where it joins in another way.
        add(") AND x.device_number = d.number AND x.device_number > ")
        add(.after)
        add(" AND x.device_number <= ")
        add(.through)
        add(")")
    }

    private mutating func category(
        _ term: AudienceTerm,
        _ dimension: String?,
        _ match: AudienceMatch<String>
    ) {
        let labels = names.labels(match.values, dimension: dimension)
        negated(if: match.isNegated) { statement in
            guard term.isStandardCategory else { return statement.hasLabel(labels) }
            statement.add("(d.categories IS NULL OR ")
            statement.hasLabel(labels)
            statement.add(")")
        }
    }

    // MARK: - Attributes

    private mutating func attribute(_ name: String, _ test: AudienceAttributeTest) {
        switch test {
        case .text(let match):
            negated(if: match.isNegated) { statement in
                statement.attribute(name) { statement in
                    statement.add("x.kind = 1 AND x.text IN (")
                    statement.sql.bind(list: match.values.map { .text($0) })
                    statement.add(")")
                }
            }
        case .flag(let isEqual, let flag):
            negated(if: !isEqual) { statement in
                statement.attribute(name) {
                    $0.add(flag ? "x.kind = 4 AND x.number <> 0" : "x.kind = 4 AND x.number = 0")
                }
            }
        case .number(.relation(let relation, let number)):
            negated(if: relation == .notEqual) { statement in
                statement.attribute(name) { $0.number(relation == .notEqual ? .equal : relation, number) }
            }
        case .number(.isAny(let numbers)):
            attribute(name) { statement in
                for (place, number) in numbers.enumerated() {
                    if place > 0 { statement.add(" OR ") }
                    statement.number(.equal, number)
                }
            }
        }
    }

    /// Integers are compared to their last digit, others as floating point.
    private mutating func number(_ relation: AudienceRelation, _ number: AudienceNumber) {
        if let whole = number.whole {
            add("((x.kind = 2 AND x.whole")
            add(relation.sql)
            bind(whole)
            add(") OR (x.kind = 3 AND x.number")
            add(relation.sql)
            bind(number.value)
            add("))")
        } else {
            add("(x.kind IN (2, 3) AND x.number")
            add(relation.sql)
            bind(number.value)
            add(")")
        }
    }

    /// A row of the User's attributes, with a condition on `x`.
    private mutating func attribute(_ name: String, _ condition: (inout AudienceStatement) -> Void) {
        add("EXISTS (SELECT 1 FROM user_attributes x WHERE x.app_id = ")
        add(.app)
        add(" AND x.user_id = d.user_id AND x.name = ")
        bind(name)
        add(" AND (")
        condition(&self)
        add("))")
    }

    // MARK: - The Device's own

    private mutating func text(_ field: AudienceTextField, _ match: AudienceMatch<String>) {
        switch field {
        case .language: language(match)
        case .country:
            let raised = dialect.pick(sqlite: "UPPER(d.country)", postgreSQL: "UPPER(d.country COLLATE \"C\")")
            matches(match, { $0.add(raised) }, { .text($0.uppercased()) })
        case .model: matches(match, { $0.add("d.model") }, { .text($0) })
        case .timeZone: matches(match, { $0.add("d.time_zone") }, { .text($0) })
        }
    }

    /// Compares tags with a hyphen after them, up to that of the one that is asked for: `ko` stands for `ko-KR` too.
    ///
    /// PostgreSQL's LOWER goes by the locale unless it is told otherwise.
    private mutating func language(_ match: AudienceMatch<String>) {
        let tags = match.values.map { tag in tag.lowercased().replacing("_", with: "-") }
        let groups = Dictionary(grouping: tags, by: \.utf8.count).sorted { $0.key < $1.key }
        negated(if: match.isNegated) { statement in
            statement.add("(")
            for (place, (length, tags)) in groups.enumerated() {
                if place > 0 { statement.add(" OR ") }
                statement.language(tags, length: length)
            }
            statement.add(")")
        }
    }

    private mutating func language(_ tags: [String], length: Int) {
        // It is asked of many Devices that are not meant. Where nothing has to be replaced inside, one function does it.
        if dialect == .sqlite, !tags.contains(where: { $0.contains("-") }) {
            add("SUBSTR(d.language, 1, ")
            sql.append(number: length + 1)
            add(") COLLATE NOCASE IN (")
            sql.bind(list: tags.flatMap { [.text($0), .text($0 + "-"), .text($0 + "_")] })
        } else {
            add(
                dialect.pick(
                    sqlite: "SUBSTR(REPLACE(LOWER(d.language), '_', '-') || '-', 1, ",
                    postgreSQL: "SUBSTR(REPLACE(LOWER(d.language COLLATE \"C\"), '_', '-') || '-', 1, "
                )
            )
            sql.append(number: length + 1)
            add(") IN (")
            sql.bind(list: tags.map { .text($0 + "-") })
        }
        add(")")
    }

    private mutating func version(_ field: AudienceVersionField, _ ordering: AudienceOrdering<AudienceVersion>) {
        let column: SQL =
            switch field {
            case .appVersion: "carillon_version(d.app_version)"
            case .osVersion: "carillon_version(d.os_version)"
            }
        switch ordering {
        case .isAny(let versions):
            matches(AudienceMatch.isAny(versions), { $0.add(column) }, { .text(VersionKey.key(of: $0)) })
        case .relation(let relation, let version):
            negated(if: relation == .notEqual) { statement in
                statement.add("(")
                statement.add(column)
                statement.add(relation == .notEqual ? AudienceRelation.equal.sql : relation.sql)
                statement.bind(VersionKey.key(of: version))
                statement.add(")")
            }
        }
    }

    /// The kind of the token that is sent to; of an estimate, of any of the Device's.
    private mutating func pushType(_ match: AudienceMatch<PushType>) {
        let types = match.values.map { SQLValue.integer($0.code) }
        negated(if: match.isNegated) { statement in
            switch statement.columns {
            case .recipients(.notification, _): statement.add("(d.push_type IN (")
            case .recipients(.voip, _): statement.add("(t.push_type IN (")
            case .reach:
                statement.add("((d.token IS NOT NULL AND d.push_type IN (")
                statement.sql.bind(list: types)
                statement.add(")) OR t.push_type IN (")
            }
            statement.sql.bind(list: types)
            statement.add("))")
        }
    }

    private mutating func flag(_ flag: AudienceFlag) {
        switch flag {
        case .notifications: add("((d.consent & 1) <> 0)")
        case .ads: add("((d.consent & 2) <> 0)")
        case .nightAds: add("((d.consent & 4) <> 0)")
        case .hasUser: add("(d.user_id IS NOT NULL)")
        }
    }

    private mutating func exists(_ field: AudienceOptionalField) {
        switch field {
        case .attribute(let name): attribute(name) { $0.add("1 = 1") }
        case .text(.language): add("(d.language IS NOT NULL)")
        case .text(.country): add("(d.country IS NOT NULL)")
        case .text(.model): add("(d.model IS NOT NULL)")
        case .text(.timeZone): add("(d.time_zone IS NOT NULL)")
        case .version(.appVersion): add("(d.app_version IS NOT NULL)")
        case .version(.osVersion): add("(d.os_version IS NOT NULL)")
        }
    }

    // MARK: - Time and place

    private mutating func time(_ field: AudienceTimeField, _ relation: AudienceRelation, _ instant: Timestamp) {
        switch field {
        case .registered: add("(d.created_at")
        case .lastSeen: add("(d.registered_at")
        case .notificationsGiven: add("(d.notifications_since IS NOT NULL AND d.notifications_since")
        case .adsGiven: add("(d.ads_since IS NOT NULL AND d.ads_since")
        case .nightAdsGiven: add("(d.night_ads_since IS NOT NULL AND d.night_ads_since")
        }
        add(relation.sql)
        bind(instant.rawValue)
        add(")")
    }

    private mutating func within(_ area: AudienceArea) {
        let box = AreaBox(area)
        add("(d.latitude >= ")
        bind(box.latitudes.lowerBound)
        add(" AND d.latitude <= ")
        bind(box.latitudes.upperBound)
        if let (west, east) = box.longitudes {
            add(" AND (d.longitude >= ")
            bind(west)
            // Where the box crosses the 180th meridian it has two parts.
            add(west <= east ? " AND d.longitude <= " : " OR d.longitude <= ")
            bind(east)
            add(")")
        }
        add(" AND carillon_distance(d.latitude, d.longitude, ")
        bind(area.latitude)
        add(", ")
        bind(area.longitude)
        add(") <= ")
        bind(Double(area.radius))
        add(")")
    }

    // MARK: - Events

    private mutating func event(_ event: AudienceEvent) {
        guard let occurrences = names.occurrences[event.campaign], !occurrences.isEmpty else { return add("(1 = 0)") }
        add(
            event.kind == .sent
                ? "EXISTS (SELECT 1 FROM deliveries x WHERE x.app_id = "
                : "EXISTS (SELECT 1 FROM events x WHERE x.app_id = "
        )
        add(.app)
        add(" AND x.occurrence_id IN (")
        sql.bind(list: occurrences.map { .integer($0) })
        add(") AND x.device_number = d.number AND ")
        if let kind = event.kind.eventKind {
            add("x.kind = ")
            bind(kind.code)
        } else {
            add("x.outcome = ")
            bind(Delivery.Outcome.accepted.code)
        }
        if let action = event.action {
            add(" AND x.action = ")
            bind(action)
        }
        // As with runs, for PostgreSQL.
        add(" AND x.device_number > ")
        add(.after)
        add(" AND x.device_number <= ")
        add(.through)
        add(")")
    }

    // MARK: - Shapes

    private mutating func matches<Value>(
        _ match: AudienceMatch<Value>,
        _ column: (inout AudienceStatement) -> Void,
        _ bound: (Value) -> SQLValue
    ) {
        negated(if: match.isNegated) { statement in
            statement.add("(")
            column(&statement)
            statement.add(" IN (")
            statement.sql.bind(list: match.values.map(bound))
            statement.add("))")
        }
    }

    private mutating func negated(if isNegated: Bool, _ body: (inout AudienceStatement) -> Void) {
        guard isNegated else { return body(&self) }
        add("(")
        body(&self)
        add(" IS NOT TRUE)")
    }
}

extension AudienceMatch {
    fileprivate var isNegated: Bool { if case .isNotEqual = self { true } else { false } }
}

extension AudienceRelation {
    fileprivate var sql: SQL {
        switch self {
        case .equal: " = "
        case .notEqual: " <> "
        case .less: " < "
        case .atMost: " <= "
        case .greater: " > "
        case .atLeast: " >= "
        }
    }
}

extension AudienceEvent.Kind {
    /// What phones report; `nil` for what the push service said.
    fileprivate var eventKind: Event.Kind? {
        switch self {
        case .sent: nil
        case .received: .received
        case .opened: .opened
        case .clicked: .action
        }
    }
}
