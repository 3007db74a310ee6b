import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers

/// The work in hand of a dispatcher, shared by its looking task and the tasks of its Chunks.
final class WorkProgress: Sendable {
    /// The state at one moment.
    struct State: Sendable {
        var shares: SlotShares
        /// Occurrences of which devices are being read.
        var loading: Set<OccurrenceID> = []
        /// Apps of which a Campaign is beginning: one at a time each, so that none blocks others.
        var starting: Set<AppID> = []
        var delays = DelayedKeys<OccurrenceID>()
        var startDelays = DelayedKeys<CampaignID>()
        /// Occurrences at which another node was faster: nodes take turns there from then on.
        var contended: Set<OccurrenceID> = []
        /// One at a time: waiting for a turn must not block other reads.
        var hasTurn = false
    }

    /// How many Campaigns begin at once.
    static let startsAtOnce = 2
    /// Maximum number of stored contended Occurrences.
    private static let capacity = 1_000

    private let state: NIOLockedValueBox<State>

    init(_ options: Dispatcher.Options) {
        let limits = SlotShares.Limits(
            chunks: options.chunksAtOnce,
            smallChunks: options.smallChunksAtOnce,
            chunkSize: options.chunkSize,
            loads: options.loadsAtOnce
        )
        state = NIOLockedValueBox(State(shares: SlotShares(limits)))
    }

    var snapshot: State { state.withLockedValue { $0 } }

    func change<Value>(_ body: (inout State) -> Value) -> Value { state.withLockedValue(body) }

    /// Admits one wait for a turn at a time.
    ///
    /// - Returns: Whether the caller may wait for its turn.
    func mayTakeTurn(at occurrence: OccurrenceID) -> Bool {
        state.withLockedValue { state in
            guard state.contended.contains(occurrence), !state.hasTurn else { return false }
            state.hasTurn = true
            return true
        }
    }

    func endTurn() { state.withLockedValue { $0.hasTurn = false } }

    /// Records whether another node was faster at an Occurrence.
    func record(contended isContended: Bool, _ occurrence: OccurrenceID) {
        state.withLockedValue { state in
            if isContended {
                if state.contended.count >= Self.capacity { state.contended.removeAll() }
                state.contended.insert(occurrence)
            } else {
                state.contended.remove(occurrence)
            }
        }
    }
}
