/// What a notification is for: the value of `apns-push-type`.
///
/// An open set, so that a type Apple adds needs no release of ours.
public struct APNsPushType: RawRepresentable, Hashable, Sendable {
    /// The header's value, lower case as Apple documents it.
    public let rawValue: String

    /// Makes a push type of any value; Apple answers `InvalidPushType` to one it does not know.
    ///
    /// - Parameter rawValue: The header's value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Shows an alert, plays a sound or sets a badge.
    public static let alert = APNsPushType(rawValue: "alert")
    /// Wakes the app without showing anything.
    ///
    /// Apple calls any priority but 5 an error.
    public static let background = APNsPushType(rawValue: "background")
    /// Starts a Location Push Service Extension.
    ///
    /// Token authentication only.
    public static let location = APNsPushType(rawValue: "location")
    /// A call, which the app must report to CallKit.
    public static let voip = APNsPushType(rawValue: "voip")
    /// Updates a watchOS complication.
    public static let complication = APNsPushType(rawValue: "complication")
    /// Signals changes to a File Provider extension.
    public static let fileProvider = APNsPushType(rawValue: "fileprovider")
    /// Makes a managed device contact its server.
    ///
    /// Certificate authentication, topic from the certificate.
    public static let mdm = APNsPushType(rawValue: "mdm")
    /// Starts, updates or ends a Live Activity.
    public static let liveActivity = APNsPushType(rawValue: "liveactivity")
    /// Starts a Push to Talk session.
    public static let pushToTalk = APNsPushType(rawValue: "pushtotalk")
    /// Reloads widgets.
    public static let widgets = APNsPushType(rawValue: "widgets")
    /// Reloads controls.
    public static let controls = APNsPushType(rawValue: "controls")
    /// Answers a notification that was forwarded to an accessory.
    public static let accessory = APNsPushType(rawValue: "accessory")

    /// The suffix of the bundle id in this type's topic; empty for plain notifications.
    ///
    /// Source: "Sending notification requests to APNs". Unknown types have no suffix.
    public var topicSuffix: String {
        switch self {
        case .location: ".location-query"
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileProvider: ".pushkit.fileprovider"
        case .liveActivity: ".push-type.liveactivity"
        // Not `.pushtotalk`: Apple's name for this topic is older than the push type.
        case .pushToTalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        case .accessory: ".push-type.accessory"
        default: ""
        }
    }

    /// The most bytes a payload of this type may have: 5,120 for VoIP, 4,096 for all others.
    ///
    /// A broadcast may have 5,120; see ``Broadcast``. Source: "Generating a remote notification".
    public var payloadLimit: Int { self == .voip ? 5120 : 4096 }

    /// The priorities that Apple permits for this type, most urgent first.
    ///
    /// Source: "Sending notification requests to APNs" for background notifications, ActivityKit's "Starting and updating
    /// Live Activities with ActivityKit push notifications", "Creating a Push to Talk app". Unknown types have all.
    public var permittedPriorities: [Priority] {
        switch self {
        case .background: [.considerate]
        case .liveActivity: [.immediate, .considerate]
        case .pushToTalk: [.immediate]
        default: [.immediate, .considerate, .low]
        }
    }

    /// Every type named here, for tables and tests.
    public static let documented: [APNsPushType] = [
        .alert, .background, .location, .voip, .complication, .fileProvider, .mdm, .liveActivity, .pushToTalk, .widgets,
        .controls, .accessory,
    ]
}
