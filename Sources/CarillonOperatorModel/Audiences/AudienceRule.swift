/// Which Devices a Campaign is for: conditions joined by `and`, `or` and `not`.
///
/// A rule has two forms with one meaning, a text as operators write it (``init(text:)``, ``text``) and JSON
/// (``init(from:)``); `docs/audiences.md` has the grammar. A condition on something that a Device does not have does
/// not hold, except `!=`, which is `not` of `=`.
public indirect enum AudienceRule: Hashable, Sendable {
    /// Those for whom all of them hold; two rules or more.
    case and([AudienceRule])
    /// Those for whom at least one of them holds; two rules or more.
    case or([AudienceRule])
    /// Those for whom it does not hold.
    case not(AudienceRule)
    /// One condition.
    case term(AudienceTerm)

    /// How deep `and`, `or` and `not` may stand in each other.
    public static let maximumDepth = 16
    /// The most conditions.
    public static let maximumTerms = 200
    /// The most values in all lists together.
    public static let maximumValues = 1_000
    /// The most bytes of the text, in UTF-8.
    public static let maximumTextLength = 60_000
}

extension AudienceRule {
    /// All conditions, in the order of the text.
    public var terms: [AudienceTerm] {
        switch self {
        case .and(let rules), .or(let rules): rules.flatMap(\.terms)
        case .not(let rule): rule.terms
        case .term(let term): [term]
        }
    }

    /// How deep rules stand in each other; 0 for one condition.
    var depth: Int {
        switch self {
        case .and(let rules), .or(let rules): 1 + (rules.map(\.depth).max() ?? 0)
        case .not(let rule): 1 + rule.depth
        case .term: 0
        }
    }

    /// What is too much of it, in words; `nil` when it keeps within all limits.
    var excess: String? {
        if depth > Self.maximumDepth { return Self.excessDepth }
        let terms = terms
        if terms.count > Self.maximumTerms { return Self.excessTerms }
        return terms.reduce(0) { $0 + $1.valueCount } > Self.maximumValues ? Self.excessValues : nil
    }

    static let excessDepth = "must not nest deeper than \(maximumDepth) levels"
    static let excessTerms = "must have at most \(maximumTerms) conditions"
    static let excessValues = "must list at most \(maximumValues) values in all"
}
