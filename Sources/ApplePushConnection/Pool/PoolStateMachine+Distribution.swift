import ApplePush
import NIOCore

/// The distribution of work over connections.
extension PoolStateMachine {
    mutating func wait(_ piece: QueuedSlice) {
        waitingCount += piece.members.count
        waiting.append(piece)
    }

    /// Assigns waiting slices to connections that have room, and begins another connection where there is none.
    mutating func distribute(at now: NIODeadline) -> [Action] {
        var actions: [Action] = []
        admit()
        badTokens?.refill(at: now)
        while let piece = waiting.first, badTokens?.isExhausted != true {
            let key = jobs[piece.job]?.token?.keyID
            let best = members.lazy
                .filter { $0.value.phase == .ready && $0.value.carries(key) }
                .min { $0.value.load < $1.value.load }
            guard let (id, member) = best, member.load < member.watermark else { break }
            if let slice = nextSlice(for: id, key) { actions.append(.offer(id, slice)) }
            admit()
        }
        actions += retireOldKeys()
        if let id = connect(at: now) { actions.append(.connect(id)) }
        return actions
    }

    private mutating func nextSlice(for connection: Connection.ID, _ key: String?) -> BatchSlice? {
        guard var piece = waiting.popFirst(), let job = jobs[piece.job], let member = members[connection] else {
            return nil
        }
        // The same share of the connection's limit as usual: it gets new work long before it has none left.
        let size = max(1, configuration.lotSize * member.watermark / configuration.watermark)
        let taken = piece.members.removePrefix(min(size, badTokens?.allowance ?? .max))
        if piece.members.count > 0 { waiting.prepend(piece) }
        waitingCount -= taken.count
        badTokens?.spend(taken.count)
        counter += 1
        let id = BatchSlice.ID(rawValue: counter)
        slices[id] = Sending(job: piece.job, members: taken, connection: connection)
        members[connection]?.load += taken.count
        if let key { members[connection]?.keyID = key }
        return BatchSlice(id: id, batch: job.batch, members: taken, token: job.token, deadline: job.deadline)
    }

    /// Admits jobs that wait for room, in order.
    ///
    /// A job that is larger than the whole room is admitted when nothing else waits.
    private mutating func admit() {
        while let id = held.first {
            guard let job = jobs[id] else {
                held.removeFirst()
                continue
            }
            guard waitingCount == 0 || waitingCount + job.batch.count <= configuration.maximumWaiting else { return }
            held.removeFirst()
            wait(QueuedSlice(job: id, members: .run(0..<job.batch.count)))
        }
    }

    /// Fails the waiting part of some jobs.
    mutating func giveUpWaiting(_ failure: Failure, where isMeant: (JobID) -> Bool) -> [Action] {
        var rest = CircularBuffer<QueuedSlice>()
        var touched: [JobID] = []
        while let id = held.first(where: isMeant) {
            held.removeAll { $0 == id }
            giveUp(id, .run(0..<(jobs[id]?.batch.count ?? 0)), failure)
            touched.append(id)
        }
        for piece in waiting {
            guard isMeant(piece.job) else {
                rest.append(piece)
                continue
            }
            waitingCount -= piece.members.count
            giveUp(piece.job, piece.members, failure)
            touched.append(piece.job)
        }
        waiting = rest
        return touched.flatMap { finishIfDone($0) }
    }

    private mutating func giveUp(_ id: JobID, _ members: BatchSlice.Members, _ failure: Failure) {
        for position in 0..<members.count { jobs[id]?.outcomes[members[position]] = .notSent(failure) }
        jobs[id]?.remaining -= members.count
        tally.count(.notSent(failure), members.count)
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

extension BatchSlice.Members {
    /// Removes and returns up to `count` members from the front.
    mutating func removePrefix(_ count: Int) -> BatchSlice.Members {
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
    /// Whether the connection has proved usable: by any answer that does not say the opposite.
    @inline(__always)
    var provesConnection: Bool {
        switch self {
        case .accepted: true
        case .rejected(let rejection): !rejection.reason.asksForPause
        case .notSent, .unknown: false
        }
    }
}

extension Failure {
    /// Whether the connection was the cause, and not the notification, its deadline or its caller.
    ///
    /// A reset is not included: a peer that resets a partly sent request would do it again at once.
    var isWorthAnotherConnection: Bool {
        self == .connectionLost || self == .goAway || self == .refused
    }
}
