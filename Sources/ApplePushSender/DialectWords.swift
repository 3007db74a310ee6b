import ApplePush
import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The payload keys of another service's SDK, so that apps built with it can read our notifications.
///
/// They are written beside Carillon's own, which carry the receipt. Keys and JSON types are those that the services
/// document.
struct DialectWords {
    /// The key by which CORE PUSH's apps report launches.
    static let pushID = "push_id"

    /// Members beside `aps`.
    private(set) var members: [PayloadValue.Member] = []
    /// Names that the App's own data cannot use: the caller must not be able to forge them.
    private(set) var reserved: Set<String> = []
    /// Whether the apps read `alert` as a string.
    private(set) var prefersPlainText = false

    init(_ draft: NotificationDraft, _ content: LocalizedContent?) {
        switch draft.dialect {
        case .carillon: break
        case .toast: toast(draft, content)
        case .corepush: corePush(draft, content)
        }
    }

    // MARK: - TOAST Push

    private mutating func toast(_ draft: NotificationDraft, _ content: LocalizedContent?) {
        reserved = ["messageDeliveryReceipt", "messageDeliveryReceiptData", "richMessage", "clickAction"]
        members = [
            .init("messageDeliveryReceipt", true),
            .init(
                "messageDeliveryReceiptData",
                .object([
                    .init("messageId", .integer(draft.occurrence.rawValue)),
                    .init("sentDateTime", .string(draft.sentAt.description)),
                ])
            ),
        ]
        guard let content else { return }
        let rich = Self.richMessage(content)
        if !rich.isEmpty { members.append(.init("richMessage", .object(rich))) }
        if let link = content.link { members.append(.init("clickAction", .string(link))) }
    }

    private static func richMessage(_ content: LocalizedContent) -> [PayloadValue.Member] {
        var members: [PayloadValue.Member] = []
        if let media = content.media ?? content.image.map({ Media(kind: .image, source: $0) }) {
            members.append(
                .init(
                    "media",
                    .object([
                        .init("mediaType", .string(media.kind.rawValue.uppercased())),
                        .init("source", .string(media.source)),
                    ])
                )
            )
        }
        if !content.buttons.isEmpty { members.append(.init("buttons", .array(content.buttons.map(toastButton)))) }
        return members
    }

    private static func toastButton(_ button: Button) -> PayloadValue {
        let kind =
            switch button.kind {
            case .openApp: "OPEN_APP"
            case .openURL: "OPEN_URL"
            case .reply: "REPLY"
            case .dismiss: "DISMISS"
            }
        return .object(
            PayloadValue.members([
                ("id", button.id), ("name", button.title), ("buttonType", kind), ("link", button.link),
                ("hint", button.hint), ("submitName", button.submit),
            ])
        )
    }

    // MARK: - CORE PUSH

    /// `push_id` makes apps count launches, which the service does only in production; `CoreResearch` is compared as a
    /// string, so a number would not match.
    private mutating func corePush(_ draft: NotificationDraft, _ content: LocalizedContent?) {
        reserved = [Self.pushID, "CoreResearch"]
        prefersPlainText = true
        if !draft.isSandbox { members.append(.init(Self.pushID, .string(draft.occurrence.description))) }
        // Without a link the App may set any text, such as a selector `page=1`.
        guard let link = content?.link else { return }
        reserved.insert("url")
        members.append(.init("url", .string(link)))
        if draft.message.isSurvey { members.append(.init("CoreResearch", "1")) }
    }
}
