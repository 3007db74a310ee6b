import CarillonModel

extension AudienceRule: CustomStringConvertible {
    /// The text form: ``init(text:)`` parses the same rule from it.
    public var text: String {
        switch self {
        case .and(let rules): rules.map { $0.text(inside: 2) }.joined(separator: " and ")
        case .or(let rules): rules.map { $0.text(inside: 1) }.joined(separator: " or ")
        case .not(let rule): "not " + rule.text(inside: 2)
        case .term(let term): term.text
        }
    }

    /// The text form.
    public var description: String { text }

    /// The text, in parentheses unless it has a higher precedence than its context.
    private func text(inside strength: Int) -> String {
        let own =
            switch self {
            case .or: 1
            case .and: 2
            case .not, .term: 3
            }
        return own > strength ? text : "(\(text))"
    }
}

extension AudienceTerm {
    /// The text form.
    public var text: String {
        switch self {
        case .tag(let id): return "tag:\(id)"
        case .tagName(let name): return "tag:" + name.inQuotes
        case .flag(let flag): return flag.rawValue
        case .within(let area): return area.text
        case .event(let event): return event.text
        default:
            guard let comparison = RawComparison(self) else { return "" }
            return comparison.text
        }
    }
}

extension AudienceArea {
    fileprivate var text: String { "within(\(latitude.plainText), \(longitude.plainText), \(radiusText))" }
}

extension AudienceEvent {
    fileprivate var text: String {
        let action = action.map { ", action:" + $0.inQuotes } ?? ""
        return "\(kind.rawValue)(campaign:\(campaign)\(action))"
    }
}

extension Double {
    fileprivate var plainText: String { AudienceNumber(self)?.text ?? description }
}

extension RawComparison {
    var text: String {
        switch operation {
        case .relation(let relation): fieldText + " \(relation.rawValue) " + (operands.first?.valueText ?? "")
        case .isAny: fieldText + " in [" + operands.map(\.valueText).joined(separator: ", ") + "]"
        case .exists: fieldText + " exists"
        }
    }

    private var fieldText: String {
        guard let dimension = suffix(of: Self.category), !dimension.utf8.allSatisfy(AudienceScanner.isName) else {
            return field
        }
        return Self.category + "." + dimension.inQuotes
    }
}

extension RawOperand {
    fileprivate var valueText: String {
        switch self {
        case .bare(let text): text.isPlainWord ? text : text.inQuotes
        case .quoted(let text): text.inQuotes
        case .number(let number): number.text
        case .flag(let flag): String(flag)
        }
    }
}

extension String {
    /// Whether it can be parsed as one value without quotation marks.
    fileprivate var isPlainWord: Bool { !isEmpty && utf8.allSatisfy { AudienceScanner.isBare($0) } }

    fileprivate var inQuotes: String {
        var text = "\""
        for character in unicodeScalars {
            switch character {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(character)
            }
        }
        return text + "\""
    }
}

extension RawComparison {
    /// The condition on a field; `nil` for other conditions.
    init?(_ term: AudienceTerm) {
        switch term {
        case .category(let dimension, let match):
            self.init(dimension.map { Self.category + "." + $0 } ?? Self.category, match) { .quoted($0) }
        case .attribute(let name, .text(let match)):
            self.init(Self.attribute + "." + name, match) { .quoted($0) }
        case .attribute(let name, .number(let ordering)):
            self.init(Self.attribute + "." + name, ordering) { .number($0) }
        case .attribute(let name, .flag(let isEqual, let flag)):
            let relation = AudienceRelation.equal
            self.init(
                field: Self.attribute + "." + name,
                operation: .relation(isEqual ? relation : .notEqual),
                operands: [.flag(flag)]
            )
        case .text(let field, let match): self.init(field.rawValue, match) { .bare($0) }
        case .user(let match): self.init("user", match) { .quoted($0.rawValue) }
        case .device(let match): self.init("device", match) { .bare($0.description) }
        case .pushType(let match): self.init("pushType", match) { .bare($0.rawValue) }
        case .version(let field, let ordering): self.init(field.rawValue, ordering) { .bare($0.description) }
        case .time(let field, let relation, let instant):
            self.init(field: field.rawValue, operation: .relation(relation), operands: [.bare(instant.text)])
        case .exists(let field): self.init(field: field.text, operation: .exists, operands: [])
        case .tag, .tagName, .flag, .within, .event: return nil
        }
    }

    private init<Value>(_ field: String, _ match: AudienceMatch<Value>, _ operand: (Value) -> RawOperand) {
        let operation: RawOperation =
            switch match {
            case .isEqual: .relation(.equal)
            case .isNotEqual: .relation(.notEqual)
            case .isAny: .isAny
            }
        self.init(field: field, operation: operation, operands: match.values.map(operand))
    }

    private init<Value>(_ field: String, _ ordering: AudienceOrdering<Value>, _ operand: (Value) -> RawOperand) {
        let operation: RawOperation =
            switch ordering {
            case .relation(let relation, _): .relation(relation)
            case .isAny: .isAny
            }
        self.init(field: field, operation: operation, operands: ordering.values.map(operand))
    }
}

extension AudienceOptionalField {
    fileprivate var text: String {
        switch self {
        case .attribute(let name): RawComparison.attribute + "." + name
        case .text(let field): field.rawValue
        case .version(let field): field.rawValue
        }
    }
}
