extension SimulatedAPNs {
    /// What happens to requests instead of acceptance.
    ///
    /// Requests that Apple would refuse are refused as always, and are not hit.
    public struct Fault: Hashable, Sendable {
        let fault: ApplePushSimulator.Fault

        /// An answer with a status of 400 through 599 and a reason, such as 503 and `ServiceUnavailable`.
        public static func answer(_ status: Int, _ reason: String) -> Fault {
            Fault(fault: .init(.answer, status: status, reason: reason))
        }

        /// RST_STREAM with an HTTP/2 error code; 7, REFUSED_STREAM, says that the request was not processed.
        public static func reset(errorCode: UInt32 = 2) -> Fault {
            var fault = ApplePushSimulator.Fault(.reset)
            fault.errorCode = errorCode
            return Fault(fault: fault)
        }

        /// GOAWAY with a reason, which excludes the request; then the connection is closed.
        public static func goAway(reason: String = "Shutdown") -> Fault {
            Fault(fault: .init(.goAway, reason: reason))
        }

        /// The connection is cut, with unsent answers.
        public static let close = Fault(fault: .init(.close))
        /// The connection answers no more, as on a network that drops all packets.
        public static let stall = Fault(fault: .init(.stall))

        /// The usual answer, late by so much, up to ten minutes.
        public static func delay(_ duration: Duration) -> Fault {
            var fault = ApplePushSimulator.Fault(.answer)
            fault.latency = .constant(duration)
            return Fault(fault: fault)
        }

        /// The same, but the notification counts as accepted, although its answer is an error or missing.
        public var thatTakesEffect: Fault {
            var fault = fault
            fault.takesEffect = true
            return Fault(fault: fault)
        }
    }

    /// Adds a fault after those in force.
    ///
    /// - Parameters:
    ///   - fault: What happens.
    ///   - count: How many requests it hits, from 1; `nil` for all until ``removeFaults()``.
    ///   - percent: The share of requests it hits, above 0 through 100.
    ///   - deviceToken: The only device token it hits, in hexadecimal; `nil` for all.
    /// - Throws: ``Problem/badStatus``, ``Problem/badAmount``, ``Problem/badDeviceToken``.
    public func inject(
        _ fault: Fault,
        count: Int? = nil,
        percent: Double? = nil,
        deviceToken: String? = nil
    ) throws {
        var order = fault.fault
        if let status = order.status, !(400...599).contains(status) { throw Problem.badStatus }
        guard (count ?? 1) >= 1, (percent ?? 100) > 0, (percent ?? 100) <= 100 else { throw Problem.badAmount }
        order.count = count
        order.percent = percent
        if let deviceToken {
            guard let bytes = try? SimulatorHandle.decode(deviceToken, at: 0) else { throw Problem.badDeviceToken }
            order.token = bytes
        }
        handle.inject(order)
    }

    /// Removes all faults.
    public func removeFaults() { handle.removeFaults() }

    /// Begins or ends an outage: connections are cut, and new ones are closed at once.
    public func setReachable(_ isReachable: Bool) { handle.setAvailable(isReachable) }

    /// Sends GOAWAY `{"reason":"Shutdown"}` to all clients, as Apple does before maintenance; new ones are accepted.
    public func sendGoAway() { simulator.sendGoAway() }

    /// Cuts all connections; new ones are accepted.
    public func cutConnections() { handle.cutConnections() }

    /// Moves the simulator's clock, which determines the age of provider tokens, forward, or back by a negative duration.
    public func advanceClock(by duration: Duration) { handle.advanceClock(by: duration) }

    /// Removes requests, counts and faults; keys, device tokens and rules stay.
    public func reset() { handle.reset() }
}
