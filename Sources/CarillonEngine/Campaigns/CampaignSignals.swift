package import CarillonModel
package import CarillonOperatorModel
import NIOConcurrencyHelpers

/// Notifies the parts of one process about Campaigns: there is work, stop sending, something changed.
///
/// The store has all the state. A lost signal, such as one of another process, only costs time. Where several nodes
/// share a store, ``notifyOthers(_:)`` sets how to notify them, and ``receive(_:)`` handles their notifications.
package final class CampaignSignals: Sendable {
    private struct WeakSignal {
        weak var signal: AsyncSignal?
    }

    private struct State {
        var stops = StopFlags<CampaignID>()
        var pauses = StopFlags<AppID>()
        var stoppedOccurrences: Set<OccurrenceID> = []
        var changes: [CampaignID: WeakSignal] = [:]
        var tell: (@Sendable (CampaignNotification) -> Void)?
    }

    /// Maximum number of stopped Occurrences.
    private static let capacity = 10_000

    /// Signalled when dispatchers should look for work.
    package let work = AsyncSignal()
    private let state = NIOLockedValueBox(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates the signals of one process.
    ///
    /// - Parameter now: The monotonic clock.
    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    // MARK: - Stopping

    /// Makes dispatchers send nothing more of a Campaign that is about to be paused or cancelled.
    ///
    /// The store is written afterwards: call ``confirmStop(_:)`` when that is done, ``allow(_:)`` when it failed.
    package func stop(_ campaign: CampaignID) {
        change(.stop(campaign)) { $0.stops.stop(campaign, at: now()) }
    }

    /// Records that the Campaign is stored as paused or cancelled: if it is `sending` later, it was resumed.
    package func confirmStop(_ campaign: CampaignID) {
        change(.stopped(campaign)) { $0.stops.confirm(campaign, at: now()) }
    }

    /// Reverts ``stop(_:)`` on all nodes: the Campaign continues.
    package func allow(_ campaign: CampaignID) {
        change(.allow(campaign)) { state in
            state.stops.allow(campaign)
            // Others are notified in any case: they may have a flag that this node lacks.
        }
    }

    /// Removes the flag of a complete Campaign; flags of other nodes expire.
    package func removeStop(of campaign: CampaignID) { state.withLockedValue { $0.stops.allow(campaign) } }

    /// Makes dispatchers send nothing more of an Occurrence, which is being cancelled.
    package func stop(_ occurrence: OccurrenceID) {
        change(.stopOccurrence(occurrence)) { state in
            // These flags are not reverted: the store has the state too, and a lost flag costs a dispatcher one batch.
            if state.stoppedOccurrences.count >= Self.capacity { state.stoppedOccurrences.removeAll() }
            state.stoppedOccurrences.insert(occurrence)
        }
    }

    package func isStopped(_ campaign: CampaignID, _ occurrence: OccurrenceID) -> Bool {
        state.withLockedValue { state in
            state.stops.isStopped(campaign, at: now)
                || !state.stoppedOccurrences.isEmpty && state.stoppedOccurrences.contains(occurrence)
        }
    }

    // MARK: - Pausing Apps

    /// Makes dispatchers send nothing more of an App whose sending is about to be paused.
    ///
    /// The store is written afterwards: call ``confirmPause(of:)`` when that is done, ``allow(_:)`` when it
    /// failed.
    package func pause(_ app: AppID) {
        change(.pauseApp(app)) { $0.pauses.stop(app, at: now()) }
    }

    /// Records that the App's sending is stored as paused.
    package func confirmPause(of app: AppID) {
        change(.pausedApp(app)) { $0.pauses.confirm(app, at: now()) }
    }

    /// Reverts ``pause(_:)`` on all nodes.
    package func allow(_ app: AppID) {
        change(.allowApp(app)) { $0.pauses.allow(app) }
        work.signal()
    }

    /// Whether an App's sending is being paused; the store has the lasting state.
    package func isPaused(_ app: AppID) -> Bool {
        state.withLockedValue { $0.pauses.isStopped(app, at: now) }
    }

    /// Removes the flags of Apps of which the store lists work after they were stored as paused.
    ///
    /// - Parameters:
    ///   - apps: Apps of which something may be sent.
    ///   - instant: The monotonic clock before the store was read.
    package func reconcile(apps: some Sequence<AppID>, seenSince instant: ContinuousClock.Instant) {
        state.withLockedValue { state in
            guard !state.pauses.isEmpty else { return }
            for app in apps { state.pauses.reconcile(app, seenSince: instant) }
        }
    }

    /// Removes the flags of Campaigns that are stored as being sent after they were stored as stopped.
    ///
    /// - Parameters:
    ///   - campaigns: Campaigns with an Occurrence that is `sending`.
    ///   - instant: The monotonic clock before the store was read.
    package func reconcile(sending campaigns: some Sequence<CampaignID>, seenSince instant: ContinuousClock.Instant) {
        state.withLockedValue { state in
            guard !state.stops.isEmpty else { return }
            for campaign in campaigns { state.stops.reconcile(campaign, seenSince: instant) }
        }
    }

    /// The number of Campaigns with a flag, including expired ones.
    package var stopCount: Int { state.withLockedValue { $0.stops.count } }

    /// Changes what is stopped, and then notifies other nodes.
    private func change(_ notification: CampaignNotification, _ update: (inout State) -> Void) {
        let tell = state.withLockedValue { state in
            update(&state)
            return state.tell
        }
        tell?(notification)
    }

    // MARK: - Other nodes

    /// Wakes dispatchers here and on other nodes.
    package func announceWork() {
        work.signal()
        state.withLockedValue { $0.tell }?(.work)
    }

    /// Sets how to notify other nodes.
    ///
    /// - Parameter tell: Must not block; it may deliver a notification twice or never.
    package func notifyOthers(_ tell: @escaping @Sendable (CampaignNotification) -> Void) {
        state.withLockedValue { $0.tell = tell }
    }

    /// Handles a notification of a node, including this one.
    package func receive(_ notice: CampaignNotification) {
        switch notice {
        case .work: break
        case .stop(let campaign): state.withLockedValue { $0.stops.stop(campaign, at: now()) }
        case .stopped(let campaign): state.withLockedValue { $0.stops.confirm(campaign, at: now()) }
        case .stopOccurrence(let occurrence):
            state.withLockedValue { state in
                if state.stoppedOccurrences.count >= Self.capacity { state.stoppedOccurrences.removeAll() }
                state.stoppedOccurrences.insert(occurrence)
            }
        case .allow(let campaign): state.withLockedValue { $0.stops.allow(campaign) }
        case .pauseApp(let app): state.withLockedValue { $0.pauses.stop(app, at: now()) }
        case .pausedApp(let app): state.withLockedValue { $0.pauses.confirm(app, at: now()) }
        case .allowApp(let app): state.withLockedValue { $0.pauses.allow(app) }
        }
        work.signal()
    }

    // MARK: - Changes

    /// Returns a signal for changes of a Campaign's state or counts; it lives as long as a caller holds it.
    package func changes(of campaign: CampaignID) -> AsyncSignal {
        state.withLockedValue { state in
            if let signal = state.changes[campaign]?.signal { return signal }
            state.changes = state.changes.filter { $0.value.signal != nil }
            let signal = AsyncSignal()
            state.changes[campaign] = WeakSignal(signal: signal)
            return signal
        }
    }

    package func announceChange(of campaign: CampaignID) {
        state.withLockedValue { $0.changes[campaign]?.signal }?.signal()
    }
}
