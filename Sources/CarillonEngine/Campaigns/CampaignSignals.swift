package import CarillonModel
package import CarillonOperatorModel
import NIOConcurrencyHelpers

/// How the parts of one process tell each other about Campaigns: there is work, stop sending, something changed.
///
/// Nothing is kept here that the store does not know. A signal that is lost, since another process sent it, costs time
/// and no more. Where several nodes have one store, ``tellOthers(_:)`` says how they hear of it, and ``receive(_:)`` is
/// what they say.
package final class CampaignSignals: Sendable {
    private struct WeakBell {
        weak var bell: Bell?
    }

    private struct State {
        var stopped: Set<CampaignID> = []
        var stoppedOccurrences: Set<OccurrenceID> = []
        var changes: [CampaignID: WeakBell] = [:]
        /// Campaigns that another node stopped, and until when that is believed: what it says then may be lost.
        var stoppedElsewhere: [CampaignID: ContinuousClock.Instant] = [:]
        var tell: (@Sendable (CampaignNotice) -> Void)?

        mutating func isStoppedElsewhere(_ campaign: CampaignID) -> Bool {
            guard !stoppedElsewhere.isEmpty, let end = stoppedElsewhere[campaign] else { return false }
            if end > .now { return true }
            stoppedElsewhere = stoppedElsewhere.filter { $0.value > .now }
            return false
        }
    }

    /// How many stopped Occurrences are remembered.
    private static let capacity = 10_000
    /// By then what another node stopped stands in the store, where every dispatcher looks with each commit.
    private static let belief = Duration.seconds(30)

    /// Rings when dispatchers should look for work.
    package let work = Bell()
    private let state = NIOLockedValueBox(State())

    package init() {}

    // MARK: - Stopping

    /// Asks dispatchers to hand over nothing more of a Campaign.
    package func stop(_ campaign: CampaignID) {
        let tell = state.withLockedValue { state in
            state.stopped.insert(campaign)
            return state.tell
        }
        tell?(.stop(campaign))
    }

    /// Takes the request back: the Campaign goes on, or it is over.
    package func allow(_ campaign: CampaignID) {
        let tell = state.withLockedValue { state in
            let wasStopped = state.stopped.remove(campaign) != nil
            let wasElsewhere = state.stoppedElsewhere.removeValue(forKey: campaign) != nil
            return wasStopped || wasElsewhere ? state.tell : nil
        }
        tell?(.allow(campaign))
    }

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
            state.stopped.contains(campaign) || state.isStoppedElsewhere(campaign)
                || !state.stoppedOccurrences.isEmpty && state.stoppedOccurrences.contains(occurrence)
        }
    }

    // MARK: - Other nodes

    /// Rings for dispatchers here and on other nodes.
    package func announceWork() {
        work.ring()
        state.withLockedValue { $0.tell }?(.work)
    }

    /// Says how other nodes are told.
    ///
    /// - Parameter tell: Must not block; what it is given may be told twice or never.
    package func tellOthers(_ tell: @escaping @Sendable (CampaignNotice) -> Void) {
        state.withLockedValue { $0.tell = tell }
    }

    /// Takes what another node, or this one, told.
    package func receive(_ notice: CampaignNotice) {
        switch notice {
        case .work: break
        case .stop(let campaign):
            state.withLockedValue { $0.stoppedElsewhere[campaign] = .now + Self.belief }
        case .stopOccurrence(let occurrence):
            state.withLockedValue { state in
                if state.stoppedOccurrences.count >= Self.capacity { state.stoppedOccurrences.removeAll() }
                state.stoppedOccurrences.insert(occurrence)
            }
        case .allow(let campaign):
            state.withLockedValue { _ = $0.stoppedElsewhere.removeValue(forKey: campaign) }
        }
        work.ring()
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
