/// The simulator without I/O: accepts a request, returns the reply, and records the consequences.
///
/// A plain value. Its owner locks it, and executes what it returns.
struct Gateway: Sendable {
    /// The origin of a request.
    struct Origin {
        var connection: Int
        var stream: Int32
    }

    /// One per listener.
    private(set) var validators: [RequestValidator]
    var keys = SigningKeys()
    var devices = DeviceTable()
    var phones = Phones()
    var channels = Channels()
    var rates = DeviceTokenRates()
    var faults: Faults
    var counters = Counters()
    var recorder: Recorder
    var random: SplitMix64
    /// Deliveries for feeds, by acceptance; the gateway's owner removes them.
    var outbox: [(feed: FeedID, delivery: Delivery)] = []

    init(rules: [ValidationRules], recording: Int, seed: UInt64) {
        validators = rules.map { RequestValidator(rules: $0) }
        faults = Faults(seed: seed)
        random = SplitMix64(state: seed &+ 1)
        recorder = Recorder(limit: recording)
    }

    /// Changes the rules of a listener; cached results are invalidated.
    mutating func setRules(_ rules: ValidationRules, ofListener position: Int) {
        validators[position] = RequestValidator(rules: rules)
        keys.reconsider()
    }

    /// Handles one request that is complete, or whose body is over its limit.
    ///
    /// - Parameters:
    ///   - request: The request. When requests are recorded, it is exchanged for an old one, whose memory can be
    ///     reused; so recording copies nothing.
    ///   - connection: The state of the connection; changed.
    ///   - origin: The origin of the request.
    ///   - now: The time of arrival.
    /// - Returns: The reply.
    mutating func receive(
        _ request: inout IncomingRequest,
        connection: inout ConnectionState,
        from origin: Origin,
        now: SimulatedTime
    ) -> Reply {
        let validator = validators[connection.listener]
        let isOfChannels = request.route.isOfChannels
        let id = request.withValue(of: isOfChannels ? .apnsRequestID : .apnsID) { NotificationID($0) }
        var reply = Reply(id: id ?? NotificationID(using: &random, isLowerCase: validator.rules.generatesLowerCaseIDs))
        reply.isOfChannels = isOfChannels
        if validator.rules.environment == .sandbox, !isOfChannels {
            reply.uniqueID = NotificationID(using: &random, isLowerCase: validator.rules.generatesLowerCaseIDs)
        }
        if validator.rules.namesContentType {
            reply.rare = Reply.Rare(namesContentType: true)
        }
        do throws(Rejection) {
            switch try validator.admit(request, connection: &connection, keys: &keys, now: now) {
            case .devices:
                try notify(request, id: id, reply: &reply, validator: validator, connection: &connection, now: now)
            case .broadcasts:
                let acceptance = try validator.validateBroadcast(request, id: id, connection: connection)
                if strike(request, .broadcasts, connection, reply: &reply, now: now) {
                    let environment = validator.rules.environment
                    try broadcast(request, acceptance, in: environment, id: reply.id, now: now)
                }
            case .channels, .channelLists:
                try manage(request, id: id, reply: &reply, validator: validator, connection: connection, now: now)
            }
        } catch {
            reply.refuse(error.reason.status, error.reason.rawValue, timestamp: error.timestamp)
        }
        count(reply)
        if recorder.isOn {
            record(&request, reply: reply, token: connection.providerToken, origin: origin, now: now)
        }
        return reply
    }

    /// Resets counts, screens, stored notifications, recorded requests and faults.
    ///
    /// Keys, issued tokens, channels, subscriptions and feeds stay.
    mutating func reset() {
        counters.reset()
        faults.removeAll()
        recorder.reset()
        keys.resetCount()
        phones.clearScreens()
        devices.clearHistory()
        rates = DeviceTokenRates()
    }

    // MARK: - Private

    private mutating func notify(
        _ request: borrowing IncomingRequest,
        id: NotificationID?,
        reply: inout Reply,
        validator: RequestValidator,
        connection: inout ConnectionState,
        now: SimulatedTime
    ) throws(Rejection) {
        var acceptance = try validator.validate(request, id: id, connection: &connection, devices: devices)
        if let rate = validator.rules.deviceTokenRate {
            acceptance.device = acceptance.device ?? addDevice(request.deviceToken)
            guard rates.allows(acceptance.device, rate: rate, at: now) else { throw Rejection(.tooManyRequests) }
        }
        guard faults.isEmpty || strike(request, .devices, connection, reply: &reply, now: now) else { return }
        if acceptance.pushType == .background, acceptance.priority != 5 {
            counters.backgroundAtHighPriority += 1
        }
        counters.accepted += 1
        guard let device = acceptance.device ?? addDevice(request.deviceToken) else { return }
        acceptance.device = device
        if devices[device].accepted == 0 {
            counters.distinctTokensAccepted += 1
        }
        devices[device].accepted &+= 1
        let arrival = Phones.Arrival(device: device, acceptance: acceptance, id: reply.id, at: now)
        if let delivery = phones.receive(request, arrival, devices: &devices, counters: &counters) {
            outbox.append(delivery)
        }
    }

    private mutating func manage(
        _ request: borrowing IncomingRequest,
        id: NotificationID?,
        reply: inout Reply,
        validator: RequestValidator,
        connection: borrowing ConnectionState,
        now: SimulatedTime
    ) throws(Rejection) {
        let operation = try validator.validateChannels(request, id: id, connection: connection)
        let family = request.route.family ?? .channels
        guard strike(request, family, connection, reply: &reply, now: now) else { return }
        let answer = try carryOut(operation, in: validator.rules.environment)
        counters.channelOperations += 1
        guard reply.reason == nil else { return }
        reply.status = answer.status
        var rare = reply.rare ?? Reply.Rare()
        (rare.channel, rare.body) = (answer.channel, answer.body)
        reply.rare = rare
    }

    /// Applies faults to a request.
    ///
    /// - Returns: Whether it counts nevertheless.
    private mutating func strike(
        _ request: borrowing IncomingRequest,
        _ family: PathFamily,
        _ connection: borrowing ConnectionState,
        reply: inout Reply,
        now: SimulatedTime
    ) -> Bool {
        guard !faults.isEmpty else { return true }
        let target = Faults.Target(
            family: family,
            listener: connection.listener,
            token: request.deviceToken,
            topic: family == .devices ? request[.apnsTopic] ?? [] : request.bundleID,
            at: now
        )
        return faults.strike(target, reply: &reply)
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
        now: SimulatedTime
    ) {
        // The connection stores its last valid provider token; a request refused for its own had another.
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
