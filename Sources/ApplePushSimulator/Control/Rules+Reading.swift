// Reads listener settings over the current ones: missing fields stay unchanged, null restores the first value.

extension ValidationRules {
    mutating func read(_ fields: inout StrictFields) throws(FieldProblem) {
        environment = try fields.choice("environment") ?? environment
        if let choices: [PathFamily] = try fields.choices("families") { families = Set(choices) }
        deviceTokens = try fields.choice("deviceTokens") ?? deviceTokens
        providerTokens = try fields.choice("providerTokens") ?? providerTokens
        if let names = try fields.texts("topics", limit: 10_000, bytes: 1...255) { topics = Set(names) }
        providerTokenLifetime =
            try fields.milliseconds("providerTokenLifetimeMilliseconds", Self.day) ?? providerTokenLifetime
        let rate = try fields.object("deviceTokenRate", DeviceTokenRate.init(reading:))
        deviceTokenRate = fields.optional("deviceTokenRate", rate, deviceTokenRate)
        try readUnsettled(&fields)
    }

    private static let day = 0...86_400_000

    /// Reads the points that Apple's documentation leaves open; each has a safe default.
    private mutating func readUnsettled(_ fields: inout StrictFields) throws(FieldProblem) {
        order = try fields.choices("order") ?? order
        matchesTopicToPushType = try fields.flag("matchesTopicToPushType") ?? matchesTopicToPushType
        mismatchedTopicReason = try fields.choice("mismatchedTopicReason") ?? mismatchedTopicReason
        otherEnvironmentReason = try fields.choice("otherEnvironmentReason") ?? otherEnvironmentReason
        let reason: RejectionReason? = try fields.choice("malformedPayloadReason")
        malformedPayloadReason = fields.optional("malformedPayloadReason", reason, malformedPayloadReason)
        namesContentType = try fields.flag("namesContentType") ?? namesContentType
        generatesLowerCaseIDs = try fields.flag("generatesLowerCaseIDs") ?? generatesLowerCaseIDs
        requiresBackgroundPriority = try fields.flag("requiresBackgroundPriority") ?? requiresBackgroundPriority
        clockTolerance = try fields.milliseconds("clockToleranceMilliseconds", Self.day) ?? clockTolerance
        providerTokenChanges = try fields.integer("providerTokenChanges", 0...1_000_000) ?? providerTokenChanges
        providerTokenChangeWindow =
            try fields.milliseconds("providerTokenChangeWindowMilliseconds", Self.day) ?? providerTokenChangeWindow
        providerTokenChangeScope = try fields.choice("providerTokenChangeScope") ?? providerTokenChangeScope
    }
}

extension DeviceTokenRate {
    init(reading fields: inout StrictFields) throws(FieldProblem) {
        let count = try fields.required("count", try fields.integer("count", 1...1_000_000))
        let span = try fields.required("milliseconds", try fields.milliseconds("milliseconds", 1...86_400_000))
        self.init(count: count, span: span)
    }
}

extension ConnectionRules {
    mutating func read(_ fields: inout StrictFields) throws(FieldProblem) {
        let streams = 1...1_000_000
        initialStreamLimit = try fields.integer("initialStreamLimit", streams).map { UInt32($0) } ?? initialStreamLimit
        streamLimit = try fields.integer("streamLimit", streams).map { UInt32($0) } ?? streamLimit
        refusal = try fields.choice("refusal") ?? refusal
        refusalsBeforeGoAway = try fields.optional(
            "refusalsBeforeGoAway",
            fields.integer("refusalsBeforeGoAway", streams),
            refusalsBeforeGoAway
        )
        dropsLimitAfterRejection = try fields.flag("dropsLimitAfterRejection") ?? dropsLimitAfterRejection
        requestLimit = fields.optional(
            "requestLimit",
            try fields.integer("requestLimit", 1...1_000_000_000),
            requestLimit
        )
        idleTimeout = fields.optional(
            "idleTimeoutMilliseconds",
            try fields.milliseconds("idleTimeoutMilliseconds", 1...86_400_000),
            idleTimeout
        )
        windowDelay = fields.optional(
            "windowDelayMilliseconds",
            try fields.milliseconds("windowDelayMilliseconds"),
            windowDelay
        )
        handshakeDelay = fields.optional(
            "handshakeDelayMilliseconds",
            try fields.milliseconds("handshakeDelayMilliseconds"),
            handshakeDelay
        )
        distance = fields.optional(
            "distanceMilliseconds",
            try fields.milliseconds("distanceMilliseconds", 0...10_000),
            distance
        )
    }
}

extension ListenerConfiguration {
    /// Reads a scenario's listener over the current settings.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - first: The settings that null restores.
    /// - Throws: The first invalid field.
    mutating func read(_ fields: inout StrictFields, first: Self) throws(FieldProblem) {
        port = try fields.integer("port", 0...65_535) ?? port
        var (rules, connections) = (rules, connections)
        _ = try fields.object("rules") { fields throws(FieldProblem) in
            fields.restoreNulls(from: ListenerAnswer.Rules(first.rules))
            try rules.read(&fields)
        }
        _ = try fields.object("connections") { fields throws(FieldProblem) in
            fields.restoreNulls(from: ListenerAnswer.Connections(first.connections))
            try connections.read(&fields)
        }
        (self.rules, self.connections) = (rules, connections)
    }
}

extension SigningKey {
    init(reading fields: inout StrictFields) throws(FieldProblem) {
        let keyID = try fields.required("keyID", try fields.text("keyID", bytes: 1...60))
        let teamID = try fields.required("teamID", try fields.text("teamID", bytes: 1...60))
        let publicKey = try fields.publicKey()
        self.init(
            keyID: keyID,
            teamID: teamID,
            publicKey: publicKey,
            environment: try fields.choice("environment"),
            topics: try fields.texts("topics", limit: 400, bytes: 1...255).map { Set($0) }
        )
    }
}
