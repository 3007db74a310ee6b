import NIOConcurrencyHelpers

/// The state that the page shows.
struct Snapshot: Sendable {
    /// A request with its number.
    struct Entry: Sendable {
        var number: Int
        var request: RecordedRequest
    }

    /// How many of the last requests and connections are shown.
    static let shown = 20

    /// The listeners, the main one first.
    var listeners: [ListenerConfiguration]
    var isAvailable: Bool
    var counters: Counters
    var faults: [Fault]
    /// Maximum number of recorded requests; 0 for none.
    var recording: Int
    /// The last requests, newest first.
    var requests: [Entry]
    /// The last recorded request that was accepted.
    var lastAccepted: Entry?
    var connections: [ConnectionReport] = []
    var openConnections = 0
    /// The progress of a running scenario; nil when none was given.
    var scenario: ScenarioProgress?

    /// Number of requests validated since the start or the last reset.
    var judged: Int {
        counters.accepted + counters.rejected + counters.unanswered
    }
}

extension SimulatorHandle {
    /// Takes a snapshot.
    ///
    /// The lock is held only to copy a few references.
    func snapshot() async -> Snapshot {
        var snapshot = core.snapshot()
        snapshot.listeners = listeners()
        (snapshot.connections, snapshot.openConnections) = await pushListeners.newestConnections(Snapshot.shown)
        return snapshot
    }
}

extension SimulatorCore {
    func snapshot() -> Snapshot {
        state.withLockedValue { state in
            let recorder = state.gateway.recorder
            let requests = recorder.numbered(Snapshot.shown)
            return Snapshot(
                listeners: zip(configuration.listeners, state.gateway.validators).map { listener, validator in
                    ListenerConfiguration(name: listener.name, port: listener.port, rules: validator.rules)
                },
                isAvailable: state.isAvailable,
                counters: state.gateway.currentCounters,
                faults: state.gateway.faults.all,
                recording: recorder.limit,
                requests: requests,
                lastAccepted: requests.first { $0.request.status == 200 } ?? recorder.lastAccepted,
                scenario: state.scenario.run?.progress
            )
        }
    }
}

extension Recorder {
    /// The last requests with their numbers, newest first.
    func numbered(_ count: Int) -> [Snapshot.Entry] {
        last(count).reversed().enumerated().map { Snapshot.Entry(number: recorded - $0, request: $1) }
    }

    /// The last recorded request that was accepted; nil when there is none.
    fileprivate var lastAccepted: Snapshot.Entry? {
        newest(where: { $0.status == 200 }).map { Snapshot.Entry(number: $0, request: $1) }
    }
}
