/// A requested fault, whose end may be given as a duration.
package struct FaultOrder: Hashable, Sendable {
    package var fault: Fault
    /// How long it is active from now on; nil for its own end, if any.
    package var lasting: Duration?

    package init(_ fault: Fault, lasting: Duration? = nil) {
        self.fault = fault
        self.lasting = lasting
    }

    /// The fault with its end on the simulator's clock.
    package func fault(from now: SimulatedTime) -> Fault {
        var fault = fault
        if let lasting {
            fault.end = now.advanced(by: lasting)
        }
        return fault
    }
}

extension FaultOrder {
    /// Reads the body of `POST /faults`, also used in scenario files.
    init(reading fields: inout StrictFields) throws(FieldProblem) {
        var fault = Fault(try fields.choice("kind") ?? .answer)
        fault.count = try fields.integer("count", 1...1_000_000_000)
        fault.percent = try fields.percent("percent")
        try Self.readTarget(&fault, &fields)
        try Self.readAnswer(&fault, &fields)
        try Self.readGoodbye(&fault, &fields)
        fault.latency = try Latency(reading: &fields)
        fault.takesEffect = try fields.flag("takesEffect") ?? false
        self.init(fault, lasting: try fields.milliseconds("forMilliseconds", 1...86_400_000))
    }

    private static func readTarget(_ fault: inout Fault, _ fields: inout StrictFields) throws(FieldProblem) {
        if let token = try fields.text("token", bytes: 64...512) {
            fault.token = try fields.deviceToken(token, "token")
        }
        fault.topic = try fields.text("topic", bytes: 1...255)
        fault.listener = try fields.text("listener", bytes: 1...60)
        if let families: [PathFamily] = try fields.choices("families") {
            guard !families.isEmpty else { throw fields.problem("families", "wanted at least one") }
            fault.families = Set(families)
        }
        fault.start = try fields.time("start")
        fault.end = try fields.time("end")
    }

    private static func readAnswer(_ fault: inout Fault, _ fields: inout StrictFields) throws(FieldProblem) {
        fault.status = try fields.integer("status", 400...599)
        fault.reason = try fields.text("reason")
        fault.timestamp = try fields.time("timestamp")
        if fault.reason != nil, fault.status == nil, fault.kind != .goAway {
            throw fields.problem("reason", "requires a status or kind goaway")
        }
        if fault.status != nil, fault.kind != .answer {
            throw fields.problem("status", "requires kind answer")
        }
    }

    private static func readGoodbye(_ fault: inout Fault, _ fields: inout StrictFields) throws(FieldProblem) {
        fault.errorCode = try fields.integer("errorCode", 0...Int(UInt32.max)).map { UInt32($0) }
        if fault.errorCode != nil, ![.reset, .goAway].contains(fault.kind) {
            throw fields.problem("errorCode", "requires kind reset or goaway")
        }
        if let count = try fields.integer("goAwayCount", 1...10) {
            guard fault.kind == .goAway else { throw fields.problem("goAwayCount", "requires kind goaway") }
            fault.goAwayCount = count
        }
        if let isEmpty = try fields.flag("emptyDebug") {
            guard fault.kind == .goAway else { throw fields.problem("emptyDebug", "requires kind goaway") }
            fault.hasEmptyDebug = isEmpty
        }
        fault.streamLimit = try fields.integer("streamLimit", 1...1_000_000).map { UInt32($0) }
        guard (fault.streamLimit != nil) == (fault.kind == .streamLimit) else {
            throw fields.problem("streamLimit", "is required by kind streamLimit, and only valid with it")
        }
    }
}

extension Latency {
    /// The kinds of latency.
    enum Form: String, CaseIterable {
        case constant
        case uniform
        case normal
        case longTailed
    }

    /// Reads `latencyMilliseconds`, a number, or `latency`, a distribution; nil when both are missing.
    init?(reading fields: inout StrictFields) throws(FieldProblem) {
        let constant = try fields.milliseconds("latencyMilliseconds")
        let drawn = try fields.object("latency") { fields throws(FieldProblem) in
            try Latency.distribution(&fields)
        }
        guard constant == nil || drawn == nil else {
            throw fields.problem("latency", "must not be combined with latencyMilliseconds")
        }
        guard let latency = drawn ?? constant.map({ .constant($0) }) else { return nil }
        self = latency
    }

    private static func distribution(_ fields: inout StrictFields) throws(FieldProblem) -> Latency {
        let form: Form = try fields.required("kind", try fields.choice("kind"))
        func span(_ name: String) throws(FieldProblem) -> Duration {
            try fields.required(name, try fields.milliseconds(name))
        }
        switch form {
        case .constant:
            return .constant(try span("milliseconds"))
        case .uniform:
            let (shortest, longest) = (try span("shortest"), try span("longest"))
            guard shortest <= longest else { throw fields.problem("longest", "wanted at least shortest") }
            return .uniform(shortest, longest)
        case .normal:
            return .normal(mean: try span("mean"), deviation: try span("deviation"))
        case .longTailed:
            let (median, percentile99) = (try span("median"), try span("percentile99"))
            guard median <= percentile99 else { throw fields.problem("percentile99", "wanted at least median") }
            return .longTailed(median: median, percentile99: percentile99)
        }
    }
}

extension StrictFields {
    /// Milliseconds since 1970, on the simulator's clock.
    mutating func time(_ name: String) throws(FieldProblem) -> SimulatedTime? {
        try integer(name, 0...253_402_300_799_999).map { SimulatedTime(milliseconds: Int64($0)) }
    }

    func deviceToken(_ text: String, _ name: String) throws(FieldProblem) -> [UInt8] {
        guard let bytes = try? SimulatorHandle.decode(text, at: 0) else {
            throw problem(name, "wanted 64 through 512 hexadecimal digits")
        }
        return bytes
    }
}
