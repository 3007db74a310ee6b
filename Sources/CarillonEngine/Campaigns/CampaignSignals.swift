package import CarillonModel
package import CarillonOperatorModel
import NIOConcurrencyHelpers

/// How the parts of one process tell each other about Campaigns: there is work, stop sending, something changed.
///
/// Nothing is kept here that the store does not know. A signal that is lost, since another process sent it, costs time
/// and no more. Where several nodes have one store, ``notifyOthers(_:)`` says how they hear of it, and ``receive(_:)`` is
/// what they say.
package final class CampaignSignals: Sendable {
    private struct WeakSignal {
        weak var signal: AsyncSignal?
    }

    private struct State {
        var stops = StopFlags()
        var stoppedOccurrences: Set<OccurrenceID> = []
        var changes: [CampaignID: WeakSignal] = [:]
        var tell: (@Sendable (CampaignNotification) -> Void)?
    }

    /// How many stopped Occurrences are remembered.
    private static let capacity = 10_000

    /// Rings when dispatchers should look for work.
    package let work = AsyncSignal()
    private let state = NIOLockedValueBox(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Makes signals of one process.
    ///
    /// - Parameter now: The monotonic clock.
    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    // MARK: - Stopping

    /// Asks dispatchers to hand over nothing more of a Campaign that is about to be paused or cancelled.
    ///
    /// The store is written afterwards: ``confirmStop(_:)`` when that is done, ``allow(_:)`` when it failed.
    package func stop(_ campaign: CampaignID) {
        let tell = state.withLockedValue { state in
            state.stops.stop(campaign, at: now())
            return state.tell
        }
        tell?(.stop(campaign))
    }

    /// Notes that the store has the Campaign paused or cancelled: where it is seen as `sending` later, it was resumed.
    package func confirmStop(_ campaign: CampaignID) {
        let tell = state.withLockedValue { state in
            state.stops.confirm(campaign, at: now())
            return state.tell
        }
        tell?(.stopped(campaign))
    }

    /// Takes the request back everywhere: the Campaign goes on.
    package func allow(_ campaign: CampaignID) {
        let tell = state.withLockedValue { state in
            state.stops.allow(campaign)
            // Other nodes may have a flag that this one has not, or has no more.
            return state.tell
        }
        tell?(.allow(campaign))
    }

    /// Drops the flag of a Campaign that is over; other nodes' lapse.
    package func forget(_ campaign: CampaignID) { state.withLockedValue { $0.stops.allow(campaign) } }

    /// Asks dispatchers to hand over nothing more of an Occurrence, which is being cancelled.
    package func stop(_ occurrence: OccurrenceID) {
        let tell = state.withLockedValue { state in
            // Nobody takes these back: the store knows them too, and a lost one costs a dispatcher a batch.
            if state.stoppedOccurrences.count >= Self.capacity { state.stoppedOccurrences.removeAll() }
            state.stoppedOccurrences.insert(occurrence)
            return state.tell
        }
        tell?(.stopOccurrence(occurrence))
    }

    package func isStopped(_ campaign: CampaignID, _ occurrence: OccurrenceID) -> Bool {
        state.withLockedValue { state in
            state.stops.isStopped(campaign, at: now)
                || !state.stoppedOccurrences.isEmpty && state.stoppedOccurrences.contains(occurrence)
        }
    }

    /// Drops the flags of Campaigns that the store shows as being sent, though it had them stopped before.
    ///
    /// - Parameters:
    ///   - campaigns: Campaigns with an Occurrence that is `sending`.
    ///   - instant: The monotonic clock before the store was asked.
    package func reconcile(sending campaigns: some Sequence<CampaignID>, seenSince instant: ContinuousClock.Instant) {
        state.withLockedValue { state in
            guard !state.stops.isEmpty else { return }
            for campaign in campaigns { state.stops.reconcile(campaign, seenSince: instant) }
        }
    }

    /// How many Campaigns have a flag, lapsed ones included.
    package var stopCount: Int { state.withLockedValue { $0.stops.count } }

    // MARK: - Other nodes

    /// Rings for dispatchers here and on other nodes.
    package func announceWork() {
        work.signal()
        state.withLockedValue { $0.tell }?(.work)
    }

    /// Says how other nodes are told.
    ///
    /// - Parameter tell: Must not block; what it is given may be told twice or never.
    package func notifyOthers(_ tell: @escaping @Sendable (CampaignNotification) -> Void) {
        state.withLockedValue { $0.tell = tell }
    }

    /// Takes what another node, or this one, told.
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
        }
        work.signal()
    }

    // MARK: - Changes

    /// Rings when a Campaign's state or figures changed, for as long as somebody keeps the signal.
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
