import NIOConcurrencyHelpers

/// What the page shows, as it is at one moment.
struct Snapshot: Sendable {
    /// A request with the number it came as.
    struct Entry: Sendable {
        var number: Int
        var request: RecordedRequest
    }

    /// How many of the last requests and connections are shown.
    static let shown = 20

    /// The listeners' environments and names, the one that every simulator has first.
    var listeners: [ListenerConfiguration]
    var isAvailable: Bool
    var counters: Counters
    var faults: [Fault]
    /// How many requests are kept; 0: none.
    var recording: Int
    /// The last requests, newest first.
    var requests: [Entry]
    /// The last request that was accepted, of all that are kept.
    var lastAccepted: Entry?
    var connections: [ConnectionReport] = []
    var openConnections = 0
    /// How far a running scenario is; nil when none was given.
    var scenario: ScenarioProgress?

    /// Requests that were judged since the start or the last reset.
    var judged: Int {
        counters.accepted + counters.rejected + counters.unanswered
    }
}

extension SimulatorHandle {
    /// What there is to see now.
    ///
    /// The lock is held for as long as it takes to copy a few references.
    func snapshot() async -> Snapshot {
        var snapshot = core.snapshot()
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

    /// The last request that was accepted; nil when none of those kept was.
    fileprivate var lastAccepted: Snapshot.Entry? {
        newest(where: { $0.status == 200 }).map { Snapshot.Entry(number: $0, request: $1) }
    }
}
