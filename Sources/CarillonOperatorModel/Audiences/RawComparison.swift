/// A condition on one field before its types are checked; both forms are parsed and written through it.
struct RawComparison: Hashable {
    /// For example `language`, `attribute.age` or `category.神奈川`.
    var field: String
    var operation: RawOperation
    /// One value, those of the list, or none for `exists`.
    var operands: [RawOperand]
}

enum RawOperation: Hashable {
    case relation(AudienceRelation)
    case isAny
    case exists

    static let anyText = "in"
    static let existsText = "exists"

    init?(_ text: String) {
        switch text {
        case Self.anyText: self = .isAny
        case Self.existsText: self = .exists
        default:
            guard let relation = AudienceRelation(rawValue: text) else { return nil }
            self = .relation(relation)
        }
    }

    var text: String {
        switch self {
        case .relation(let relation): relation.rawValue
        case .isAny: Self.anyText
        case .exists: Self.existsText
        }
    }
}

enum RawOperand: Hashable {
    /// Without quotation marks: its type depends on the field.
    case bare(String)
    case quoted(String)
    case number(AudienceNumber)
    case flag(Bool)

    /// The text, if it can be one.
    var text: String? {
        switch self {
        case .bare(let text), .quoted(let text): text
        case .number, .flag: nil
        }
    }
}

/// An error in a condition.
struct TermProblem: Error {
    enum Place: Hashable {
        case field
        case operation
        /// The operand at this index.
        case operand(Int)
    }

    var place: Place
    var problem: String
}
