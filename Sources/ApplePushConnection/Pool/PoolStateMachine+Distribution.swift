import ApplePush
import NIOCore

/// How work and failures are shared out.
extension PoolStateMachine {
    mutating func noteAnswer(_ id: Connection.ID) {
        guard members[id]?.hasAnswered == false else { return }
        members[id]?.hasAnswered = true
        failures = 0
    }

    /// A connection that ends without an answer makes the next attempt wait; each connection counts once.
    mutating func noteFailure(
        _ id: Connection.ID,
        _ closure: ConnectionClosure,
        at now: NIODeadline,
        dice: Double
    ) {
        guard let member = members[id], !member.hasAnswered, !member.hasFailed, closure.cause != .drained else {
            return
        }
        members[id]?.hasFailed = true
        failures += 1
        nextConnect = now + backoff(dice)
    }

    func backoff(_ dice: Double) -> TimeAmount {
        let factor = Int64(1) << min(max(failures - 1, 0), 20)
        let full = min(
            configuration.firstBackoff.nanoseconds.multipliedReportingOverflow(by: factor).partialValue,
            configuration.longestBackoff.nanoseconds
        )
        // Half of it is sure, half of it chance, so that many senders do not come back together.
        return .nanoseconds(full / 2 + Int64(Double(full / 2) * min(max(dice, 0), 1)))
    }

    mutating func wait(_ piece: Piece) {
        waitingCount += piece.members.count
        waiting.append(piece)
    }

    /// Gives what waits to the connections that have room, and asks for another where they have not.
    mutating func distribute(at now: NIODeadline) -> [Action] {
        var actions: [Action] = []
        while !waiting.isEmpty {
            let best = members.lazy.filter { $0.value.phase == .ready }.min { $0.value.load < $1.value.load }
            guard let (id, member) = best, member.load < configuration.watermark else { break }
            if let lot = nextLot(for: id) { actions.append(.offer(id, lot)) }
        }
        if !waiting.isEmpty, now >= nextConnect, members.count < configuration.maximumConnections,
            !members.values.contains(where: { $0.phase == .connecting })
        {
            counter += 1
            let id = Connection.ID(rawValue: counter)
            members[id] = Member()
            actions.append(.connect(id))
        }
        return actions
    }

    mutating func nextLot(for connection: Connection.ID) -> Lot? {
        guard var piece = waiting.popFirst(), let job = jobs[piece.job] else { return nil }
        let taken = piece.members.takePrefix(configuration.lotSize)
        if piece.members.count > 0 { waiting.prepend(piece) }
        waitingCount -= taken.count
        counter += 1
        let id = Lot.ID(rawValue: counter)
        lots[id] = Sending(job: piece.job, members: taken, connection: connection)
        members[connection]?.load += taken.count
        return Lot(id: id, batch: job.batch, members: taken, token: job.token, deadline: job.deadline)
    }

    /// Ends the waiting part of some jobs.
    mutating func giveUpWaiting(_ failure: Failure, where isMeant: (JobID) -> Bool) -> [Action] {
        var rest = CircularBuffer<Piece>()
        var touched: [JobID] = []
        for piece in waiting {
            guard isMeant(piece.job) else {
                rest.append(piece)
                continue
            }
            waitingCount -= piece.members.count
            for position in 0..<piece.members.count {
                jobs[piece.job]?.outcomes[piece.members[position]] = .notSent(failure)
            }
            jobs[piece.job]?.remaining -= piece.members.count
            touched.append(piece.job)
        }
        waiting = rest
        return touched.flatMap { finishIfDone($0) }
    }

    mutating func finishIfDone(_ id: JobID) -> [Action] {
        guard let job = jobs[id], job.remaining == 0 else { return [] }
        jobs[id] = nil
        return [.finish(id, job.outcomes)]
    }

    mutating func stopIfDone() -> [Action] {
        guard isShutDown, jobs.isEmpty, !hasStopped else { return [] }
        if members.isEmpty {
            hasStopped = true
            return [.stopped]
        }
        return members.filter { $0.value.phase != .draining }.map { .drain($0.key) }
    }
}

extension Lot.Members {
    /// Takes up to `count` members off the front.
    mutating func takePrefix(_ count: Int) -> Lot.Members {
        switch self {
        case .run(let range):
            let end = min(range.lowerBound + count, range.upperBound)
            self = .run(end..<range.upperBound)
            return .run(range.lowerBound..<end)
        case .picks(let indices):
            self = .picks(Array(indices.dropFirst(count)))
            return .picks(Array(indices.prefix(count)))
        }
    }
}

extension Outcome {
    var isFailure: Bool {
        switch self {
        case .accepted, .rejected: false
        case .notSent, .unknown: true
        }
    }
}

extension Failure {
    /// Whether the connection was at fault, and not the notification, its deadline or its caller.
    var isWorthAnotherConnection: Bool {
        self == .connectionLost || self == .goAway || self == .refused || self == .reset
    }
}

extension RejectionReason {
    /// Whether a GOAWAY with this reason will come again on the next connection.
    var isCredentialProblem: Bool {
        switch self {
        case .badCertificate, .badCertificateEnvironment, .forbidden, .invalidProviderToken, .missingProviderToken,
            .badEnvironmentKeyInToken, .unrelatedKeyIDInToken, .topicDisallowed:
            true
        default: false
        }
    }
}
