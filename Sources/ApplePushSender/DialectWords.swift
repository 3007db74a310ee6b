import ApplePush
import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The payload keys of another service's SDK, so that apps built with it can read our notifications.
///
/// They are written beside Carillon's own, which carry the receipt. Keys and JSON types are those that the services
/// document.
struct DialectWords {
    /// What is written beside `aps`.
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
        typealias Key = PayloadKey.ToastPush
        reserved = [Key.reportsDelivery, Key.delivery, Key.richMessage, Key.link]
        members = [
            .init(Key.reportsDelivery, true),
            .init(
                Key.delivery,
                .object([
                    .init(Key.messageID, .integer(draft.occurrence.rawValue)),
                    .init(Key.sentAt, .string(draft.sentAt.description)),
                ])
            ),
        ]
        guard let content else { return }
        let rich = Self.richMessage(content)
        if !rich.isEmpty { members.append(.init(Key.richMessage, .object(rich))) }
        if let link = content.link { members.append(.init(Key.link, .string(link))) }
    }

    private static func richMessage(_ content: LocalizedContent) -> [PayloadValue.Member] {
        typealias Key = PayloadKey.ToastPush
        var members: [PayloadValue.Member] = []
        if let media = content.media ?? content.image.map({ Media(kind: .image, source: $0) }) {
            members.append(
                .init(
                    Key.media,
                    .object([
                        .init(Key.mediaType, .string(media.kind.rawValue.uppercased())),
                        .init(Key.source, .string(media.source)),
                    ])
                )
            )
        }
        if !content.buttons.isEmpty { members.append(.init(Key.buttons, .array(content.buttons.map(toastButton)))) }
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
        typealias Key = PayloadKey.ToastPush.Button
        return .object(
            PayloadValue.members([
                (Key.id, button.id), (Key.title, button.title), (Key.kind, kind), (Key.link, button.link),
                (Key.hint, button.hint), (Key.submit, button.submit),
            ])
        )
    }

    // MARK: - CORE PUSH

    /// `push_id` makes apps count launches, which the service does only in production; `CoreResearch` is compared as a
    /// string, so a number would not match.
    private mutating func corePush(_ draft: NotificationDraft, _ content: LocalizedContent?) {
        typealias Key = PayloadKey.CorePush
        reserved = [Key.pushID, Key.survey]
        prefersPlainText = true
        if !draft.isSandbox { members.append(.init(Key.pushID, .string(draft.occurrence.description))) }
        // Without a link the App may set any text, as a selector `page=1`.
        guard let link = content?.link else { return }
        reserved.insert(Key.url)
        members.append(.init(Key.url, .string(link)))
        if draft.message.isSurvey { members.append(.init(Key.survey, "1")) }
    }
}
