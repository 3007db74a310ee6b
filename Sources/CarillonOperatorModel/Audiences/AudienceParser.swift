import CarillonModel

/// Parses a rule's text by recursive descent; `or` has the lowest precedence, `not` the highest.
struct AudienceParser {
    typealias Failure = AudienceScanner.Failure

    /// Maximum nesting of parentheses and `not`.
    private static let maximumNesting = 2 * AudienceRule.maximumDepth

    var scanner: AudienceScanner
    private var nesting = 0
    private var termCount = 0
    private var valueCount = 0

    init(_ text: String) { scanner = AudienceScanner(text) }

    /// Parses the whole text.
    mutating func parse() throws(AudienceTextError) -> AudienceRule {
        do throws(Failure) {
            guard scanner.byteCount <= AudienceRule.maximumTextLength else {
                throw scanner.failure("expected at most \(AudienceRule.maximumTextLength) bytes")
            }
            let rule = try disjunction()
            guard scanner.next() == nil else { throw scanner.failure("expected and, or, or the end") }
            guard rule.depth <= AudienceRule.maximumDepth else {
                throw Failure(position: 0, problem: "the rule " + AudienceRule.excessDepth)
            }
            return rule
        } catch {
            throw scanner.located(error)
        }
    }

    // MARK: - Structure

    private mutating func disjunction() throws(Failure) -> AudienceRule {
        var rules = [try conjunction()]
        while scanner.consumeKeyword("or") { rules.append(try conjunction()) }
        return rules.count == 1 ? rules[0] : .or(rules)
    }

    private mutating func conjunction() throws(Failure) -> AudienceRule {
        var rules = [try negation()]
        while scanner.consumeKeyword("and") { rules.append(try negation()) }
        return rules.count == 1 ? rules[0] : .and(rules)
    }

    private mutating func negation() throws(Failure) -> AudienceRule {
        let start = scanner.next().map { _ in scanner.position }
        guard scanner.consumeKeyword("not") else { return try primary() }
        return .not(try nested(at: start) { (parser) throws(Failure) in try parser.negation() })
    }

    private mutating func primary() throws(Failure) -> AudienceRule {
        guard scanner.next() != nil else { throw scanner.failure("expected a condition") }
        let start = scanner.position
        if scanner.consume("(") {
            let rule = try nested(at: start) { (parser) throws(Failure) in try parser.disjunction() }
            guard scanner.consume(")") else { throw scanner.failure("expected and, or, or )") }
            return rule
        }
        termCount += 1
        guard termCount <= AudienceRule.maximumTerms else {
            throw Failure(position: start, problem: "the rule " + AudienceRule.excessTerms)
        }
        let term = try term()
        valueCount += term.valueCount
        guard valueCount <= AudienceRule.maximumValues else {
            throw Failure(position: start, problem: "the rule " + AudienceRule.excessValues)
        }
        return .term(term)
    }

    private mutating func nested(
        at start: Int?,
        _ body: (inout AudienceParser) throws(Failure) -> AudienceRule
    ) throws(Failure) -> AudienceRule {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Self.maximumNesting else {
            throw Failure(position: start ?? 0, problem: "the rule " + AudienceRule.excessDepth)
        }
        return try body(&self)
    }
}

extension AudienceRule {
    /// Parses the text form.
    ///
    /// - Parameter text: At most 60,000 bytes of UTF-8.
    /// - Throws: ``AudienceTextError`` with the position of the first error.
    public init(text: String) throws(AudienceTextError) {
        var parser = AudienceParser(text)
        self = try parser.parse()
    }
}
