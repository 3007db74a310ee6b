/// What `apns-push-type` may say, and the topic that goes with it.
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

    /// Recognises a push type by its bytes; nil when Apple knows none of that name.
    init?(_ value: ArraySlice<UInt8>) {
        // Nearly every push is one of these two; they are compared without a search.
        if value.elementsEqual("alert".utf8) {
            self = .alert
        } else if value.elementsEqual("background".utf8) {
            self = .background
        } else {
            self.init(rawValue: String(decoding: value, as: UTF8.self))
        }
    }

    /// What a topic of this type ends with, after the bundle identifier; empty for the bundle identifier alone.
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

    /// The most bytes a payload of this type may have.
    var payloadLimit: Int {
        self == .voip ? 5120 : Self.smallestPayloadLimit
    }

    static let smallestPayloadLimit = 4096
}
