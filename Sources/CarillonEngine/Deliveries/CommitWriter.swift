import CarillonModel
import CarillonOperatorModel

/// Writes outcomes: of Chunks that are being sent, and of those in the backlog.
struct CommitWriter: Sendable {
    let dependencies: Dispatcher.Dependencies
    let verdicts: VerdictQueue

    /// Writes the outcomes of a part and then, separately, its token verdicts.
    ///
    /// - Returns: `refused` when another session has the lease; nothing was written then.
    func write(_ part: ChunkCommit) async throws(StoreError) -> LeaseAnswer {
        let (outcomes, said) = part.separated()
        let answer = try await dependencies.outcomes.commit(outcomes)
        switch answer {
        case .refused: dependencies.figures.leaseRefused()
        case .held(let state):
            dependencies.figures.count(outcomes)
            if case .pauses(let alarm) = part.ending {
                dependencies.reportHalt(
                    of: part.lease.campaign,
                    app: part.lease.chunk.app,
                    occurrence: part.lease.chunk.occurrence,
                    alarm: alarm.rawValue
                )
            }
            await verdicts.write(said)
            if state == .cancelled || state == .sent { dependencies.signals.removeStop(of: part.lease.campaign) }
        }
        dependencies.signals.announceChange(of: part.lease.campaign)
        return answer
    }

    /// Reverts that this Chunk stopped its Campaign, since only the lease holder may pause it.
    func revertStop(of commit: ChunkCommit) {
        if case .pauses = commit.ending { dependencies.signals.allow(commit.lease.campaign) }
    }

    /// Records that the Campaign's pause is stored.
    func confirmStop(of commit: ChunkCommit) {
        if case .pauses = commit.ending { dependencies.signals.confirmStop(commit.lease.campaign) }
    }
}
