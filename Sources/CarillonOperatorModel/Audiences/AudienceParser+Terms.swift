import CarillonModel

/// Parses conditions.
extension AudienceParser {
    mutating func term() throws(Failure) -> AudienceTerm {
        let start = scanner.position
        let name = scanner.name()
        if let flag = AudienceFlag(rawValue: name) { return .flag(flag) }
        if let kind = AudienceEvent.Kind(rawValue: name) { return .event(try event(kind)) }
        switch name {
        case "": throw scanner.failure("expected a condition, as tag:, language or attribute.age")
        case "tag": return try tag()
        case "within": return .within(try area())
        default: return try comparison(name, at: start)
        }
    }

    // MARK: - Tags, places and events

    private mutating func tag() throws(Failure) -> AudienceTerm {
        try scanner.expect(":")
        _ = scanner.next()
        let start = scanner.position
        if let name = try scanner.quoted() {
            guard RawComparison.isText(name, AudienceTerm.tagNameLengths) else {
                throw Failure(position: start, problem: "tag: expected a name of 1 through 255 characters")
            }
            return .tagName(name)
        }
        guard let id = TagID(rawValue: scanner.name()) else {
            let problem = "tag: expected an id of 8 letters and digits, or a name in quotation marks"
            throw Failure(position: start, problem: problem)
        }
        return .tag(id)
    }

    private mutating func area() throws(Failure) -> AudienceArea {
        try scanner.expect("(")
        let latitude = try degrees("latitude", -90...90)
        try scanner.expect(",")
        let longitude = try degrees("longitude", -180...180)
        try scanner.expect(",")
        _ = scanner.next()
        let start = scanner.position
        let radius = AudienceArea.radius(text: scanner.bareValue())
        guard let area = radius.flatMap({ AudienceArea(latitude: latitude, longitude: longitude, radius: $0) }) else {
            let problem = "within: expected a radius of 1m through 10000km, in whole metres"
            throw Failure(position: start, problem: problem)
        }
        try scanner.expect(")")
        return area
    }

    private mutating func degrees(_ name: String, _ range: ClosedRange<Double>) throws(Failure) -> Double {
        _ = scanner.next()
        let start = scanner.position
        guard let number = AudienceNumber(text: scanner.bareValue()), range.contains(number.value) else {
            let limits = "\(Int(range.lowerBound)) through \(Int(range.upperBound))"
            throw Failure(position: start, problem: "within: expected a \(name) of \(limits) degrees")
        }
        return number.value
    }

    private mutating func event(_ kind: AudienceEvent.Kind) throws(Failure) -> AudienceEvent {
        try scanner.expect("(")
        guard scanner.consumeKeyword("campaign") else { throw scanner.failure("expected campaign:") }
        try scanner.expect(":")
        _ = scanner.next()
        var start = scanner.position
        guard let campaign = CampaignID(scanner.name()) else {
            let problem = "\(kind.rawValue): expected a campaign's id, cmp_ and 12 base-32 characters"
            throw Failure(position: start, problem: problem)
        }
        var action: String?
        if scanner.consume(",") {
            guard scanner.consumeKeyword("action") else { throw scanner.failure("expected action:") }
            try scanner.expect(":")
            _ = scanner.next()
            start = scanner.position
            action = try scanner.quoted() ?? scanner.bareValue()
        }
        if let action, !RawComparison.isText(action, AudienceEvent.actionLengths) {
            throw Failure(position: start, problem: "\(kind.rawValue): expected an action of 1 through 64 characters")
        }
        guard let event = AudienceEvent(kind, campaign: campaign, action: action) else {
            throw Failure(position: start, problem: "\(kind.rawValue) takes no action; clicked does")
        }
        try scanner.expect(")")
        return event
    }

    // MARK: - Comparisons

    private mutating func comparison(_ name: String, at start: Int) throws(Failure) -> AudienceTerm {
        var field = name
        // A dimension that is not a plain word is in quotation marks.
        if name == RawComparison.category + ".", let dimension = try scanner.quoted() { field += dimension }
        _ = scanner.next()
        let operatorStart = scanner.position
        let operation = operation()
        var raw = RawComparison(field: field, operation: operation ?? .exists, operands: [])
        var places: [Int] = []
        if let operation, operation != .exists { raw.operands = try operands(operation, &places) }
        do throws(TermProblem) {
            let term = try raw.term()
            guard operation != nil else {
                throw TermProblem(place: .operation, problem: "expected =, !=, <, <=, >, >=, in or exists")
            }
            return term
        } catch {
            // An unknown field is reported before what is missing after it.
            let problem =
                operation == nil && error.place != .field
                ? "expected =, !=, <, <=, >, >=, in or exists" : error.problem
            let place =
                switch error.place {
                case .field: start
                case .operation: operatorStart
                case .operand(let index): index < places.count ? places[index] : operatorStart
                }
            throw Failure(position: place, problem: problem)
        }
    }

    private mutating func operation() -> RawOperation? {
        if scanner.consumeKeyword("in") { return .isAny }
        if scanner.consumeKeyword("exists") { return .exists }
        if scanner.consume("!=") { return .relation(.notEqual) }
        if scanner.consume("<=") { return .relation(.atMost) }
        if scanner.consume(">=") { return .relation(.atLeast) }
        if scanner.consume("=") { return .relation(.equal) }
        if scanner.consume("<") { return .relation(.less) }
        return scanner.consume(">") ? .relation(.greater) : nil
    }

    private mutating func operands(
        _ operation: RawOperation,
        _ places: inout [Int]
    ) throws(Failure) -> [RawOperand] {
        guard operation == .isAny else { return [try operand(&places)] }
        guard scanner.consume("[") else { throw scanner.failure("expected [ and values with commas between them") }
        var operands: [RawOperand] = []
        repeat {
            operands.append(try operand(&places))
            guard operands.count <= AudienceRule.maximumValues else {
                throw Failure(position: places.last ?? 0, problem: "the rule " + AudienceRule.excessValues)
            }
        } while scanner.consume(",")
        guard scanner.consume("]") else { throw scanner.failure("expected , or ]") }
        return operands
    }

    private mutating func operand(_ places: inout [Int]) throws(Failure) -> RawOperand {
        _ = scanner.next()
        places.append(scanner.position)
        if let text = try scanner.quoted() { return .quoted(text) }
        var word = scanner.bareValue()
        guard !word.isEmpty else { throw scanner.failure("expected a value") }
        // `now - 30d` is one value with or without the spaces.
        if word == "now", let sign = scanner.next(), sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            word += scanner.bareValue()
            if word.utf8.count == 4 { word += scanner.bareValue() }
        }
        return .bare(word)
    }
}

extension AudienceTerm {
    static let tagNameLengths = 1...255
}

extension AudienceEvent {
    static let actionLengths = 1...64
}
