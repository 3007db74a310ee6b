import CarillonModel
import CarillonOperatorModel

extension ChunkLoader {
    /// Begins the firing of a due Campaign, and records which comes next.
    func start(_ due: DueCampaign, at now: Timestamp) async {
        do throws(StoreError) {
            try await startNext(of: due, at: now)
            progress.change { $0.startDelays.remove(due.campaign) }
        } catch {
            await dispatcher.record(WorkFailure(.start, error), ofStarting: due)
        }
    }

    private func startNext(of due: DueCampaign, at now: Timestamp) async throws(StoreError) {
        guard let planned = try await work.planned(due.campaign, of: due.app) else { return }
        if planned.campaign.state.isTimed { return try await end(planned, at: now) }
        guard let next = planned.next else { return }
        // A schedule whose time zone is unknown to this machine waits for a node that knows it.
        guard let step = planned.plan?.step(from: next, at: now, lateness: dispatcher.options.lateness) else {
            throw .unavailable("A schedule's time zone is not known here.")
        }
        let ids = (0...step.missed.count).map { _ in dependencies.ids.next() as OccurrenceID }
        try await work.start(planned, step, as: ids, at: now)
        if let late = step.late {
            let alarm = FailureReason.late(late.dueAt).rawValue
            dependencies.reportHalt(of: due.campaign, app: due.app, occurrence: nil, alarm: alarm)
            dependencies.figures.halted()
        }
        dependencies.signals.announceChange(of: due.campaign)
    }

    /// Ends a hold, or a request for approval, whose time is over.
    private func end(_ planned: PlannedCampaign, at now: Timestamp) async throws(StoreError) {
        let isUnknownZone = FiringPlan(planned.campaign, acceptedAt: now) == nil
        guard let move = GuardedMove.due(planned, at: now) else {
            // As above: it waits for another node.
            guard isUnknownZone else { return }
            throw .unavailable("A schedule's time zone is not known here.")
        }
        _ = try await work.move(move, at: now)
        dependencies.signals.announceChange(of: planned.campaign.id)
    }
}
