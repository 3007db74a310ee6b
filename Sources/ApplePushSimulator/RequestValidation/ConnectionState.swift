/// What Apple remembers of a connection between requests.
///
/// Values that were validated once are recognised by their bytes, so that later requests skip the validation.
package struct ConnectionState: Sendable {
    /// The position of the listener.
    var listener = 0
    /// The client's address, by which changes of the provider token may be counted.
    var source = ""
    /// The client's certificate; with it the `authorization` field is ignored.
    var certificate: PushCertificate?
    /// The authorization field of `providerToken`, to recognise it by its bytes.
    var authorization: [UInt8] = []
    /// The last valid provider token, verified in `keysGeneration`.
    var providerToken: ProviderToken?
    /// The period in which the provider token is valid.
    var providerTokenSpan = SimulatedTime(milliseconds: 0)...SimulatedTime(milliseconds: 0)
    var keysGeneration = 0
    /// The key of the first accepted request; it binds the connection to its team.
    var boundKey: SigningKey?
    /// Changes of the provider token, if counted by connection.
    var changes = ProviderTokenChanges()
    /// The last allowed topic with its push type, checked in `keysGeneration`.
    var topic: [UInt8] = []
    var topicPushType: PushType?

    package init() {}

    /// Whether a request on this connection had a valid provider token, or none is needed.
    var isAuthenticated: Bool {
        boundKey != nil || certificate != nil
    }
}
