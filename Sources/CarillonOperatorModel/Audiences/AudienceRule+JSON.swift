import CarillonModel

/// The JSON form: each rule is an object whose leading field gives its kind.
///
/// `{"and": […]}`, `{"or": […]}`, `{"not": …}`, `{"tag": "ZZPP00b6"}`, `{"tagName": "sports"}`, `{"flag":
/// "consent.ads"}`, `{"field": "attribute.age", "op": ">=", "value": 20}` (with `in` the value is an array, with
/// `exists` there is none), `{"within": {"latitude": 35.68, "longitude": 139.76, "radius": 5000}}` in metres and
/// `{"event": "clicked", "campaign": "cmp_…", "action": "buy"}`.
extension AudienceRule: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case and, or, not, tag, tagName, flag, field, within, event
        case op, value, campaign, action

        /// The fields allowed beside a leading one; `nil` when it is not a leading one.
        fileprivate var companions: Set<CodingKeys>? {
            switch self {
            case .and, .or, .not, .tag, .tagName, .flag, .within: []
            case .field: [.op, .value]
            case .event: [.campaign, .action]
            case .op, .value, .campaign, .action: nil
            }
        }
    }

    /// Decodes the JSON form strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        self = try Self.nested(decoder)
        // Only the outermost rule is checked against the limits of the whole.
        if !decoder.codingPath.contains(where: { $0 is CodingKeys }), let excess {
            throw FieldError(field: FieldError.path(decoder.codingPath), problem: excess)
        }
    }

    private static func nested(_ decoder: any Decoder) throws -> AudienceRule {
        guard decoder.codingPath.count <= 2 * maximumDepth + 8 else {
            throw FieldError(field: FieldError.path(decoder.codingPath), problem: excessDepth)
        }
        let fields = try Fields<CodingKeys>(decoder)
        let present = CodingKeys.allCases.filter(fields.contains)
        guard let leading = present.first(where: { $0.companions != nil }), let companions = leading.companions else {
            throw FieldError(
                field: FieldError.path(decoder.codingPath),
                problem: "must have one of and, or, not, tag, tagName, flag, field, within and event"
            )
        }
        if let other = present.first(where: { $0 != leading && !companions.contains($0) }) {
            throw fields.failure(other, "must not be combined with \(leading.rawValue)")
        }
        switch leading {
        case .and: return .and(try fields.rules(.and))
        case .or: return .or(try fields.rules(.or))
        case .not: return .not(try fields.required(.not))
        default: return .term(try fields.term(leading))
        }
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .and(let rules): try container.encode(rules, forKey: .and)
        case .or(let rules): try container.encode(rules, forKey: .or)
        case .not(let rule): try container.encode(rule, forKey: .not)
        case .term(.tag(let id)): try container.encode(id, forKey: .tag)
        case .term(.tagName(let name)): try container.encode(name, forKey: .tagName)
        case .term(.flag(let flag)): try container.encode(flag.rawValue, forKey: .flag)
        case .term(.within(let area)): try container.encode(area, forKey: .within)
        case .term(.event(let event)):
            try container.encode(event.kind.rawValue, forKey: .event)
            try container.encode(event.campaign, forKey: .campaign)
            try container.encodeIfPresent(event.action, forKey: .action)
        case .term(let term):
            guard let comparison = RawComparison(term) else { return }
            try container.encode(comparison.field, forKey: .field)
            try container.encode(comparison.operation.text, forKey: .op)
            switch comparison.operation {
            case .relation: try container.encode(comparison.operands.first?.json, forKey: .value)
            case .isAny: try container.encode(comparison.operands.map(\.json), forKey: .value)
            case .exists: break
            }
        }
    }
}

extension Fields where Key == AudienceRule.CodingKeys {
    fileprivate func rules(_ key: Key) throws -> [AudienceRule] {
        let rules: [AudienceRule] = try required(key)
        guard rules.count >= 2 else { throw failure(key, "must list 2 rules or more") }
        return rules
    }

    fileprivate func term(_ leading: Key) throws -> AudienceTerm {
        switch leading {
        case .tag: return .tag(try required(.tag))
        case .tagName:
            let name: String = try required(.tagName)
            guard RawComparison.isText(name, AudienceTerm.tagNameLengths) else {
                throw failure(.tagName, "must have 1 through 255 characters and no control characters")
            }
            return .tagName(name)
        case .flag: return .flag(try word(.flag))
        case .within: return .within(try required(.within))
        case .event: return .event(try event())
        default: return try comparison()
        }
    }

