package import CarillonModel
package import CarillonOperatorModel
import NIOConcurrencyHelpers

/// How the parts of one process tell each other about Campaigns: there is work, stop sending, something changed.
///
/// Nothing is kept here that the store does not know. A signal that is lost, since another process sent it, costs time
/// and no more.
package final class CampaignSignals: Sendable {
    private struct WeakBell {
        weak var bell: Bell?
    }

    private struct State {
        var stopped: Set<CampaignID> = []
        var stoppedOccurrences: Set<OccurrenceID> = []
        var changes: [CampaignID: WeakBell] = [:]
    }

    /// How many stopped Occurrences are remembered.
    private static let capacity = 10_000

    /// Rings when dispatchers should look for work.
    package let work = Bell()
    private let state = NIOLockedValueBox(State())

    package init() {}

    // MARK: - Stopping

    /// Asks dispatchers to hand over nothing more of a Campaign.
    package func stop(_ campaign: CampaignID) {
        _ = state.withLockedValue { $0.stopped.insert(campaign) }
    }

    /// Takes the request back: the Campaign goes on, or it is over.
    package func allow(_ campaign: CampaignID) {
        _ = state.withLockedValue { $0.stopped.remove(campaign) }
    }

    /// Asks dispatchers to hand over nothing more of an Occurrence, which is being cancelled.
    package func stop(_ occurrence: OccurrenceID) {
        state.withLockedValue { state in
            // Nobody takes these back: the store knows them too, and a lost one costs a dispatcher a batch.
            if state.stoppedOccurrences.count >= Self.capacity { state.stoppedOccurrences.removeAll() }
            state.stoppedOccurrences.insert(occurrence)
        }
    }

    package func isStopped(_ campaign: CampaignID, _ occurrence: OccurrenceID) -> Bool {
        state.withLockedValue { state in
            state.stopped.contains(campaign)
                || !state.stoppedOccurrences.isEmpty && state.stoppedOccurrences.contains(occurrence)
        }
    }

    // MARK: - Changes

    /// Rings when a Campaign's state or figures changed, for as long as somebody keeps the bell.
    package func changes(of campaign: CampaignID) -> Bell {
        state.withLockedValue { state in
            if let bell = state.changes[campaign]?.bell { return bell }
            state.changes = state.changes.filter { $0.value.bell != nil }
            let bell = Bell()
            state.changes[campaign] = WeakBell(bell: bell)
            return bell
        }
    }

    package func announceChange(of campaign: CampaignID) {
        state.withLockedValue { $0.changes[campaign]?.bell }?.ring()
    }
}
