public import CarillonModel
public import Foundation

/// What Carillon's own part of a payload says.
public struct ReceivedPush: Hashable, Sendable {
    /// A button under the notification.
    public struct Button: Hashable, Sendable {
        /// What the button does.
        public enum Kind: String, Hashable, Sendable {
            /// Brings the app to the front.
            case openApp
            /// Opens ``ReceivedPush/Button/link``.
            case openURL
            /// Asks for a text.
            case reply
            /// Takes the notification away.
            case dismiss
        }

        /// What the action event calls it; never empty.
        public let id: String
        /// What it shows.
        public let title: String
        /// What it does; a kind that this SDK does not know opens the app.
        public let kind: Kind
        /// Where `openURL` leads.
        public let link: URL?
        /// What an empty text field shows, for `reply`.
        public let hint: String?
        /// What the button that sends the text shows, for `reply`.
        public let submit: String?
    }

    /// Which push it is.
    public let occurrence: OccurrenceID
    /// Proof that it came to this phone.
    public let receipt: Receipt
    /// Where a tap leads, as the server wrote it: mostly a URL, but any text that the app understands.
    public let linkText: String?
    /// The picture, video or sound.
    public let media: Media?
    /// At most three buttons.
    public let buttons: [Button]
    /// Whether the link leads to a survey.
    public let isSurvey: Bool

    /// Reads a payload; `nil` when it is not Carillon's.
    ///
    /// - Parameter userInfo: The whole payload, as the system hands it over.
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

    /// Where a tap leads; `nil` when there is nothing, or nothing that a URL can be made of.
    public var link: URL? { linkText.flatMap(LinkText.url) }

    /// The button of an id.
    ///
    /// - Parameter id: What the action event calls it.
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
