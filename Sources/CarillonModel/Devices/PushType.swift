/// Which push service, and which of its environments, a device token belongs to.
public enum PushType: String, Hashable, Sendable, Codable, CaseIterable {
    /// Apple's production environment: apps from the App Store, TestFlight and ad hoc distribution.
    case apns
    /// Apple's sandbox: apps that Xcode installed.
    case apnsSandbox = "apns_sandbox"
    /// Incoming calls in Apple's production environment: the token is PushKit's, apart from the one for notifications.
    case apnsVoIP = "apns_voip"
    /// Incoming calls in Apple's sandbox.
    case apnsVoIPSandbox = "apns_voip_sandbox"

    /// The types whose tokens take notifications.
    public static let notificationTypes: [PushType] = [.apns, .apnsSandbox]

    /// The types whose tokens take incoming calls.
    public static let voIPTypes: [PushType] = [.apnsVoIP, .apnsVoIPSandbox]

    /// Whether its tokens take incoming calls, not notifications.
    public var isVoIP: Bool {
        switch self {
        case .apns, .apnsSandbox: false
        case .apnsVoIP, .apnsVoIPSandbox: true
        }
    }

    /// Whether its tokens belong to Apple's sandbox.
    public var isSandbox: Bool {
        switch self {
        case .apns, .apnsVoIP: false
        case .apnsSandbox, .apnsVoIPSandbox: true
        }
    }
}
