extension SimulatedAPNs {
    /// One of Apple's two push environments.
    public enum Environment: String, Hashable, Sendable, CaseIterable {
        /// For apps that are installed from Xcode.
        case sandbox
        /// For apps from the App Store and TestFlight.
        case production

        var value: PushEnvironment {
            switch self {
            case .sandbox: .sandbox
            case .production: .production
            }
        }
    }

    /// How strictly requests are validated.
    public struct Rules: Hashable, Sendable {
        /// The environment that the simulator is; a device token of the other one is a `BadDeviceToken`.
        public var environment = Environment.production
        /// Whether any well-formed device token is accepted, or only those that the simulator made.
        public var acceptsUnknownDeviceTokens = true
        /// The bundle ids that exist; empty for all.
        public var bundleIDs: Set<String> = []
        /// Limit of concurrent streams of a connection, 1 through 1,000,000.
        ///
        /// With a provider token it is one until the first accepted request, as at Apple.
        public var streamLimit = 1000
        /// The age from which a provider token is expired.
        public var providerTokenLifetime = Duration.seconds(3600)

        /// Creates Apple's rules, for any device token and bundle id.
        public init() {}
    }

    /// The rules, which can be changed at any time; open connections obey them too.
    public var rules: Rules {
        get {
            guard let listener = handle.listeners().first else { return Rules() }
            return Rules(listener.rules, listener.connections)
        }
        nonmutating set {
            guard var listener = handle.listeners().first else { return }
            newValue.apply(to: &listener.rules, &listener.connections)
            try? handle.setRules(listener.rules, of: listener.name)
            try? handle.setConnectionRules(listener.connections, of: listener.name)
        }
    }
}

extension SimulatedAPNs.Rules {
    init(_ rules: ValidationRules, _ connections: ConnectionRules) {
        environment = rules.environment == .sandbox ? .sandbox : .production
        acceptsUnknownDeviceTokens = rules.deviceTokens == .open
        bundleIDs = rules.topics
        streamLimit = Int(connections.streamLimit)
        providerTokenLifetime = rules.providerTokenLifetime
    }

    /// Sets these rules, and leaves the others alone.
    func apply(to rules: inout ValidationRules, _ connections: inout ConnectionRules) {
        rules.environment = environment.value
        rules.deviceTokens = acceptsUnknownDeviceTokens ? .open : .strict
        rules.topics = bundleIDs
        rules.providerTokenLifetime = providerTokenLifetime
        connections.streamLimit = UInt32(min(max(1, streamLimit), 1_000_000))
    }
}
