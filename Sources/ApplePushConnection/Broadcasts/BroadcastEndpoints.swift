/// Where APNs takes broadcasts, and where it manages their channels: other hosts and ports than those for devices.
///
/// Neither follows from the other, nor from ``Endpoint/production``; each can be set by itself. Channels of the sandbox and
/// of production are apart.
public struct BroadcastEndpoints: Hashable, Sendable {
    /// Where channels are created, read, listed and deleted.
    ///
    /// Source: "Sending channel management requests to APNs".
    public var management: Endpoint
    /// Where broadcasts go.
    ///
    /// Apple contradicts itself here: the text of "Sending broadcast push notification requests to APNs" names the hosts
    /// for devices, which is what stands here, and its samples name `api-broadcast.push.apple.com` and
    /// `api-broadcast.sandbox.push.apple.com`.
    public var sending: Endpoint

    /// Names the places.
    ///
    /// - Parameters:
    ///   - management: Where channels are managed.
    ///   - sending: Where broadcasts go.
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
