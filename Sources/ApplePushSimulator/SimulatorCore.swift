import Logging
import NIOConcurrencyHelpers

/// What the connections and the control API share: the gateway behind a lock, and the open feeds.
final class SimulatorCore: Sendable {
    struct State: Sendable {
        var gateway: Gateway
        var feeds: [FeedID: DeliveryFeed] = [:]
        var lastFeed = 0
        var lastConnection = 0
        var isAvailable = true
    }

    let configuration: SimulatorConfiguration
    let clock: any WallClock
    let logger: Logger
    let state: NIOLockedValueBox<State>

    init(configuration: SimulatorConfiguration, clock: any WallClock, logger: Logger) {
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        var gateway = Gateway(
            rules: configuration.rules,
            recording: configuration.recordedRequests,
            seed: configuration.seed
        )
        for key in configuration.keys {
            gateway.keys.add(key)
        }
        state = NIOLockedValueBox(State(gateway: gateway))
    }

    /// Judges a request and does what follows from it, all but the answer.
    func receive(
        _ request: inout IncomingRequest,
        connection: inout ConnectionState,
        from connectionID: Int,
        stream: Int32,
        now: WallTime
    ) -> Reply {
        let origin = Gateway.Origin(connection: connectionID, stream: stream)
        // Deliveries enter their feed under the lock, so that a feed has them in the order of acceptance.
        return state.withLockedValue { state in
            let reply = state.gateway.receive(&request, connection: &connection, from: origin, now: now)
            if let (feed, delivery) = reply.delivery {
                state.feeds[feed]?.append(delivery.line)
            }
            return reply
        }
    }

    // MARK: - Connections

    func nextConnection() -> Int {
        state.withLockedValue { state in
            state.lastConnection += 1
            return state.lastConnection
        }
    }

    func noteConnection() {
        state.withLockedValue { state in
            state.gateway.counters.connectionsOpened += 1
            state.gateway.counters.connectionsOpen += 1
        }
    }

    func note(_ streams: StreamCounts, traffic: TransportTap.Traffic, closing: Bool) {
        state.withLockedValue { state in
            state.gateway.counters.note(streams, traffic: traffic, closing: closing)
        }
    }
}

extension Counters {
    fileprivate mutating func note(_ streams: StreamCounts, traffic: TransportTap.Traffic, closing: Bool) {
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
