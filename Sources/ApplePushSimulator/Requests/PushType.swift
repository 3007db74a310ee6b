/// The values of `apns-push-type`, with their topics.
enum PushType: String, CaseIterable, Sendable {
    case alert
    case background
    case location
    case voip
    case complication
    case fileprovider
    case mdm
    case liveactivity
    case pushtotalk
    case widgets
    case controls
    case accessory

    /// Recognises a push type by its bytes; nil when it is unknown.
    init?(_ value: ArraySlice<UInt8>) {
        // Nearly every push is one of these two; they need no search.
        if value.elementsEqual("alert".utf8) {
            self = .alert
        } else if value.elementsEqual("background".utf8) {
            self = .background
        } else {
            self.init(rawValue: String(decoding: value, as: UTF8.self))
        }
    }

    /// The suffix of a topic of this type; empty for the bundle identifier alone.
    var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .location: ".location-query"
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        case .accessory: ".push-type.accessory"
        }
    }

    /// Maximum payload of this type, in bytes.
    var payloadLimit: Int {
        self == .voip ? 5120 : Self.smallestPayloadLimit
    }

    static let smallestPayloadLimit = 4096
}
