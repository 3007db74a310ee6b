import CarillonModel

/// The type checker: the operators and values of each field.
extension RawComparison {
    /// Checks the condition.
    ///
    /// - Throws: ``TermProblem`` naming the field and its valid values.
    func term() throws(TermProblem) -> AudienceTerm {
        if let name = suffix(of: Self.attribute) { return try attributeTerm(name) }
        if field == Self.category || suffix(of: Self.category) != nil { return try categoryTerm() }
        if let text = AudienceTextField(rawValue: field) { return try textTerm(text) }
        if let version = AudienceVersionField(rawValue: field) { return try versionTerm(version) }
        if let time = AudienceTimeField(rawValue: field) { return try timeTerm(time) }
        switch field {
        case "user":
            return .user(try match("1 through 64 characters and no control characters", UserID.init(rawValue:)))
        case "device": return .device(try match("a UUID", DeviceID.init(_:)))
        case "pushType":
            let types = PushType.allCases.map(\.rawValue).joined(separator: ", ")
            return .pushType(try match("one of \(types)", PushType.init(rawValue:)))
        default: throw TermProblem(place: .field, problem: "expected a condition, as tag:, language or attribute.age")
        }
    }

    static let attribute = "attribute"
    static let category = "category"

    /// The rest of the field after a prefix and a dot.
    func suffix(of word: String) -> String? {
        field.hasPrefix(word + ".") ? String(field.dropFirst(word.count + 1)) : nil
    }

    // MARK: - Fields

    private func categoryTerm() throws(TermProblem) -> AudienceTerm {
        let dimension = suffix(of: Self.category)
        if let dimension, !Self.isText(dimension, DeviceCategories.lengths) {
            throw TermProblem(place: .field, problem: "category: a dimension has 1 through 64 characters")
        }
        return .category(
            dimension: dimension,
            try match("1 through 64 characters and no control characters") {
                Self.isText($0, DeviceCategories.lengths) ? $0 : nil
            }
        )
    }

    private func textTerm(_ text: AudienceTextField) throws(TermProblem) -> AudienceTerm {
        if operation == .exists { return .exists(.text(text)) }
        switch text {
        case .language:
            return .text(text, try match("a BCP 47 tag, as ja or zh-Hant") { Self.isLanguage($0) ? $0 : nil })
        case .country:
            return .text(text, try match("2 or 3 letters") { Self.isCountry($0) ? $0 : nil })
        case .model, .timeZone:
            return .text(
                text,
                try match("1 through 64 characters and no control characters") { Self.isText($0, 1...64) ? $0 : nil }
            )
        }
    }

    private func versionTerm(_ version: AudienceVersionField) throws(TermProblem) -> AudienceTerm {
        if operation == .exists { return .exists(.version(version)) }
        return .version(
            version,
            try ordering("one through four numbers with dots, as 2.10.3") { operand in
                operand.text.flatMap(AudienceVersion.init(_:))
            }
        )
    }

    private func timeTerm(_ time: AudienceTimeField) throws(TermProblem) -> AudienceTerm {
        guard case .relation(let relation) = operation, AudienceRelation.orders.contains(relation) else {
            throw TermProblem(place: .operation, problem: "\(field) takes <, <=, > and >=")
        }
        guard let instant = operands.first?.text.flatMap(AudienceInstant.init(text:)) else {
            let problem = "\(field): expected now, as now-30d (s, m, h, d, w; at most 3650d), or an RFC 3339 time"
            throw TermProblem(place: .operand(0), problem: problem)
        }
        return .time(time, relation, instant)
    }

    // MARK: - Attributes

    private func attributeTerm(_ name: String) throws(TermProblem) -> AudienceTerm {
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(AudienceScanner.isName) else {
            let problem = "attribute: a name has 1 through 64 letters, digits, dots, underscores and hyphens"
            throw TermProblem(place: .field, problem: problem)
        }
        if operation == .exists { return .exists(.attribute(name)) }
        let operands = operands.map(\.attributeValue)
        switch operands.first {
        case .flag(let flag):
            guard case .relation(let relation) = operation, !AudienceRelation.orders.contains(relation) else {
                throw TermProblem(place: .operation, problem: "\(field): true and false take = and !=")
            }
            return .attribute(name, .flag(isEqual: relation == .equal, flag))
        case .number:
            return .attribute(
                name,
                .number(
                    try ordering("a number, as the first value") { operand in
                        if case .number(let number) = operand.attributeValue { number } else { nil }
                    }
                )
            )
        case .quoted, nil:
            return .attribute(name, .text(try textMatch()))
        case .bare:
            throw TermProblem(
                place: .operand(0),
                problem: "\(field): expected a number, true, false or a text in quotes"
            )
        }
    }

