/// What Apple remembers of a connection from one request to the next.
///
/// What was found good once is known again by its bytes, so that later requests are let in without another look.
package struct ConnectionState: Sendable {
    /// The position of the listener among the simulator's.
    var listener = 0
    /// The client's address, over whose connections changes of the provider token may be counted.
    var source = ""
    /// The certificate that the client showed; then the `authorization` field is ignored.
    var certificate: PushCertificate?
    /// The authorization field that `providerToken` was read from, to know it again by its bytes.
    var authorization: [UInt8] = []
    /// The last provider token that was in order, as judged in `keysGeneration`.
    var providerToken: ProviderToken?
    /// From when through when the provider token is good.
    var providerTokenSpan = SimulatedTime(milliseconds: 0)...SimulatedTime(milliseconds: 0)
    var keysGeneration = 0
    /// The key of the first request that was let in; it binds the connection to its team.
    var boundKey: SigningKey?
    /// How often the provider token changed, if connections are counted each for itself.
    var changes = ProviderTokenChanges()
    /// The last topic that was allowed, with the push type it was allowed for, as judged in `keysGeneration`.
    var topic: [UInt8] = []
    var topicPushType: PushType?

    package init() {}

    /// Whether a request on this connection has shown a provider token that is in order, or none is needed.
    var isAuthenticated: Bool {
        boundKey != nil || certificate != nil
    }
}
