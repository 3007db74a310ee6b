/// Selects the Devices of a Campaign: conditions joined by `and`, `or` and `not`.
///
/// A rule has two equivalent forms, text (``init(text:)``, ``text``) and JSON (``init(from:)``); `docs/audiences.md`
/// has the grammar. A condition on something that a Device does not have is false, except `!=`, which is `not` of `=`.
public indirect enum AudienceRule: Hashable, Sendable {
    /// True when all of them are; two rules or more.
    case and([AudienceRule])
    /// True when at least one of them is; two rules or more.
    case or([AudienceRule])
    /// True when it is false.
    case not(AudienceRule)
    /// One condition.
    case term(AudienceTerm)

    /// Maximum nesting of `and`, `or` and `not`.
    public static let maximumDepth = 16
    /// Maximum number of conditions.
    public static let maximumTerms = 200
    /// Maximum number of values in all lists together.
    public static let maximumValues = 1_000
    /// Maximum length of the text, in bytes of UTF-8.
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

    /// The nesting of rules; 0 for one condition.
    var depth: Int {
        switch self {
        case .and(let rules), .or(let rules): 1 + (rules.map(\.depth).max() ?? 0)
        case .not(let rule): 1 + rule.depth
        case .term: 0
        }
    }

    /// The exceeded limit, as text; `nil` when it is within all limits.
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
