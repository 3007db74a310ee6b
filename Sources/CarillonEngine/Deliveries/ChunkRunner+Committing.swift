import CarillonModel
import CarillonOperatorModel

extension ChunkRunner {
    /// Commits answers while others are awaited: committed notifications are not sent again, and their room is free for
    /// more.
    mutating func commitPartIfDue() async {
        guard
            accumulator.pendingCount >= dispatcher.options.commitSize
                || dependencies.timer.now() - lastCommit >= dispatcher.options.partTime
        else { return }
        await commitPart()
    }

    /// Commits the answers received so far, and releases their permits.
    mutating func commitPart() async {
        guard stop != .leaseLost, waiting.isEmpty, accumulator.pendingCount > 0 else { return releaseAnswered() }
        await commit(accumulator.removePart(at: dependencies.clock.now()))
    }

    mutating func finish() async {
        guard stop != .leaseLost else { return }
        if case .failed(let failure)? = stop { return await dispatcher.record(failure, of: FailedWork(lease)) }
        let isDone = stop == nil || (plan?.remainingCount == 0 && accumulator.halt == nil)
        var rest = accumulator.removeRest(at: dependencies.clock.now(), ending: isDone ? .isOver : .isGivenBack)
        rest.clearsFailures = clearsFailures && isDone
        // Stops its other Chunks at once, unless another session has this one and decides.
        if case .pauses = rest.ending { dependencies.signals.stop(lease.campaign) }
        await commit(rest)
        guard case .pauses = rest.ending else { return }
        if stop == .leaseLost {
            dispatcher.writer.revertStop(of: rest)
        } else if waiting.isEmpty {
            dispatcher.writer.confirmStop(of: rest)
        }
    }

    /// Commits in parts; when one fails, it and the following ones wait, and nothing more is sent.
    private mutating func commit(_ commit: ChunkCommit) async {
        for part in commit.parts(cost: dispatcher.options.commitSize) where stop != .leaseLost {
            if !waiting.isEmpty || dispatcher.backlog.isWaiting(lease.chunk.occurrence) {
                letWait(part)
            } else {
                await commitPart(part)
            }
        }
        releaseAnswered()
    }

    private mutating func commitPart(_ part: ChunkCommit) async {
        let (options, begin) = (dispatcher.options, dependencies.timer.now())
        let backoff = StoreBackoff(options.storeRetryTime)
        while true {
            do throws(StoreError) {
                let instant = dependencies.timer.now()
                let answer = try await dispatcher.writer.write(part)
                lastCommit = instant
                return handle(answer)
            } catch {
                // Permits are released: a store that does not accept one App's outcomes must not block others.
                releaseAnswered()
                // A short failure is waited out here, a longer one outside of the slot.
                let isLate = dependencies.timer.now() - begin >= options.commitTime
                guard !isLate, backoff.count < options.commitAttempts - 1 else {
                    dependencies.figures.storeFailed()
                    return letWait(part)
                }
                await dispatcher.wait(for: backoff, error)
            }
        }
    }

    private mutating func letWait(_ part: ChunkCommit) {
        waiting.append(part)
        stop = stop ?? .interrupted
    }

    private mutating func handle(_ answer: LeaseAnswer) {
        switch answer {
        case .refused: stop = .leaseLost
        case .held(.sending): break
        case .held: stop = stop ?? .interrupted
        }
    }
}
