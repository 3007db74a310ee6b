package import NIOCore

extension ConnectionPool {
    /// Options of a pool.
    public struct Configuration: Sendable {
        /// The trusted root certificates.
        public var trustRoots = TrustRoots.system
        /// The client certificate; `nil` with provider tokens.
        ///
        /// With one, the tokens passed to `send` are ignored.
        public var identity: ClientIdentity?
        /// The proxy; `nil` for none.
        public var proxy: HTTPProxy?
        /// Maximum number of connections, from 1.
        ///
        /// The pool makes another one while the open ones have more to send than streams. A connection that is being
        /// replaced may coexist with its successor until its last answer, so there are up to twice as many.
        public var maximumConnections = 16
        /// Maximum number of streams used on a connection, from 1; APNs allows 1,000 today.
        public var maximumStreams = 1000
        /// Whether waiting notifications fail at once when a connection cannot be made and no other is open.
        ///
        /// They are returned as `notSent` with ``Failure/noConnection``, and ``ConnectionPool/status`` has the cause:
        /// nobody listens, a certificate is not trusted, a proxy refuses. By default they wait for the next attempt,
        /// until their deadline.
        public var failsWhenUnreachable = false
        /// Timeout of a connection, including TLS; a proxy may take as long again.
        public var connectTimeout = Duration.seconds(10)
        /// After this time without a byte, while an answer is awaited, a PING is sent.
        public var silence = Duration.seconds(5)
        /// Timeout of the PING acknowledgement.
        public var pingTimeout = Duration.seconds(5)
        /// After this time an idle connection gets a PING.
        public var idlePing = Duration.seconds(3600)
        /// After this time an idle connection is closed; `nil` for never.
        ///
        /// Apple asks senders to keep connections open "for hours to days".
        public var idleTimeout: Duration?
        /// After how many requests a connection is replaced; `nil` for never.
        public var maximumRequestsPerConnection: Int?
        /// Maximum age of a connection, up to a tenth less; `nil` for no limit.
        ///
        /// Several are replaced one after another, each when its answers have arrived.
        public var maximumConnectionAge: Duration?
        /// Maximum number of notifications that wait for a connection; ``WhenFull`` determines what happens to more.
        public var maximumWaiting = 500_000
        /// The first backoff after a connection that failed, answered nothing, or became unusable by our tokens.
        ///
        /// It doubles each time.
        public var firstBackoff = Duration.milliseconds(250)
        /// The maximum backoff.
        public var longestBackoff = Duration.seconds(30)
        /// Maximum burst of new connections, from 1.
        ///
        /// Apple treats rapid connecting and disconnecting as an attack.
        public var connectBurst = 16
        /// Interval of further connections after a burst.
        public var connectInterval = Duration.seconds(1)
        /// When to slow down because of invalid device tokens; `nil`, the default, for never.
        public var badTokenBrake: BadTokenBrake?
        /// The source of jitter: a number from 0 through 1.
        public var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }
        /// Finds a host's addresses for each connection.
        ///
        /// Tests use names that no resolver knows.
        package var lookUp: @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress] = {
            try AddressLookup.system(host: $0, port: $1)
        }

        /// Creates the default options.
        public init() {}
    }

    /// What happens to notifications when too many wait.
    public enum WhenFull: Hashable, Sendable {
        /// They are returned at once as `notSent` with ``Failure/queueFull``.
        case giveBack
        /// Their caller waits for room until its deadline; callers are served in order.
        case wait
    }
}

extension PoolStateMachine.Configuration {
    init(_ configuration: ConnectionPool.Configuration) {
        self.init()
        maximumConnections = max(1, configuration.maximumConnections)
        streams = max(1, configuration.maximumStreams)
        maximumWaiting = configuration.maximumWaiting
        firstBackoff = TimeAmount(configuration.firstBackoff)
        longestBackoff = TimeAmount(configuration.longestBackoff)
        connectBurst = configuration.connectBurst
        connectInterval = TimeAmount(configuration.connectInterval)
        maximumAge = configuration.maximumConnectionAge.map { TimeAmount($0) }
        idleTimeout = configuration.idleTimeout.map { TimeAmount($0) }
        brake = configuration.badTokenBrake
        failsWhenUnreachable = configuration.failsWhenUnreachable
    }
}
