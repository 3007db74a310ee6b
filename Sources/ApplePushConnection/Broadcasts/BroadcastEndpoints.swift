/// APNs' endpoints for broadcasts and for channel management: other hosts and ports than those for devices.
///
/// They are independent of each other and of ``Endpoint/production``. The sandbox and production have separate
/// channels.
public struct BroadcastEndpoints: Hashable, Sendable {
    /// The endpoint of channel management.
    ///
    /// Source: "Sending channel management requests to APNs".
    public var management: Endpoint
    /// The endpoint of broadcasts.
    ///
    /// Apple contradicts itself here: the text of "Sending broadcast push notification requests to APNs" names the
    /// hosts for devices, which are used here, and its samples name `api-broadcast.push.apple.com` and
    /// `api-broadcast.sandbox.push.apple.com`.
    public var sending: Endpoint

    /// Creates a pair of endpoints.
    ///
    /// - Parameters:
    ///   - management: The endpoint of channel management.
    ///   - sending: The endpoint of broadcasts.
    public init(management: Endpoint, sending: Endpoint) {
        self.management = management
        self.sending = sending
    }

    /// For apps from the App Store and TestFlight.
    public static let production = BroadcastEndpoints(
        management: Endpoint(host: "api-manage-broadcast.push.apple.com", port: 2196),
        sending: .production
    )
    /// For apps that a developer installs from Xcode.
    public static let sandbox = BroadcastEndpoints(
        management: Endpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195),
        sending: .sandbox
    )
}
