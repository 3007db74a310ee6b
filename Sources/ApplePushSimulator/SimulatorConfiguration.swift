/// How the simulator is set up.
package struct SimulatorConfiguration: Sendable {
    /// Where to listen, for all ports.
    ///
    /// Nothing but loopback is meant.
    package var host = "127.0.0.1"
    /// The port of the control API; 0: any that is free.
    package var controlPort = 0
    /// Names under which the control API may be asked for, beside `localhost` and addresses; in lower case.
    package var controlNames: Set<String> = []
    /// How many threads serve connections, 1 through 64.
    ///
    /// A connection stays on one.
    package var threads = 1
    /// The listener that every simulator has.
    package var listener = ListenerConfiguration(name: "main")
    /// Further listeners, such as the other environment's.
    package var otherListeners: [ListenerConfiguration] = []
    /// Keys known from the start.
    package var keys: [SigningKey] = []
    /// Certificates in PEM, beside the simulator's own authority, whose clients are let in with a certificate.
    package var clientAuthoritiesPEM: [String] = []
    /// What happens once the simulator listens; ``add(_:)`` sets it.
    package internal(set) var scenario: Scenario?
    /// How many of the last requests are kept with their fields and bodies, 0 through 100,000.
    package var recordedRequests = 1000
    /// How often those who look on get news.
    var watchPace = Watchers.Pace()
    /// How long clients may take to leave after the goodbye of a graceful stop.
    package var shutdownGrace = Duration.seconds(5)
    /// Makes generated ids and the choice of faults repeatable.
    package var seed: UInt64 = .random(in: 0 ... .max)

    package init() {}

    /// All listeners, the one that every simulator has first.
    package var listeners: [ListenerConfiguration] {
        [listener] + otherListeners
    }
}

// MARK: - The one listener that most simulators have

extension SimulatorConfiguration {
    /// The port for senders; 0: any that is free.
    package var port: Int {
        get { listener.port }
        set { listener.port = newValue }
    }

    /// How strictly requests are judged.
    package var rules: ValidationRules {
        get { listener.rules }
        set { listener.rules = newValue }
    }

    /// How many streams a connection may have open until a request on it was let in.
    package var initialStreamLimit: UInt32 {
        get { listener.connections.initialStreamLimit }
        set { listener.connections.initialStreamLimit = newValue }
    }

    /// How many streams a connection may have open after that, 1 through 1,000,000.
    package var streamLimit: UInt32 {
        get { listener.connections.streamLimit }
        set { listener.connections.streamLimit = newValue }
    }
}
