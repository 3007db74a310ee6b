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

        /// What the action event calls it.
        public let id: String
        /// What it shows.
        public let title: String
        /// What it does; a kind that this SDK does not know opens the app.
        public let kind: Kind
        /// Where `openURL` leads.
        public let link: URL?
    }

    /// Which push it is.
    public let occurrence: OccurrenceID
    /// Proof that it came to this phone.
    public let receipt: Receipt
    /// Where a tap leads.
    public let link: URL?
    /// The picture's URL.
    public let image: URL?
    /// At most three buttons.
    public let buttons: [Button]

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
        link = (fields[PayloadKey.link] as? String).flatMap { URL(string: $0) }
        image = (fields[PayloadKey.image] as? String).flatMap { URL(string: $0) }
        let buttons = fields[PayloadKey.buttons] as? [Any] ?? []
        self.buttons = buttons.prefix(3).compactMap { ($0 as? [String: Any]).flatMap(Button.init) }
    }

    /// The button of an id.
    ///
    /// - Parameter id: What the action event calls it.
    /// - Returns: The button; `nil` when there is none.
    public func button(_ id: String) -> Button? { buttons.first { $0.id == id } }
}

extension ReceivedPush.Button {
    init?(_ fields: [String: Any]) {
        guard let id = fields["id"] as? String, !id.isEmpty, id.count <= 64,
            let title = fields["title"] as? String, !title.isEmpty
        else { return nil }
        self.id = id
        self.title = String(title.prefix(64))
        kind = (fields["kind"] as? String).flatMap(Kind.init(rawValue:)) ?? .openApp
        link = (fields["link"] as? String).flatMap { URL(string: $0) }
    }
}
