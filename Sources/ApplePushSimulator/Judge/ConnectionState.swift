/// What Apple remembers of a connection from one request to the next.
package struct ConnectionState: Sendable {
    /// The authorization field that `providerToken` was read from, to know it again by its bytes.
    var authorization: [UInt8] = []
    /// The last provider token that was in order, as judged in `keysGeneration`.
    var providerToken: ProviderToken?
    var keysGeneration = 0
    /// The key of the first request that was let in; it binds the connection to its team.
    var boundKey: SigningKey?
    /// When the provider token changed, latest last; changes older than the window are dropped.
    var changes: [WallTime] = []
    /// Set when the token changed too often: until then every request is answered 429.
    var blockedUntil: WallTime?

    package init() {}

    /// Whether a request on this connection has shown a provider token that is in order.
    var isAuthenticated: Bool {
        boundKey != nil
    }
}
