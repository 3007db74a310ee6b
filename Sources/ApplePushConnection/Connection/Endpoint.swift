/// The address of an APNs host.
public struct Endpoint: Hashable, Sendable {
    /// The name or address; also used for TLS verification and `:authority`.
    public var host: String
    /// The TCP port, 1 through 65,535.
    ///
    /// APNs listens at 443 and, for firewalls, at 2197.
    public var port: Int

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - host: The name or address.
    ///   - port: The TCP port.
    public init(host: String, port: Int = 443) {
        self.host = host
        self.port = port
    }

    /// For apps from the App Store and TestFlight.
    public static let production = Endpoint(host: "api.push.apple.com")
    /// For apps that a developer installs from Xcode.
    public static let sandbox = Endpoint(host: "api.sandbox.push.apple.com")

    /// The value of `:authority`, without the default port (RFC 9110 §4.2.2).
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }
}

/// The root certificates that a connection trusts.
public enum TrustRoots: Hashable, Sendable {
    /// The roots of the operating system. Apple's chain ends at "USERTrust RSA Certification Authority".
    case system
    /// The certificates of a PEM file, and no others: for a private APNs, as in tests.
    case file(String)
}
