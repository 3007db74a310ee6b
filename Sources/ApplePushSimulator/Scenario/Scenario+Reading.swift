extension Scenario {
    /// Maximum size of a scenario in bytes.
    package static let sizeLimit = 4 << 20

    /// Reads a scenario.
    ///
    /// - Parameters:
    ///   - json: The file's bytes.
    ///   - listeners: The current listeners, which the scenario changes.
    ///   - canAddListeners: Whether it may add listeners, as before the start of the simulator.
    /// - Throws: ``FieldProblem`` for the first field that is unknown or out of range.
    package init(
        json: [UInt8],
        over listeners: [ListenerConfiguration],
        canAddListeners: Bool
    ) throws(FieldProblem) {
        guard json.count <= Self.sizeLimit else {
            throw FieldProblem(field: "", wanted: "wanted at most \(Self.sizeLimit) bytes")
        }
        self = try StrictFields.read(json) { fields throws(FieldProblem) in
            try Scenario(&fields, listeners, canAddListeners)
        }
    }

    private init(
        _ fields: inout StrictFields,
        _ known: [ListenerConfiguration],
        _ canAddListeners: Bool
    ) throws(FieldProblem) {
        name = try fields.text("name") ?? "scenario"
        // A note has no effect.
        _ = try fields.text("note", bytes: 0...4000)
        seed = try fields.integer("seed", 0...Int.max).map { UInt64($0) }
        listeners =
            try fields.objects("listeners", limit: 16) { fields throws(FieldProblem) in
                try Self.listener(&fields, known, canAddListeners)
            } ?? []
        guard Set(listeners.map(\.name)).count == listeners.count else {
            throw fields.problem("listeners", "wanted names that differ")
        }
        keys = try fields.objects("keys", limit: 400, SigningKey.init(reading:)) ?? []
        tokens = try fields.objects("tokens", limit: 10_000, TokenOrder.init(reading:)) ?? []
        let all = listeners + known.filter { known in !listeners.contains { $0.name == known.name } }
        let reader = StepReader(listeners: all)
        faults =
            try fields.objects("faults", limit: 1000) { fields throws(FieldProblem) in
                try reader.fault(&fields)
            } ?? []
        steps =
            try fields.objects("steps", limit: 10_000) { fields throws(FieldProblem) in
                try reader.step(&fields)
            } ?? []
    }

    private static func listener(
        _ fields: inout StrictFields,
        _ known: [ListenerConfiguration],
        _ canAdd: Bool
    ) throws(FieldProblem) -> ListenerConfiguration {
        let name = try fields.required("name", try fields.text("name", bytes: 1...60))
        var listener = ListenerConfiguration(name: name)
        if let set = known.first(where: { $0.name == name }) {
            listener = set
        } else if !canAdd {
            throw fields.problem(
                "name",
                "there is no such listener, and one can be added only when the simulator starts"
            )
        }
        try listener.read(&fields, first: listener)
        return listener
    }
}

extension Scenario.TokenOrder {
    init(reading fields: inout StrictFields) throws(FieldProblem) {
        if let text = try fields.text("token", bytes: 64...512) {
            token = try fields.deviceToken(text, "token")
        }
        let count = try fields.integer("count", 1...100_000)
        guard token == nil || count == nil else { throw fields.problem("count", "must not be combined with token") }
        self.count = count ?? 1
        topic = try fields.text("topic", bytes: 1...255)
        environment = try fields.choice("environment")
        isOffline = !(try fields.flag("online") ?? true)
    }
}

/// Reads steps, with the listeners that they may name.
private struct StepReader {
    let listeners: [ListenerConfiguration]

    func step(_ fields: inout StrictFields) throws(FieldProblem) -> ScenarioStep {
        _ = try fields.text("note", bytes: 0...4000)
        let requests = try fields.integer("afterRequests", 1...1_000_000_000)
        let time = try fields.milliseconds("atMilliseconds", 0...86_400_000)
        var actions = try gatewayActions(&fields)
        actions += try listenerActions(&fields)
        actions += try connectionActions(&fields)
        try fields.refuseUnknown()
        let trigger: ScenarioStep.Trigger
        switch (requests, time) {
        case (let count?, nil): trigger = .requests(count)
        case (nil, let span?): trigger = .time(span)
        default: throw fields.problem("wanted either afterRequests or atMilliseconds")
        }
        guard !actions.isEmpty else { throw fields.problem("wanted something to do") }
        return ScenarioStep(trigger: trigger, actions: actions)
    }

    func fault(_ fields: inout StrictFields) throws(FieldProblem) -> FaultOrder {
        let order = try FaultOrder(reading: &fields)
        if let name = order.fault.listener {
            try check(name, "listener", fields)
        }
        return order
    }

    // MARK: - Private