    private func word<Word: RawRepresentable & CaseIterable>(_ key: Key) throws -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: try required(key)) else {
            throw failure(key, "must be one of " + Word.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return word
    }

    private func event() throws -> AudienceEvent {
        let action: String? = try optional(.action)
        if let action, !RawComparison.isText(action, AudienceEvent.actionLengths) {
            throw failure(.action, "must have 1 through 64 characters and no control characters")
        }
        guard let event = AudienceEvent(try word(.event), campaign: try required(.campaign), action: action) else {
            throw failure(.action, "must be missing: only clicked takes one")
        }
        return event
    }

    private func comparison() throws -> AudienceTerm {
        guard let operation = RawOperation(try required(.op)) else {
            throw failure(.op, "must be one of =, !=, <, <=, >, >=, in, exists")
        }
        let operands = try operands(operation)
        let raw = RawComparison(field: try required(.field), operation: operation, operands: operands)
        do throws(TermProblem) {
            return try raw.term()
        } catch {
            switch error.place {
            case .field: throw failure(.field, error.problem)
            case .operation: throw failure(.op, error.problem)
            case .operand(let place):
                let field = failure(.value, "").field
                throw FieldError(
                    field: operation == .isAny ? field + ".\(place)" : field,
                    problem: error.problem
                )
            }
        }
    }

    private func operands(_ operation: RawOperation) throws -> [RawOperand] {
        switch operation {
        case .exists:
            guard !contains(.value) else { throw failure(.value, "must be missing with exists") }
            return []
        case .relation: return [try operand(try required(.value), failure(.value, "").field)]
        case .isAny:
            let values: [JSONValue] = try required(.value)
            guard (1...AudienceRule.maximumValues).contains(values.count) else {
                throw failure(.value, "must list 1 through \(AudienceRule.maximumValues)")
            }
            let field = failure(.value, "").field
            return try values.enumerated().map { try operand($1, field + ".\($0)") }
        }
    }

    private func operand(_ value: JSONValue, _ field: String) throws -> RawOperand {
        switch value {
        case .string(let text): return .quoted(text)
        case .bool(let flag): return .flag(flag)
        case .integer(let whole): return .number(AudienceNumber(whole))
        case .number(let value):
            guard let number = AudienceNumber(value) else { break }
            return .number(number)
        case .null, .array, .object: break
        }
        throw FieldError(field: field, problem: "must be a string, a number, true or false")
    }
}

extension RawOperand {
    fileprivate var json: JSONValue {
        switch self {
        case .bare(let text), .quoted(let text): .string(text)
        case .number(let number): number.whole.map(JSONValue.integer) ?? .number(number.value)
        case .flag(let flag): .bool(flag)
        }
    }
}

extension AudienceArea: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case latitude, longitude, radius
    }

    /// Decodes a circle strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        let latitude: Double = try fields.required(.latitude)
        let longitude: Double = try fields.required(.longitude)
        guard (-90...90).contains(latitude) else { throw fields.failure(.latitude, "must be -90 through 90") }
        guard (-180...180).contains(longitude) else { throw fields.failure(.longitude, "must be -180 through 180") }
        guard let radius = try fields.integer(.radius, 1...Self.maximumRadius) else {
            throw fields.failure(.radius, "is required")
        }
        guard let area = AudienceArea(latitude: latitude, longitude: longitude, radius: radius) else {
            throw fields.failure(.radius, "must be 1 through \(Self.maximumRadius)")
        }
        self = area
    }

    /// Writes the circle, its radius in metres.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(latitude, forKey: .latitude)
        try container.encode(longitude, forKey: .longitude)
        try container.encode(radius, forKey: .radius)
    }
}

/// A rule in either form: text or JSON.
struct WrittenRule: Decodable {
    var rule: AudienceRule

    init(from decoder: any Decoder) throws {
        guard let text = try? decoder.singleValueContainer().decode(String.self) else {
            rule = try AudienceRule(from: decoder)
            return
        }
        do throws(AudienceTextError) {
            rule = try AudienceRule(text: text)
        } catch {
            throw FieldError(field: FieldError.path(decoder.codingPath), problem: error.description)
        }
    }
}
