import CarillonModel
import CarillonOperatorModel
import Logging

extension Dispatcher {
    /// Delays failed work for a growing time, and gives back its Chunk; after too many failures in a row an alarm
    /// pauses the Campaign.
    func record(_ failure: WorkFailure, of work: FailedWork) async {
        let (figures, timer) = (dependencies.figures, dependencies.timer)
        figures.workFailed()
        // The store may have a corrected version.
        contexts.remove(work.occurrence)
        dependencies.logger.info(
            "Work at an occurrence failed",
            metadata: [
                "carillon.occurrence": "\(work.occurrence)", "carillon.step": "\(failure.step)",
                "carillon.error": "\(failure.cause)",
            ]
        )
        do throws(StoreError) {
            guard failure.countsForCampaign else { throw failure.cause }
            let setback = try await dependencies.work.note(
                failure,
                of: work,
                by: options.failures,
                at: dependencies.clock.now()
            )
            let end = timer.now() + options.failures.delay(after: setback.failures)
            progress.change { $0.delays.set(work.occurrence, failures: setback.failures, until: end) }
            guard setback.isPaused else { return }
            announcePause(
                of: work.campaign,
                app: work.app,
                occurrence: work.occurrence,
                alarm: failure.alarm(attempts: setback.failures)
            )
        } catch {
            // A Chunk that cannot be given back becomes free after the lease time, since this session does not work on
            // it.
            delay(work.occurrence)
        }
    }

    /// Delays an Occurrence, because the store failed.
    func delay(_ occurrence: OccurrenceID) {
        dependencies.figures.storeFailed()
        let now = dependencies.timer.now()
        progress.change { progress in
            let failures = progress.delays.failures(of: occurrence) + 1
            let pause = options.storeRetryTime * min(1 << min(failures - 1, 10), 30)
            progress.delays.set(occurrence, failures: failures, until: now + pause)
        }
    }

    /// Delays a Campaign that could not begin; after too many failures in a row an alarm pauses it.
    func record(_ failure: WorkFailure, ofStarting due: DueCampaign) async {
        dependencies.figures.workFailed()
        let now = dependencies.timer.now()
        let failures = progress.change { progress in
            let failures = progress.startDelays.failures(of: due.campaign) + (failure.countsForCampaign ? 1 : 0)
            progress.startDelays.set(
                due.campaign,
                failures: failures,
                until: now + options.failures.delay(after: failures)
            )
            return failures
        }
        dependencies.logger.info(
            "Beginning a campaign failed",
            metadata: [
                "carillon.campaign": "\(due.campaign)", "carillon.error": "\(failure.cause)",
                "carillon.failures": "\(failures)",
            ]
        )
        guard failures >= options.failures.limit else { return }
        let alarm = failure.alarm(attempts: failures)
        do throws(StoreError) {
            try await dependencies.work.pause(due.campaign, app: due.app, alarm: alarm, at: dependencies.clock.now())
            progress.change { $0.startDelays.remove(due.campaign) }
            announcePause(of: due.campaign, app: due.app, alarm: alarm)
        } catch {
            dependencies.figures.storeFailed()
        }
    }

    private func announcePause(
        of campaign: CampaignID,
        app: AppID,
        occurrence: OccurrenceID? = nil,
        alarm: String
    ) {
        dependencies.reportHalt(of: campaign, app: app, occurrence: occurrence, alarm: alarm)
        dependencies.figures.halted()
        dependencies.signals.confirmStop(campaign)
        dependencies.signals.announceChange(of: campaign)
    }
}
