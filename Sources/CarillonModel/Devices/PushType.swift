/// The push service and environment of a device token.
public enum PushType: String, Hashable, Sendable, Codable, CaseIterable {
    /// Apple's production environment: apps from the App Store, TestFlight and ad hoc distribution.
    case apns
    /// Apple's sandbox: apps that Xcode installed.
    case apnsSandbox = "apns_sandbox"
    /// VoIP tokens of Apple's production environment: PushKit's, independent of the device token.
    case apnsVoIP = "apns_voip"
    /// VoIP tokens of Apple's sandbox.
    case apnsVoIPSandbox = "apns_voip_sandbox"

    /// The types of device tokens.
    public static let notificationTypes: [PushType] = [.apns, .apnsSandbox]

    /// The types of VoIP tokens.
    public static let voIPTypes: [PushType] = [.apnsVoIP, .apnsVoIPSandbox]

    /// Whether it is a type of VoIP tokens.
    public var isVoIP: Bool {
        switch self {
        case .apns, .apnsSandbox: false
        case .apnsVoIP, .apnsVoIPSandbox: true
        }
    }

    /// Whether it belongs to Apple's sandbox.
    public var isSandbox: Bool {
        switch self {
        case .apns, .apnsVoIP: false
        case .apnsSandbox, .apnsVoIPSandbox: true
        }
    }
}
