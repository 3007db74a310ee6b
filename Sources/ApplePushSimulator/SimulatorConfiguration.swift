/// The simulator's configuration.
package struct SimulatorConfiguration: Sendable {
    /// The address of all ports.
    ///
    /// Only loopback is intended.
    package var host = "127.0.0.1"
    /// Whether there is a control API, which everybody on the machine can use.
    package var hasControlAPI = true
    /// The port of the control API; 0 for any free one.
    package var controlPort = 0
    /// Allowed host names of the control API, beside `localhost` and addresses; in lower case.
    package var controlNames: Set<String> = []
    /// Number of threads for connections, 1 through 64.
    ///
    /// A connection stays on one.
    package var threads = 1
    /// The main listener.
    package var listener = ListenerConfiguration(name: "main")
    /// Further listeners, such as the other environment's.
    package var otherListeners: [ListenerConfiguration] = []
    /// Initial keys.
    package var keys: [SigningKey] = []
    /// Authorities of accepted client certificates in PEM, beside the simulator's own.
    package var clientAuthoritiesPEM: [String] = []
    /// The scenario that begins once the simulator listens; ``add(_:)`` sets it.
    package internal(set) var scenario: Scenario?
    /// How many of the last requests are recorded with their fields and bodies, 0 through 100,000.
    package var recordedRequests = 1000
    /// How often event streams are updated.
    var watchPace = Watchers.Pace()
    /// How long clients may take to disconnect after the GOAWAY of a graceful shutdown.
    package var shutdownGrace = Duration.seconds(5)
    /// Makes generated ids and the choice of faults repeatable.
    package var seed: UInt64 = .random(in: 0 ... .max)

    package init() {}

    /// All listeners, the main one first.
    package var listeners: [ListenerConfiguration] {
        [listener] + otherListeners
    }
}

// MARK: - The one listener that most simulators have

extension SimulatorConfiguration {
    /// The main port for senders; 0 for any free one.
    package var port: Int {
        get { listener.port }
        set { listener.port = newValue }
    }

    /// How strictly requests are validated.
    package var rules: ValidationRules {
        get { listener.rules }
        set { listener.rules = newValue }
    }

    /// Limit of concurrent streams of a connection until its first accepted request.
    package var initialStreamLimit: UInt32 {
        get { listener.connections.initialStreamLimit }
        set { listener.connections.initialStreamLimit = newValue }
    }

    /// Limit of concurrent streams after that, 1 through 1,000,000.
    package var streamLimit: UInt32 {
        get { listener.connections.streamLimit }
        set { listener.connections.streamLimit = newValue }
    }
}
