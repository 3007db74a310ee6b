public import CarillonModel
public import Foundation

/// Carillon's own part of a payload.
public struct ReceivedPush: Hashable, Sendable {
    /// A button under the notification.
    public struct Button: Hashable, Sendable {
        /// What the button does.
        public enum Kind: String, Hashable, Sendable {
            /// Brings the app to the front.
            case openApp
            /// Opens ``ReceivedPush/Button/link``.
            case openURL
            /// Shows a text field.
            case reply
            /// Removes the notification.
            case dismiss
        }

        /// The id in the action event; never empty.
        public let id: String
        /// Its text.
        public let title: String
        /// What it does; an unknown kind opens the app.
        public let kind: Kind
        /// The link of `openURL`.
        public let link: URL?
        /// The placeholder of the text field, for `reply`.
        public let hint: String?
        /// The text of the send button, for `reply`.
        public let submit: String?
    }

    /// The Occurrence's id.
    public let occurrence: OccurrenceID
    /// The receipt, which proves the push to the server.
    public let receipt: Receipt
    /// The link as the server wrote it: mostly a URL, but possibly any text that the app understands.
    public let linkText: String?
    /// The picture, video or sound.
    public let media: Media?
    /// At most three buttons.
    public let buttons: [Button]
    /// Whether the link leads to a survey.
    public let isSurvey: Bool

    /// Reads a payload; `nil` when it is not Carillon's.
    ///
    /// - Parameter userInfo: The whole payload, as the system passes it.
    public init?(userInfo: [AnyHashable: Any]) {
        guard let fields = userInfo[PayloadKey.carillon] as? [String: Any],
            let occurrence = (fields[PayloadKey.occurrence] as? String).flatMap({ OccurrenceID($0) }),
            let receipt = (fields[PayloadKey.receipt] as? String).flatMap(Receipt.init(rawValue:))
        else { return nil }
        self.occurrence = occurrence
        self.receipt = receipt
        let link = (fields[PayloadKey.link] as? String).flatMap { $0.isEmpty ? nil : $0 }
        linkText = link
        media = Media(fields: fields)
        let buttons = fields[PayloadKey.buttons] as? [Any] ?? []
        self.buttons = buttons.prefix(3).compactMap { ($0 as? [String: Any]).flatMap(Button.init) }
        // CORE PUSH's key counts too: the text "1" and nothing else.
        let isMarked =
            fields[PayloadKey.survey] as? Bool == true || userInfo[PayloadKey.CorePush.survey] as? String == "1"
        isSurvey = isMarked && link != nil
    }

    /// The link; `nil` when there is none, or when it is no URL.
    public var link: URL? { linkText.flatMap(LinkText.url) }

    /// Returns the button with an id.
    ///
    /// - Parameter id: The id in the action event.
    /// - Returns: The button; `nil` when there is none.
    public func button(_ id: String) -> Button? { buttons.first { $0.id == id } }
}

extension ReceivedPush.Button {
    init?(_ fields: [String: Any]) {
        typealias Key = PayloadKey.Button
        guard let id = fields[Key.id] as? String, !id.isEmpty, id.count <= 64,
            let title = fields[Key.title] as? String, !title.isEmpty
        else { return nil }
        self.id = id
        self.title = String(title.prefix(64))
        kind = (fields[Key.kind] as? String).flatMap(Kind.init(rawValue:)) ?? .openApp
        link = (fields[Key.link] as? String).flatMap(LinkText.url)
        hint = (fields[Key.hint] as? String).map { String($0.prefix(64)) }
        submit = (fields[Key.submit] as? String).map { String($0.prefix(32)) }
    }
}

extension Media {
    fileprivate init?(fields: [String: Any]) {
        if let media = fields[PayloadKey.media] as? [String: Any],
            let kind = (media[PayloadKey.Media.kind] as? String).flatMap(Kind.init(rawValue:)),
            let source = media[PayloadKey.Media.source] as? String, !source.isEmpty
        {
            self.init(kind: kind, source: source)
        } else if let image = fields[PayloadKey.image] as? String, !image.isEmpty {
            self.init(kind: .image, source: image)
        } else {
            return nil
        }
    }
}
