import NIOConcurrencyHelpers

/// One phone, as `GET /tokens/{hex}` tells of it.
package struct PhoneReport: Sendable {
    package var token: String
    package var isIssued: Bool
    package var topic: String?
    package var environment: PushEnvironment?
    package var unregisteredSince: SimulatedTime?
    package var isExpired: Bool
    package var isOnline: Bool
    package var accepted: Int
    /// Newest first; nil where only traces are kept, as the phone was never in a feed.
    package var screen: [Delivery?]
    package var stored: Delivery?
}

extension SimulatorHandle {
    /// Issues device tokens of 32 random bytes, as phones get them when an app registers.
    ///
    /// - Parameters:
    ///   - topic: The only topic they are good for; nil: any.
    ///   - environment: The environment they are good for; nil: the simulator's own.
    ///   - count: How many.
    ///   - isOffline: Whether their phones begin switched off. Otherwise notifications that come before a feed
    ///     follows a token count as shown, but nobody gets them.
    /// - Returns: The tokens in hexadecimal.
    /// - Throws: ``Failure/full``; some of the tokens may be known then.
    package func issueTokens(
        topic: String?,
        environment: PushEnvironment? = nil,
        count: Int = 1,
        isOffline: Bool = false
    ) throws(Failure) -> [String] {
        let environment = environment ?? core.configuration.rules.environment
        var generator = SystemRandomNumberGenerator()
        let tokens = (0..<count).map { _ in
            (0..<4).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
        }
        let isDone = core.state.withLockedValue { state in
            tokens.allSatisfy { token in
                state.gateway.issue(token, topic: topic, environment: environment, isOffline: isOffline)
            }
        }
        guard isDone else { throw .full }
        return tokens.map { hexadecimal($0) }
    }

    /// Declares a device token dead: 410 from now on.
    ///
    /// - Parameters:
    ///   - token: The token in hexadecimal.
    ///   - timestamp: Since when; nil: now.
    ///   - isExpiry: Whether the reason is `ExpiredToken` rather than `Unregistered`.
    /// - Throws: ``Failure/malformedToken(_:)``, or ``Failure/unknownToken(_:)`` in strict mode.
    package func expire(_ token: String, timestamp: SimulatedTime? = nil, isExpiry: Bool = false) throws(Failure) {
        let end = Registration.End(since: timestamp ?? core.clock.now, isExpiry: isExpiry)
        try setEnd(end, of: token)
    }

    /// Makes a device token good again, as when the app is back.
    package func register(_ token: String) throws(Failure) {
        try setEnd(nil, of: token)
    }

    /// What is known of a phone.
    ///
    /// - Throws: ``Failure/unknownToken(_:)`` when the simulator never heard of it, in open mode too.
    package func phone(_ token: String) throws(Failure) -> PhoneReport {
        let bytes = try Self.decode(token, at: 0)
        let report = core.state.withLockedValue { state in
            state.gateway.devices.find(bytes).map { state.gateway.report(on: $0) }
        }
        guard let report else { throw .unknownToken(0) }
        return report
    }

    static func decode(_ token: String, at position: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        guard case .wellFormed = DeviceTokenSyntax(hexadecimal: Array(token.utf8), into: &bytes) else {
            throw .malformedToken(position)
        }
        return bytes
    }

    // MARK: - Private

    private func setEnd(_ end: Registration.End?, of token: String) throws(Failure) {
        let bytes = try Self.decode(token, at: 0)
        let isDone = core.state.withLockedValue { state in
            guard let device = state.gateway.device(bytes) else { return false }
            state.gateway.devices.end(device, end)
            return true
        }
        guard isDone else { throw .unknownToken(0) }
    }
}

extension Gateway {
    /// The device of a token; open mode takes up one that it does not know.
    mutating func device(_ token: [UInt8]) -> DeviceTable.Index? {
        if let known = devices.find(token) {
            return known
        }
        let isOpen = validators.contains { $0.rules.deviceTokens == .open }
        guard isOpen, !devices.isFull else { return nil }
        return devices.insert(token)
    }

    fileprivate mutating func issue(
        _ token: [UInt8],
        topic: String?,
        environment: PushEnvironment,
        isOffline: Bool
    ) -> Bool {
        guard devices.find(token) == nil, !devices.isFull else { return false }
        let device = devices.insert(token)
        if isOffline {
            devices.markOwned(device)
        }
        return devices.issue(device, topic: topic, environment: environment)
    }

    fileprivate func report(on device: DeviceTable.Index) -> PhoneReport {
        let registration = devices.registration(of: device)
        return PhoneReport(
            token: hexadecimal(devices.token(of: device)),
            isIssued: registration.isIssued,
            topic: registration.topic,
            environment: registration.environment,
            unregisteredSince: registration.end?.since,
            isExpired: registration.end?.isExpiry ?? false,
            isOnline: phones.followers[device] != nil || !devices.isOwned(device),
            accepted: Int(devices[device].accepted),
            screen: phones.screen(of: device, in: devices),
            stored: phones.stored(for: device)?.delivery
        )
    }

    /// Puts phones into a feed, which makes them online.
    ///
    /// - Returns: What had waited for them; nil and nothing done when a token is unknown, whose position is given.
    mutating func follow(
        _ tokens: [[UInt8]],
        feed: FeedID,
        now: SimulatedTime
    ) -> Result<[Delivery], SimulatorHandle.Failure> {
        var found: [DeviceTable.Index] = []
        for (position, token) in tokens.enumerated() {
            guard let device = device(token) else { return .failure(.unknownToken(position)) }
            found.append(device)
        }
        return .success(
            found.flatMap { device in
                let stored = phones.follow(device, feed: feed, devices: &devices, counters: &counters, now: now)
                let missed = channels.takeMissed(by: device, token: devices.token(of: device), at: now)
                counters.delivered += missed.count
                return (stored.map { [$0] } ?? []) + missed
            }
        )
    }
}
