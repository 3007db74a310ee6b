import NIOCore

/// When another connection is made, and how long a failure delays it.
extension PoolStateMachine {
    mutating func recordAnswer(_ id: Connection.ID) {
        guard members[id]?.hasAnswered == false else { return }
        members[id]?.hasAnswered = true
        failures = 0
    }

    /// Records a connection that ended without an answer, or became unusable by our tokens, which delays the next
    /// attempt; each counts once.
    mutating func recordFailure(
        _ id: Connection.ID,
        _ closure: ConnectionClosure,
        at now: NIODeadline,
        jitter: Double
    ) {
        guard let member = members[id], !member.hasFailed, closure.cause != .drained else { return }
        let isWornOut = closure.cause == .wornOut
        guard isWornOut ? closure.reason?.asksForPause == true : !member.hasAnswered else { return }
        members[id]?.hasFailed = true
        failures += 1
        nextConnect = now + backoff(jitter)
    }

    func backoff(_ jitter: Double) -> TimeAmount {
        let factor = Int64(1) << min(max(failures - 1, 0), 20)
        let full = min(
            configuration.firstBackoff.nanoseconds.multipliedReportingOverflow(by: factor).partialValue,
            configuration.longestBackoff.nanoseconds
        )
        // Half of it is constant and half random, so that many senders do not come back together.
        return .nanoseconds(full / 2 + Int64(Double(full / 2) * min(max(jitter, 0), 1)))
    }

    /// Begins another connection when the head of the queue needs one, or the open ones have more to send than streams,
    /// within the limits.
    ///
    /// A stream is busy for a round trip, so long round trips use up all streams sooner. Connections that are being
    /// given up do not count, so that a replacement need not wait for their last answers; the total is at most twice
    /// the limit.
    mutating func connect(at now: NIODeadline) -> Connection.ID? {
        guard needsConnection, badTokens?.isExhausted != true, now >= nextConnect,
            members.count < 2 * configuration.maximumConnections,
            members.values.count(where: { $0.phase != .draining }) < configuration.maximumConnections,
            !members.values.contains(where: { $0.phase == .connecting }), connects.consume(at: now)
        else { return nil }
        counter += 1
        let id = Connection.ID(rawValue: counter)
        members[id] = PooledConnection(configuration)
        tally.connects += 1
        return id
    }

    private var needsConnection: Bool {
        guard waiting.isEmpty else { return true }
        let ready = members.values.lazy.filter { $0.phase == .ready }
        return ready.reduce(0) { $0 + $1.load - $1.streams } > 0
    }
}
