import Logging
import NIOConcurrencyHelpers
import NIOCore

/// Shared state of the connections and the control API: the gateway behind a lock, and the open feeds.
final class SimulatorCore: Sendable {
    struct State: Sendable {
        var gateway: Gateway
        var feeds: [FeedID: DeliveryFeed] = [:]
        var lastFeed = 0
        var lastConnection = 0
        var isAvailable = true
        var scenario = ScenarioState()
    }

    let configuration: SimulatorConfiguration
    let clock: MovableWallClock
    /// The real clock, which times a scenario's steps.
    let realClock: any WallClock
    let scenarioTimer = NIOLockedValueBox<Scheduled<Void>?>(nil)
    /// Executes actions of steps outside the lock.
    let whenPending = NIOLockedValueBox(PendingHandler())
    let logger: Logger
    let state: NIOLockedValueBox<State>

    init(configuration: SimulatorConfiguration, clock: any WallClock, logger: Logger) {
        self.configuration = configuration
        self.clock = MovableWallClock(clock)
        realClock = clock
        self.logger = logger
        var gateway = Gateway(
            rules: configuration.listeners.map(\.rules),
            recording: configuration.recordedRequests,
            seed: configuration.seed
        )
        for key in configuration.keys {
            gateway.keys.add(key)
        }
        state = NIOLockedValueBox(State(gateway: gateway))
    }

    /// Validates the requests of one read, and applies all effects except the responses.
    ///
    /// - Parameters:
    ///   - streams: The requests; each gets its reply.
    ///   - connection: The state of their connection; changed.
    ///   - connectionID: The connection's id.
    ///   - now: The time of arrival.
    /// - Returns: How many were validated: all, or up to one after which requests are ignored.
    func validate(
        _ streams: ArraySlice<HTTP2Stream>,
        connection: inout ConnectionState,
        from connectionID: Int,
        now: SimulatedTime
    ) -> Int {
        let (judged, pending) = state.withLockedValue { state in
            var judged = 0
            for stream in streams {
                judged += 1
                guard !stream.isRefused else { continue }
                let origin = Gateway.Origin(connection: connectionID, stream: stream.id)
                let reply = state.gateway.receive(&stream.request, connection: &connection, from: origin, now: now)
                stream.reply = reply
                carryOut(state.scenario.countRequest(), in: &state, now: now)
                if reply.isLast {
                    break
                }
            }
            state.deliver()
            return (judged, state.scenario.removePending())
        }
        if !pending.isEmpty {
            whenPending.withLockedValue { $0 }.perform(pending)
        }
        return judged
    }

    // MARK: - Connections

    func nextConnection() -> Int {
        state.withLockedValue { state in
            state.lastConnection += 1
            return state.lastConnection
        }
    }

    func recordConnection() {
        state.withLockedValue { state in
            state.gateway.counters.connectionsOpened += 1
            state.gateway.counters.connectionsOpen += 1
        }
    }

    func record(_ streams: StreamCounts, traffic: TransportTap.Traffic, closing: Bool) {
        state.withLockedValue { state in
            state.gateway.counters.record(streams, traffic: traffic, closing: closing)
        }
    }

    /// The environment of a listener.
    func environment(ofListener position: Int) -> PushEnvironment {
        state.withLockedValue { $0.gateway.validators[position].rules.environment }
    }
}

extension SimulatorCore.State {
    /// Passes deliveries to their feeds; under the lock, which keeps the order of acceptance.
    mutating func deliver() {
        guard !gateway.outbox.isEmpty else { return }
        for (feed, delivery) in gateway.outbox {
            feeds[feed]?.append(delivery.line)
        }
        gateway.outbox.removeAll(keepingCapacity: true)
    }
}

extension Counters {
    fileprivate mutating func record(_ streams: StreamCounts, traffic: TransportTap.Traffic, closing: Bool) {
        streamsOpened += streams.opened
        streamsRefused += streams.refused
        streamsOpen += streams.opened
        maxInFlight = max(maxInFlight, streamsOpen)
        streamsOpen -= streams.closed
        bytesReceived += traffic.received
        bytesSent += traffic.sent
        if closing {
            connectionsOpen -= 1
        }
    }
}

/// Executes a scenario's actions.
///
/// A closure alone in a box would be wrapped once more by each call that reads it.
struct PendingHandler: Sendable {
    var perform: @Sendable ([ScenarioAction]) -> Void = { _ in }
}
