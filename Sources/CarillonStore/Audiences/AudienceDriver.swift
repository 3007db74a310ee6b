import CarillonOperatorModel
import CarillonSQL

/// What leads to the Devices of a rule.
enum AudienceDriver: Hashable, Sendable {
    /// The Devices of a tag or a label, in the order of their numbers.
    struct Run: Hashable, Sendable {
        enum Table: Hashable, Sendable {
            case tags
            case categories
        }

        var table: Table
        /// The tag's or the label's number.
        var label: Int64
    }

    /// All Devices, one after another.
    case scan
    /// Those of at least one of the runs.
    case runs([Run])
    /// Those of a list of numbers, as a statement has it.
    case numbers(SQLValue)
}

/// One way to a rule's Devices, and what is left to be asked of them.
struct AudienceRoute: Hashable, Sendable {
    var driver: AudienceDriver
    /// Each must hold.
    var filters: [AudienceRule]
    /// The Users of whom the Device must be one's, as a statement has them.
    var users: SQLValue?

    /// All ways by tags and categories; none when the rule does not need any of them to hold.
    static func routes(_ rule: AudienceRule, _ names: AudienceNames) -> [AudienceRoute] {
        let conjuncts = rule.conjuncts
        return conjuncts.enumerated().compactMap { place, conjunct in
            guard let (runs, isAll) = conjunct.runs(names) else { return nil }
            var filters = conjuncts
            if isAll { filters.remove(at: place) }
            return AudienceRoute(driver: .runs(runs), filters: filters)
        }
    }
}

extension AudienceRule {
    /// The rules that all must hold.
    var conjuncts: [AudienceRule] {
        switch self {
        case .and(let rules): rules.flatMap(\.conjuncts)
        case .or, .not, .term: [self]
        }
    }

    /// The runs without which it does not hold, and whether it holds for all their Devices; `nil` when there are
    /// Devices in no run for whom it may hold.
    fileprivate func runs(_ names: AudienceNames) -> (runs: [AudienceDriver.Run], isAll: Bool)? {
        switch self {
        case .not: return nil
        case .term(let term): return term.runs(names).map { ($0, true) }
        case .or(let rules):
            var runs: [AudienceDriver.Run] = []
            var isAll = true
            for rule in rules {
                guard let found = rule.runs(names) else { return nil }
                runs += found.runs.filter { !runs.contains($0) }
                isAll = isAll && found.isAll
            }
            return (runs, isAll)
        case .and(let rules):
            // The fewest runs of those that would do.
            let found = rules.compactMap { $0.runs(names)?.runs }.min { $0.count < $1.count }
            return found.map { ($0, false) }
        }
    }
}

extension AudienceTerm {
    /// The runs of all its Devices; `nil` when they are in no runs.
    fileprivate func runs(_ names: AudienceNames) -> [AudienceDriver.Run]? {
        switch self {
        case .tag, .tagName: return (names.tags[self] ?? []).map { AudienceDriver.Run(table: .tags, label: $0) }
        case .category(_, .isNotEqual): return nil
        case .category(let dimension, let match):
            guard !isStandardCategory else { return nil }
            return names.labels(match.values, dimension: dimension).map { .init(table: .categories, label: $0) }
        default: return nil
        }
    }

    /// Whether it asks for the category of Devices that named none, which are in no run.
    var isStandardCategory: Bool {
        guard case .category(nil, let match) = self else { return false }
        return match.values.contains("1")
    }

    /// How many rows have to be looked up to judge it of one Device.
    func lookUps(_ names: AudienceNames) -> Int {
        switch self {
        case .category, .attribute, .exists(.attribute): 1
        case .event(let event): max(1, names.occurrences[event.campaign]?.count ?? 0)
        case .tag, .tagName, .text, .user, .device, .pushType, .version, .flag, .time, .exists, .within: 0
        }
    }
}
