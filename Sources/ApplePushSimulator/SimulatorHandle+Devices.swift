import CarillonBytes
import NIOConcurrencyHelpers

/// A phone, as `GET /tokens/{hex}` reports it.
package struct PhoneReport: Sendable {
    package var token: String
    package var isIssued: Bool
    package var topic: String?
    package var environment: PushEnvironment?
    package var unregisteredSince: SimulatedTime?
    package var isExpired: Bool
    package var isOnline: Bool
    package var accepted: Int
    /// Newest first; nil where only hashes are stored, as the phone was never in a feed.
    package var screen: [Delivery?]
    package var stored: Delivery?
}

extension SimulatorHandle {
    /// Issues device tokens of 32 random bytes, as an app gets them when it registers.
    ///
    /// - Parameters:
    ///   - topic: The only topic they are valid for; nil for any.
    ///   - environment: The environment they are valid for; nil for the simulator's own.
    ///   - count: Number of tokens.
    ///   - isOffline: Whether their phones begin offline. Otherwise notifications that arrive before a feed follows a
    ///     token count as shown, but are not delivered.
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
        return tokens.map { Hexadecimal.encode($0) }
    }

    /// Makes a device token invalid: 410 from now on.
    ///
    /// - Parameters:
    ///   - token: The token in hexadecimal.
    ///   - timestamp: Since when; nil for now.
    ///   - isExpiry: Whether the reason is `ExpiredToken` instead of `Unregistered`.
    /// - Throws: ``Failure/malformedToken(_:)``, or ``Failure/unknownToken(_:)`` in strict mode.
    package func expire(_ token: String, timestamp: SimulatedTime? = nil, isExpiry: Bool = false) throws(Failure) {
        let end = Registration.End(since: timestamp ?? core.clock.now, isExpiry: isExpiry)
        try setEnd(end, of: token)
    }

    /// Makes a device token valid again, as after a new installation.
    package func register(_ token: String) throws(Failure) {
        try setEnd(nil, of: token)
    }

    /// The report of a phone.
    ///
    /// - Throws: ``Failure/unknownToken(_:)`` when the token is unknown, also in open mode.
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
    /// The device of a token; open mode adds an unknown one.
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
            token: Hexadecimal.encode(devices.token(of: device)),
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

    /// Adds phones to a feed, which makes them online.
    ///
    /// - Returns: Their stored notifications; nil, and no change, when a token is unknown, with its position.
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
                let missed = channels.removeMissed(by: device, token: devices.token(of: device), at: now)
                counters.delivered += missed.count
                return (stored.map { [$0] } ?? []) + missed
            }
        )
    }
}
