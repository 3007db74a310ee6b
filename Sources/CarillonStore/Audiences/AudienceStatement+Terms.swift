import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
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
            matches(match, { $0.add("d.public_id") }, { .bytes($0.bytes) })
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

    mutating func attribute(_ name: String, _ test: AudienceAttributeTest) {
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
    mutating func attribute(_ name: String, _ condition: (inout AudienceStatement) -> Void) {
        add("EXISTS (SELECT 1 FROM user_attributes x WHERE x.app_id = ")
        add(.app)
        add(" AND x.user_id = d.user_id AND x.name = ")
        bind(name)
        add(" AND (")
        condition(&self)
        add("))")
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

    mutating func matches<Value>(
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

    mutating func negated(if isNegated: Bool, _ body: (inout AudienceStatement) -> Void) {
        guard isNegated else { return body(&self) }
        add("(")
        body(&self)
        add(" IS NOT TRUE)")
    }
}

extension AudienceMatch {
    var isNegated: Bool { if case .isNotEqual = self { true } else { false } }
}

extension AudienceRelation {
    var sql: SQL {
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
