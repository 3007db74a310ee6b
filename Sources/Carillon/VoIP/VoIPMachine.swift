package import CarillonModel

/// Decides what the server is told about the token for calls.
///
/// It belongs to the Device, but not to its registration: it comes and goes by itself, and when the Device is made anew
/// it is told again. It holds no clock, no disk and no network.
package struct VoIPMachine: Equatable, Sendable {
    /// What outlives the process.
    package struct Memory: Codable, Equatable, Sendable {
        /// What the server is to know.
        package var wanted: VoIPRegistration?
        /// Whether the server may know a token that it is not to know any more.
        package var isLeaving = false
        /// What the server confirmed last, and for which Device.
        package var confirmed: VoIPRegistration?
        package var device: DeviceID?
        package var refreshAt: Timestamp?
        package var record: VoIPRecord?

        package init() {}
    }

    /// What to do now.
    package enum Step: Equatable, Sendable {
        /// The server knows everything; look again at that time, if there is one.
        case idle(until: Timestamp?)
        /// Something failed; look again at that time.
        case wait(until: Timestamp)
        case put(VoIPRegistration)
        case delete
    }

    package private(set) var memory: Memory
    package var retry = Retry()

    package init(_ memory: Memory = Memory()) { self.memory = memory }

    /// The token that the server is to know; `nil`: none.
    package mutating func want(_ token: VoIPRegistration?) {
        if token != memory.wanted { retry.retryNow() }
        if token == nil, memory.confirmed != nil || memory.wanted != nil { memory.isLeaving = true }
        if token != nil { memory.isLeaving = false }
        memory.wanted = token
    }

    /// What to do now.
    ///
    /// - Parameters:
    ///   - device: The Device; what another one had confirmed counts for nothing.
    ///   - now: The time by the phone's clock.
    /// - Returns: What to do.
    package func next(for device: DeviceID?, at now: Timestamp) -> Step {
        let step = step(for: device, at: now)
        if case .idle = step { return step }
        return retry.opening(at: now).map(Step.wait) ?? step
    }

    /// Takes the server's confirmation.
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

    /// The server has forgotten the token.
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