    private func textMatch() throws(TermProblem) -> AudienceMatch<String> {
        if case .relation(let relation) = operation, AudienceRelation.orders.contains(relation) {
            throw TermProblem(place: .operation, problem: "\(field): a text takes =, != and in")
        }
        // Texts must be in quotation marks: a bare word counts as a type that texts cannot be compared with.
        let texts = operands.map(\.attributeValue).map { $0.isBare ? .flag(false) : $0 }
        let checked = RawComparison(field: field, operation: operation, operands: texts)
        return try checked.match("a text of at most 256 characters, as the first value") { text in
            Self.isText(text, 0...UserAttributes.maximumLength, linesAllowed: true) ? text : nil
        }
    }

    // MARK: - Comparisons

    private func match<Value>(
        _ what: String,
        _ read: (String) -> Value?
    ) throws(TermProblem) -> AudienceMatch<Value> {
        let values = try values(what) { $0.text.flatMap(read) }
        switch operation {
        case .relation(.equal): return .isEqual(values[0])
        case .relation(.notEqual): return .isNotEqual(values[0])
        case .isAny: return .isAny(values)
        case .relation, .exists:
            throw TermProblem(place: .operation, problem: "\(field) takes =, != and in\(existsHint)")
        }
    }

    private func ordering<Value>(
        _ what: String,
        _ read: (RawOperand) -> Value?
    ) throws(TermProblem) -> AudienceOrdering<Value> {
        let values = try values(what, read)
        switch operation {
        case .relation(let relation): return .relation(relation, values[0])
        case .isAny: return .isAny(values)
        case .exists: throw TermProblem(place: .operation, problem: "\(field) takes no exists")
        }
    }

    private func values<Value>(
        _ what: String,
        _ read: (RawOperand) -> Value?
    ) throws(TermProblem) -> [Value] {
        if operation == .exists { throw TermProblem(place: .operation, problem: "\(field) takes =, != and in") }
        guard !operands.isEmpty else {
            throw TermProblem(place: .operation, problem: "\(field): expected a value")
        }
        var values: [Value] = []
        for (place, operand) in operands.enumerated() {
            guard let value = read(operand) else {
                throw TermProblem(place: .operand(place), problem: "\(field): expected \(what)")
            }
            values.append(value)
        }
        return values
    }

    private var existsHint: String { AudienceTextField(rawValue: field) == nil ? "" : ", and exists" }

    // MARK: - Texts

    static func isText(_ text: String, _ lengths: ClosedRange<Int>, linesAllowed: Bool = false) -> Bool {
        lengths.contains(text.count) && text.utf8.count <= 4 * lengths.upperBound
            && !text.unicodeScalars.contains { scalar in
                scalar.properties.generalCategory == .control
                    && !(linesAllowed && "\n\r\t".unicodeScalars.contains(scalar))
            }
    }

    private static func isLanguage(_ text: String) -> Bool {
        LanguageTag.isWellFormed(LanguageTag.normalized(text))
    }

    private static func isCountry(_ text: String) -> Bool {
        (2...3).contains(text.utf8.count) && text.utf8.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
    }
}

extension RawOperand {
    fileprivate var isBare: Bool { if case .bare = self { true } else { false } }

    /// The type of a bare word for an attribute: a number, true, false, or a text that begins with a letter.
    fileprivate var attributeValue: RawOperand {
        guard case .bare(let text) = self else { return self }
        if text == "true" || text == "false" { return .flag(text == "true") }
        if let number = AudienceNumber(text: text) { return .number(number) }
        let first = text.utf8.first ?? 0
        return (0x41...0x5A).contains(first & 0xDF) ? .quoted(text) : self
    }
}
