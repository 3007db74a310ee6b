import CarillonModel
import CarillonOperatorModel

/// Writes what became of notifications: for Chunks that are being sent, and for those whose commits wait.
struct CommitWriter: Sendable {
    let dependencies: Dispatcher.Dependencies
    let verdicts: VerdictQueue

    /// Writes the outcomes of a part and then, apart from them, what was said of tokens.
    ///
    /// - Returns: `refused` when the lease passed on; nothing was written then.
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
            if state == .cancelled || state == .sent { dependencies.signals.forget(part.lease.campaign) }
        }
        dependencies.signals.announceChange(of: part.lease.campaign)
        return answer
    }

    /// Takes back that the Campaign stops here, which only who has the Chunk may say.
    func forgetStop(of commit: ChunkCommit) {
        if case .pauses = commit.ending { dependencies.signals.allow(commit.lease.campaign) }
    }

    /// Notes that the Campaign's pause is in the store.
    func confirmStop(of commit: ChunkCommit) {
        if case .pauses = commit.ending { dependencies.signals.confirmStop(commit.lease.campaign) }
    }
}
