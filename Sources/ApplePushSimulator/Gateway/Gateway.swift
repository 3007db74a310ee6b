/// All of Apple's side that is not a socket: takes a request, says what to answer, and keeps what follows from it.
///
/// A plain value. Whoever holds it locks it, and carries out what it returns.
struct Gateway: Sendable {
    /// Where a request came from.
    struct Origin {
        var connection: Int
        var stream: Int32
    }

    let judge: Judge
    var keys = SigningKeys()
    var devices = DeviceTable()
    var phones = Phones()
    var faults: Faults
    var counters = Counters()
    var recorder: Recorder
    var random: SplitMix64

    init(rules: JudgeRules, recording: Int, seed: UInt64) {
        judge = Judge(rules: rules)
        faults = Faults(seed: seed)
        random = SplitMix64(state: seed &+ 1)
        recorder = Recorder(limit: recording)
    }

    /// Takes in one request that is whole, or whose body is over its limit.
    ///
    /// - Parameters:
    ///   - request: The request. When requests are recorded, it is exchanged for an old one, whose memory can be used
    ///     again; so recording copies nothing.
    ///   - connection: What is remembered of the connection; changed.
    ///   - origin: Where the request came from.
    ///   - now: The time of arrival.
    /// - Returns: What to answer.
    mutating func receive(
        _ request: inout IncomingRequest,
        connection: inout ConnectionState,
        from origin: Origin,
        now: WallTime
    ) -> Reply {
        let verdict = judge.judge(request, connection: &connection, keys: &keys, devices: devices, now: now)
        var reply = Reply(id: request[.apnsID].flatMap(NotificationID.init) ?? NotificationID(using: &random))
        if judge.rules.environment == .sandbox {
            reply.uniqueID = NotificationID(using: &random)
        }
        switch verdict {
        case .rejected(let rejection):
            reply.refuse(rejection.reason.status, rejection.reason.rawValue, timestamp: rejection.timestamp)
        case .accepted(let acceptance):
            if faults.isEmpty || strike(request, reply: &reply, now: now) {
                accept(request, acceptance, reply: &reply, now: now)
            }
        }
        count(reply)
        if recorder.isOn {
            record(&request, reply: reply, token: connection.providerToken, origin: origin, now: now)
        }
        return reply
    }

    /// Forgets what was counted, shown, stored and recorded, and all faults.
    ///
    /// Keys, issued tokens and feeds stay.
    mutating func reset() {
        counters.reset()
        faults.removeAll()
        recorder.reset()
        keys.resetCount()
        phones.clearScreens()
        devices.clearHistory()
    }

    // MARK: - Private

    private mutating func strike(
        _ request: borrowing IncomingRequest,
        reply: inout Reply,
        now: WallTime
    ) -> Bool {
        let target = Faults.Target(
            family: .devices,
            listener: 0,
            token: request.deviceToken,
            topic: request[.apnsTopic] ?? [],
            at: now
        )
        return faults.strike(target, reply: &reply)
    }

    private mutating func accept(
        _ request: borrowing IncomingRequest,
        _ acceptance: Acceptance,
        reply: inout Reply,
        now: WallTime
    ) {
        if acceptance.pushType == .background, acceptance.priority != 5 {
            counters.backgroundAtHighPriority += 1
        }
        guard let device = acceptance.device ?? addDevice(request.deviceToken) else {
            counters.accepted += 1
            return
        }
        if devices[device].accepted == 0 {
            counters.distinctTokensAccepted += 1
        }
        devices[device].accepted &+= 1
        counters.accepted += 1
        let arrival = Phones.Arrival(device: device, acceptance: acceptance, id: reply.id, at: now)
        reply.delivery = phones.take(request, arrival, devices: &devices, counters: &counters)
    }

    private mutating func addDevice(_ token: [UInt8]) -> DeviceTable.Index? {
        devices.isFull ? nil : devices.insert(token)
    }

    private mutating func count(_ reply: Reply) {
        guard reply.isAnswered else {
            counters.unanswered += 1
            return
        }
        if let reason = reply.reason {
            counters.rejected += 1
            counters.results[reason, default: 0] += 1
        }
    }

    private mutating func record(
        _ request: inout IncomingRequest,
        reply: Reply,
        token: ProviderToken?,
        origin: Origin,
        now: WallTime
    ) {
        // The connection remembers its last good provider token; a request refused for its own had another.
        let token = reply.status == 403 ? nil : token
        recorder.record(
            &request,
            RecordedRequest(
                connection: origin.connection,
                stream: origin.stream,
                at: now,
                request: IncomingRequest(),
                keyID: token?.key.keyID,
                teamID: token?.key.teamID,
                issuedAt: token?.issuedAt,
                status: reply.isAnswered ? reply.status : nil,
                reason: reply.reason
            )
        )
    }
}
