package import CarillonModel

/// Decides what the SDK sends to the server about the VoIP token.
///
/// The token belongs to the Device, but not to its registration; when the Device gets a new identity, the token is sent
/// again. It has no clock, no disk and no network.
package struct VoIPMachine: Equatable, Sendable {
    /// What outlives the process.
    package struct Memory: Codable, Equatable, Sendable {
        /// The token that the server is to know.
        package var wanted: VoIPRegistration?
        /// Whether the server may know a token that it is to delete.
        package var isLeaving = false
        /// The token that the server confirmed last, and for which Device.
        package var confirmed: VoIPRegistration?
        package var device: DeviceID?
        package var refreshAt: Timestamp?
        package var record: VoIPRecord?

        package init() {}
    }

    /// What to do now.
    package enum Step: Equatable, Sendable {
        /// Nothing: the server is up to date. The next request is due at that time, if at all.
        case idle(until: Timestamp?)
        /// Nothing before that time: a request failed.
        case wait(until: Timestamp)
        case put(VoIPRegistration)
        case delete
    }

    package private(set) var memory: Memory
    package var retry = Retry()

    package init(_ memory: Memory = Memory()) { self.memory = memory }

    /// Sets the token that the server is to know; `nil`: none.
    package mutating func setToken(_ token: VoIPRegistration?) {
        if token != memory.wanted { retry.retryNow() }
        if token == nil, memory.confirmed != nil || memory.wanted != nil { memory.isLeaving = true }
        if token != nil { memory.isLeaving = false }
        memory.wanted = token
    }

    /// Returns what to do now.
    ///
    /// - Parameters:
    ///   - device: The Device; a confirmation for another one does not count.
    ///   - now: The time by the phone's clock.
    /// - Returns: What to do.
    package func next(for device: DeviceID?, at now: Timestamp) -> Step {
        let step = step(for: device, at: now)
        if case .idle = step { return step }
        return retry.opening(at: now).map(Step.wait) ?? step
    }

    /// Applies the server's confirmation.
    package mutating func confirm(
        _ token: VoIPRegistration,
        _ record: VoIPRecord,
        for device: DeviceID,
        at now: Timestamp,
        jitter: Double
    ) {
        memory.confirmed = token
        memory.record = record
        memory.device = device
        memory.refreshAt = Timestamp(rawValue: now.rawValue + Int64((6 + jitter) * 86_400_000))
        retry.succeed()
    }

    /// The server deleted the token.
    package mutating func finishLeaving() {
        memory.isLeaving = false
        memory.confirmed = nil
        memory.record = nil
        memory.refreshAt = nil
        retry.succeed()
    }

    private func step(for device: DeviceID?, at now: Timestamp) -> Step {
        if memory.isLeaving { return memory.device == device ? .delete : .idle(until: nil) }
        guard let wanted = memory.wanted else { return .idle(until: nil) }
        guard memory.confirmed == wanted, memory.device == device, let refreshAt = memory.refreshAt, now < refreshAt
        else { return .put(wanted) }
        return .idle(until: refreshAt)
    }
}
