import CarillonModel
import CarillonOperatorModel

/// A rule as rows: groups of conditions, and who is left out.
struct RuleRows: Hashable, Sendable {
    /// Rows of which all or any must hold.
    struct Group: Hashable, Sendable {
        var isAny = false
        var rows = [RuleRow()]
    }

    static let maximumGroups = 8
    static let maximumRows = 20

    /// Whether any group is enough.
    var isAny = false
    var groups = [Group()]
    /// Whoever any of these holds for is left out.
    var exclusions: [RuleRow] = []

    init() {}

    /// The rows of a rule; `nil` for one that rows cannot show.
    init?(_ rule: AudienceRule) {
        var parts: [AudienceRule] = [rule]
        if case .and(let rules) = rule, case .not(let left)? = rules.last, RuleRow(.not(left)) == nil {
            guard let rows = Self.rows(left, joinedByAny: true) else { return nil }
            exclusions = rows
            parts = Array(rules.dropLast())
            guard parts.count == 1 || !parts.contains(where: \.isGroup) else { return nil }
        }
        if parts.count > 1 {
            guard let rows = Self.all(parts.map { RuleRow($0) }) else { return nil }
            groups = [Group(isAny: false, rows: rows)]
            return
        }
        if let group = Self.group(parts[0]) {
            groups = [group]
            return
        }
        switch parts[0] {
        case .and(let rules): (isAny, groups) = (false, rules.compactMap(Self.group))
        case .or(let rules): (isAny, groups) = (true, rules.compactMap(Self.group))
        case .not, .term: return nil
        }
        let count =
            switch parts[0] {
            case .and(let rules), .or(let rules): rules.count
            default: 0
            }
        guard groups.count == count, groups.count <= Self.maximumGroups else { return nil }
    }

    /// Reads the rows of a form.
    init(_ form: FormFields) {
        isAny = form["outer"] == "any"
        groups = (0..<Self.maximumGroups).compactMap { number in
            guard form["g\(number).join"] != nil else { return nil }
            return Group(isAny: form["g\(number).join"] == "any", rows: Self.rows(form, "g\(number)"))
        }
        if groups.isEmpty { groups = [Group()] }
        exclusions = Self.rows(form, "x")
    }

    /// The fields of a form.
    var fields: [(name: String, value: String)] {
        var fields = [(name: "outer", value: isAny ? "any" : "all")]
        for (number, group) in groups.enumerated() {
            fields.append(("g\(number).join", group.isAny ? "any" : "all"))
            fields += Self.fields(group.rows, "g\(number)")
        }
        return fields + Self.fields(exclusions, "x")
    }

    /// The rule; problems name the row that does not fit.
    func rule(_ problem: String, missing: String) throws -> AudienceRule {
        var problems: [FieldProblem] = []
        func read(_ rows: [RuleRow], _ group: String) -> [AudienceRule] {
            rows.enumerated().compactMap { number, row in
                guard !row.isBlank else { return nil }
                guard let rule = row.rule else {
                    problems.append(FieldProblem("\(group).\(number).value", problem))
                    return nil
                }
                return rule
            }
        }
        let parts = groups.enumerated().compactMap { number, group in
            Self.joined(read(group.rows, "g\(number)"), isAny: group.isAny)
        }
        let left = Self.joined(read(exclusions, "x"), isAny: true)
        guard problems.isEmpty else { throw FormProblems(problems) }
        let included = Self.joined(parts, isAny: isAny)
        switch (included, left) {
        case (nil, nil): throw FormProblems("g0.0.value", missing)
        case (let rule?, nil): return rule
        case (nil, let left?): return .not(left)
        case (let rule?, let left?): return .and([rule, .not(left)])
        }
    }

    // MARK: - Private

    private static func rows(_ form: FormFields, _ group: String) -> [RuleRow] {
        (0..<maximumRows).compactMap { number in
            guard let field = form["\(group).\(number).field"].flatMap(RuleRow.Field.init(rawValue:)) else {
                return nil
            }
            let comparison = form["\(group).\(number).op"].flatMap(RuleRow.Comparison.init(rawValue:)) ?? .isOne
            return RuleRow(field, comparison, form.text("\(group).\(number).value"))
        }
    }

    private static func fields(_ rows: [RuleRow], _ group: String) -> [(name: String, value: String)] {
        rows.enumerated().flatMap { number, row in
            [
                (name: "\(group).\(number).field", value: row.field.rawValue),
                (name: "\(group).\(number).op", value: row.comparison.rawValue),
                (name: "\(group).\(number).value", value: row.value),
            ]
        }
    }

    private static func joined(_ rules: [AudienceRule], isAny: Bool) -> AudienceRule? {
        guard rules.count > 1 else { return rules.first }
        return isAny ? .or(rules) : .and(rules)
    }

    private static func all(_ rows: [RuleRow?]) -> [RuleRow]? {
        let found = rows.compactMap(\.self)
        return found.count == rows.count && found.count <= maximumRows ? found : nil
    }

    private static func group(_ rule: AudienceRule) -> Group? {
        if let row = RuleRow(rule) { return Group(isAny: false, rows: [row]) }
        switch rule {
        case .and(let rules): return all(rules.map { RuleRow($0) }).map { Group(isAny: false, rows: $0) }
        case .or(let rules): return all(rules.map { RuleRow($0) }).map { Group(isAny: true, rows: $0) }
        case .not, .term: return nil
        }
    }

    private static func rows(_ rule: AudienceRule, joinedByAny: Bool) -> [RuleRow]? {
        if let row = RuleRow(rule) { return [row] }
        guard case .or(let rules) = rule else { return nil }
        return all(rules.map { RuleRow($0) })
    }
}

extension AudienceRule {
    /// The rule with other terms.
    func replacing(_ change: (AudienceTerm) -> AudienceTerm) -> AudienceRule {
        switch self {
        case .term(let term): .term(change(term))
        case .not(let rule): .not(rule.replacing(change))
        case .and(let rules): .and(rules.map { $0.replacing(change) })
        case .or(let rules): .or(rules.map { $0.replacing(change) })
        }
    }

    fileprivate var isGroup: Bool { RuleRow(self) == nil }
}
