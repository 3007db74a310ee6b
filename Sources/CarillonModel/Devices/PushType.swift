/// Which push service, and which of its environments, a device token belongs to.
public enum PushType: String, Hashable, Sendable, Codable, CaseIterable {
    /// Apple's production environment: apps from the App Store, TestFlight and ad hoc distribution.
    case apns
    /// Apple's sandbox: apps that Xcode installed.
    case apnsSandbox = "apns_sandbox"
}