    /// Reads actions on how requests are answered.
    private func gatewayActions(_ fields: inout StrictFields) throws(FieldProblem) -> [ScenarioAction] {
        var actions: [ScenarioAction] = []
        if try fields.flag("removeFaults") == true { actions.append(.removeFaults) }
        let faults = try fields.objects("addFaults", limit: 1000) { fields throws(FieldProblem) in try fault(&fields) }
        actions += (faults ?? []).map { .addFault($0) }
        for (reason, percent) in try fields.percentages("reasons", limit: 60) ?? [] {
            actions.append(.addFault(FaultOrder(try share(percent, of: reason, fields))))
        }
        for key in try fields.objects("addKeys", limit: 400, SigningKey.init(reading:)) ?? [] {
            actions.append(.addKey(key))
        }
        for keyID in try fields.texts("revokeKeys", limit: 400) ?? [] { actions.append(.revokeKey(keyID)) }
        let ended = try fields.object("endTokens") { fields throws(FieldProblem) in
            let percent = try fields.percent("percent") ?? 100
            let reason: TokenEnd? = try fields.choice("reason")
            return ScenarioAction.endTokens(percent: percent, isExpiry: reason == .expired)
        }
        if let ended { actions.append(ended) }
        if try fields.flag("registerTokens") == true { actions.append(.registerTokens) }
        if let span = try fields.milliseconds("moveClockMilliseconds", -31_536_000_000...31_536_000_000) {
            actions.append(.advanceClock(span))
        }
        return actions
    }

    /// A share of all requests answered with a reason and its status.
    private func share(_ percent: Double, of reason: String, _ fields: StrictFields) throws(FieldProblem) -> Fault {
        guard let known = RejectionReason(rawValue: reason) else {
            throw fields.problem("reasons", "there is no reason \(Wording.shortened(reason, to: 60)) among Apple's")
        }
        var fault = Fault(.answer, status: known.status, reason: reason)
        fault.percent = percent
        return fault
    }

    private func listenerActions(_ fields: inout StrictFields) throws(FieldProblem) -> [ScenarioAction] {
        let changes = try fields.objects("listeners", limit: 16) { fields throws(FieldProblem) in
            let name = try fields.required("name", try fields.text("name", bytes: 1...60))
            try check(name, "name", fields)
            var listener = listeners.first { $0.name == name } ?? ListenerConfiguration(name: name)
            let before = listener
            try listener.read(&fields, first: before)
            guard listener.port == before.port else {
                throw fields.problem("port", "cannot be changed while the simulator runs")
            }
            return [
                ScenarioAction.setRules(listener.rules, listener: name),
                .setConnectionRules(listener.connections, listener: name),
            ]
        }
        return (changes ?? []).flatMap { $0 }
    }

    /// Reads actions on open connections.
    private func connectionActions(_ fields: inout StrictFields) throws(FieldProblem) -> [ScenarioAction] {
        var choice = ConnectionChoice.all
        if let name = try fields.text("on", bytes: 1...60) {
            try check(name, "on", fields)
            choice = .listener(name)
        }
        var actions = try ConnectionAction.read(&fields).map { ScenarioAction.perform($0, choice) }
        if let isAvailable = try fields.flag("available") { actions.append(.setAvailable(isAvailable)) }
        return actions
    }

    private func check(_ listener: String, _ name: String, _ fields: StrictFields) throws(FieldProblem) {
        guard listeners.contains(where: { $0.name == listener }) else {
            throw fields.problem(
                name,
                "there is no such listener; there are " + listeners.map(\.name).joined(separator: ", ")
            )
        }
    }
}

/// Apple's reasons for an invalid device token.
enum TokenEnd: String, CaseIterable {
    case unregistered = "Unregistered"
    case expired = "ExpiredToken"
}

extension ConnectionAction {
    /// Reads all actions on open connections.
    static func read(_ fields: inout StrictFields) throws(FieldProblem) -> [ConnectionAction] {
        var actions: [ConnectionAction] = []
        if let limit = try fields.integer("streamLimit", 1...1_000_000) { actions.append(.streamLimit(UInt32(limit))) }
        if let code = try fields.integer("resetStreams", 0...Int(UInt32.max)) {
            actions.append(.resetStreams(UInt32(code)))
        }
        if let goodbye = try fields.object("goAway", Goodbye.init(reading:)) { actions.append(.goAway(goodbye)) }
        if let span = try fields.milliseconds("stallMilliseconds", 1...600_000) { actions.append(.stall(span)) }
        if try fields.flag("blackHole") == true { actions.append(.stall(nil)) }
        if try fields.flag("cut") == true { actions.append(.cut) }
        return actions
    }
}

extension Goodbye {
    init(reading fields: inout StrictFields) throws(FieldProblem) {
        let isEmpty = try fields.flag("emptyDebug") ?? false
        let reason = try fields.text("reason")
        guard !isEmpty || reason == nil else { throw fields.problem("reason", "must not be combined with emptyDebug") }
        self.init(
            reason: isEmpty ? nil : reason ?? "Shutdown",
            errorCode: try fields.integer("errorCode", 0...Int(UInt32.max)).map { UInt32($0) } ?? 0,
            count: try fields.integer("count", 1...10) ?? 1
        )
    }
}
