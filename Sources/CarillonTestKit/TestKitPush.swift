public import Carillon
import CarillonModel
import Foundation

/// A push for a test.
public struct TestKitPush: Sendable {
    /// The keys in the payload.
    public enum Dialect: Sendable {
        /// Carillon's own alone.
        case carillon
        /// Carillon's and those of TOAST Push.
        case toast
        /// Carillon's and those of CORE PUSH.
        case corePush
    }

    /// A button.
    public struct Button: Sendable {
        /// What it does.
        public var kind: ReceivedPush.Button.Kind
        /// The id in the action event.
        public var id: String
        /// Its text.
        public var title: String
        /// The link of `openURL`.
        public var link: String?
        /// The placeholder of the text field.
        public var hint: String?
        /// The text of the send button.
        public var submit: String?

        /// Makes a button.
        public init(
            _ kind: ReceivedPush.Button.Kind,
            id: String,
            title: String,
            link: String? = nil,
            hint: String? = nil,
            submit: String? = nil
        ) {
            self.kind = kind
            self.id = id
            self.title = title
            self.link = link
            self.hint = hint
            self.submit = submit
        }
    }

    /// The title.
    public var title: String?
    /// The text.
    public var body: String?
    /// Where a tap leads.
    public var link: String?
    /// Whether the link leads to a survey.
    public var isSurvey = false
    /// The number for the app's icon.
    public var badge: Int?
    /// The sound's name.
    public var sound: String?
    /// A category that the app registered.
    public var category: String?
    /// At most three.
    public var buttons: [Button] = []
    /// A picture, video or sound.
    public var media: Media?
    /// The App's own data.
    public var data: [String: String] = [:]
    /// The keys in the payload.
    public var dialect = Dialect.carillon
    /// Whether it goes to Apple's sandbox.
    public var isSandbox = false
    /// Whether the service extension runs.
    public var isMutable = true
    /// Whether it shows nothing and wakes the app (`content-available`): a silent push, which has no text, badge or sound.
    public var isSilent = false

    /// Makes a push with a title and a text.
    public init(title: String? = nil, body: String? = nil, link: String? = nil) {
        self.title = title
        self.body = body
        self.link = link
    }

    func payload(_ number: UInt32, _ occurrence: OccurrenceID, _ receipt: Receipt, sentAt: Timestamp) -> Data {
        var carillon: [String: Any] = [
            PayloadKey.occurrence: occurrence.description, PayloadKey.receipt: receipt.rawValue,
        ]
        carillon[PayloadKey.link] = link
        if isSurvey { carillon[PayloadKey.survey] = true }
        if !buttons.isEmpty { carillon[PayloadKey.buttons] = buttons.map(\.fields) }
        if let media {
            carillon[PayloadKey.media] = [
                PayloadKey.Media.kind: media.kind.rawValue, PayloadKey.Media.source: media.source,
            ]
        }
        var payload: [String: Any] = data
        payload[PayloadKey.aps] = aps
        payload[PayloadKey.carillon] = carillon
        switch dialect {
        case .carillon: break
        case .toast: payload.merge(toast(number, sentAt)) { $1 }
        case .corePush: payload.merge(corePush(occurrence)) { $1 }
        }
        return (try? JSONSerialization.data(withJSONObject: payload)) ?? Data()
    }

    private var aps: [String: Any] {
        guard !isSilent else { return ["content-available": 1] }
        var aps: [String: Any] = [:]
        aps["category"] = category
        var alert: [String: String] = [:]
        alert["title"] = title
        alert["body"] = body
        aps["alert"] = dialect == .corePush && title == nil ? body as Any? : alert
        aps["badge"] = badge
        aps["sound"] = sound
        if isMutable { aps["mutable-content"] = 1 }
        return aps
    }

    private func toast(_ number: UInt32, _ sentAt: Timestamp) -> [String: Any] {
        typealias Key = PayloadKey.ToastPush
        var rich: [String: Any] = [:]
        if let media { rich[Key.media] = [Key.mediaType: media.kind.rawValue.uppercased(), Key.source: media.source] }
        if !buttons.isEmpty { rich[Key.buttons] = buttons.map(\.toast) }
        var fields: [String: Any] = [
            Key.reportsDelivery: true,
            Key.delivery: [Key.messageID: number, Key.sentAt: "\(sentAt)"] as [String: Any],
        ]
        if !rich.isEmpty { fields[Key.richMessage] = rich }
        fields[Key.link] = link
        return fields
    }

    private func corePush(_ occurrence: OccurrenceID) -> [String: Any] {
        typealias Key = PayloadKey.CorePush
        var fields: [String: Any] = [:]
        if !isSandbox { fields[Key.pushID] = occurrence.description }
        fields[Key.url] = link
        if isSurvey { fields[Key.survey] = "1" }
        return fields
    }
}

extension TestKitPush.Button {
    var fields: [String: String] {
        typealias Key = PayloadKey.Button
        var fields = [Key.id: id, Key.title: title, Key.kind: kind.rawValue]
        fields[Key.link] = link
        fields[Key.hint] = hint
        fields[Key.submit] = submit
        return fields
    }

    var toast: [String: String] {
        let type =
            switch kind {
            case .openApp: "OPEN_APP"
            case .openURL: "OPEN_URL"
            case .reply: "REPLY"
            case .dismiss: "DISMISS"
            }
        typealias Key = PayloadKey.ToastPush.Button
        var fields = [Key.id: id, Key.title: title, Key.kind: type]
        fields[Key.link] = link
        fields[Key.hint] = hint
        fields[Key.submit] = submit
        return fields
    }
}
