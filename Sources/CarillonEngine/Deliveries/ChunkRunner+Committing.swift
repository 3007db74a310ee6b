import CarillonModel
import CarillonOperatorModel

extension ChunkRunner {
    mutating func commitPartIfSlow() async {
        guard stop != .leaseLost, ledger.pendingCount > 0,
            surroundings.timer.now() - lastCommit >= dispatcher.options.partTime
        else { return }
        await commit(ledger.takePart(at: surroundings.clock.now()))
    }

    mutating func finish() async {
        guard stop != .leaseLost else { return }
        let isDone = stop == nil || (plan?.remainingCount == 0 && ledger.halt == nil)
        let rest = ledger.takeRest(at: surroundings.clock.now(), ending: isDone ? .isOver : .isGivenBack)
        guard case .pauses = rest.ending else { return await commit(rest) }
        // Its other Chunks stop at once; unless somebody else has this one, and with it the say.
        surroundings.signals.stop(lease.campaign)
        await commit(rest)
        if stop == .leaseLost {
            surroundings.signals.allow(lease.campaign)
        } else {
            surroundings.signals.confirmStop(lease.campaign)
        }
    }

    private mutating func commit(_ commit: ChunkCommit) async {
        for part in commit.parts(cost: dispatcher.options.commitSize) where stop != .leaseLost {
            await commitPart(part)
        }
    }

    private mutating func commitPart(_ commit: ChunkCommit) async {
        let answer = await keepTrying { [surroundings] () async throws(StoreError) in
            let instant = surroundings.timer.now()
            return (instant, try await surroundings.outcomes.commit(commit))
        }
        guard let (instant, answer) = answer else { return stop = .leaseLost }
        lastCommit = instant
        if answer != .refused { surroundings.figures.count(commit) }
        take(answer, since: instant)
        surroundings.signals.announceChange(of: lease.campaign)
    }

    mutating func take(_ answer: LeaseAnswer, since instant: ContinuousClock.Instant) {
        switch answer {
        case .refused:
            surroundings.figures.leaseRefused()
            stop = .leaseLost
        case .held(let state):
            deadline = instant + dispatcher.options.leaseTime
            switch state {
            case .sending: break
            case .draft, .scheduled, .paused, .cancelling: stop = stop ?? .interrupted
            case .cancelled, .sent:
                stop = stop ?? .interrupted
                surroundings.signals.forget(lease.campaign)
            }
        }
    }
}
