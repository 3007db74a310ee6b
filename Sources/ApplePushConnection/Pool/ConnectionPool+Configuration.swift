public import NIOCore

extension ConnectionPool {
    /// What may be different from pool to pool.
    public struct Configuration: Sendable {
        /// Whom to trust.
        public var trustRoots = TrustRoots.system
        /// The client certificate; `nil` where provider tokens speak for the sender.
        ///
        /// With one, tokens that are given to `send` are not sent.
        public var identity: ClientIdentity?
        /// The proxy through which APNs is reached; `nil` for none.
        public var proxy: HTTPProxy?
        /// How many connections at most, from 1.
        ///
        /// The pool makes another one while those that stand have more to send than streams. While one is replaced it may answer what it has beside its successor, so that there are up to twice as many.
        public var maximumConnections = 16
        /// How many streams a connection uses at most, from 1; APNs allows 1,000 today.
        public var maximumStreams = 1000
        /// How long making a connection may take, TLS included; a proxy may take as long again.
        public var connectTimeout = TimeAmount.seconds(10)
        /// After how long without a byte an awaited answer makes us ask whether APNs is still there.
        public var silence = TimeAmount.seconds(5)
        /// How long the answer to that may take.
        public var pingTimeout = TimeAmount.seconds(5)
        /// After how long an idle connection is asked.
        public var idlePing = TimeAmount.hours(1)
        /// After how long without any work a connection is closed; `nil` for never.
        ///
        /// Apple asks senders to keep connections open "for hours to days".
        public var idleTimeout: TimeAmount?
        /// After how many requests a connection is replaced; `nil` for never.
        public var maximumRequestsPerConnection: Int?
        /// After how long a connection is replaced, up to a tenth of it earlier; `nil` for never.
        ///
        /// Several are replaced one after another, each when its answers have come.
        public var maximumConnectionAge: TimeAmount?
        /// How many notifications may wait for a connection; ``WhenFull`` says what becomes of more.
        public var maximumWaiting = 500_000
        /// The shortest wait after a connection that could not be made, answered nothing, or was worn out by our tokens.
        ///
        /// It doubles each time.
        public var firstBackoff = TimeAmount.milliseconds(250)
        /// The longest wait.
        public var longestBackoff = TimeAmount.seconds(30)
        /// How many connections may be begun in a row, from 1.
        ///
        /// Apple treats rapid connecting and disconnecting as an attack.
        public var connectBurst = 16
        /// After how long one more may be begun.
        public var connectInterval = TimeAmount.seconds(1)
        /// When to slow down because of bad device tokens; `nil`, the default, for never.
        public var badTokenBrake: BadTokenBrake?
        /// Where the jitter of the waits comes from: a number from 0 through 1.
        public var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }
        /// Finds a host's addresses for each connection.
        ///
        /// Tests name addresses that no resolver knows.
        package var lookUp: @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress] = {
            try AddressLookup.system(host: $0, port: $1)
        }

        /// The defaults.
        public init() {}
    }

    /// What becomes of notifications for which there is no room among those that wait.
    public enum WhenFull: Hashable, Sendable {
        /// They come back at once as `notSent` with ``Failure/queueFull``.
        case giveBack
        /// Their caller waits for room, until its deadline; callers are served in the order they came.
        case wait
    }
}

extension PoolStateMachine.Configuration {
    init(_ configuration: ConnectionPool.Configuration) {
        self.init()
        maximumConnections = max(1, configuration.maximumConnections)
        streams = max(1, configuration.maximumStreams)
        maximumWaiting = configuration.maximumWaiting
        firstBackoff = configuration.firstBackoff
        longestBackoff = configuration.longestBackoff
        connectBurst = configuration.connectBurst
        connectInterval = configuration.connectInterval
        maximumAge = configuration.maximumConnectionAge
        idleTimeout = configuration.idleTimeout
        brake = configuration.badTokenBrake
    }
}
