import ApplePush
import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension Rendering {
    /// Renders a message in one language as a payload for APNs, with a slot for the receipt.
    ///
    /// Where the App allows fewer bytes than Apple, a message of CORE PUSH's dialect that does not fit is sent without
    /// Carillon's own members, if that fits: the vendor's 256 bytes do not include them.
    ///
    /// - Throws: ``RenderingError`` when it is larger than 4,096 bytes, for a call 5,120 (Apple, "Generating a remote
    ///   notification"), or than the App allows; the size of a template depends on its values.
    init(apple draft: NotificationDraft) throws(RenderingError) {
        do {
            try self.init(Payload(draft), draft)
        } catch {
            guard case .tooLarge = error, let bare = Payload(bare: draft) else { throw RenderingError(draft, error) }
            do {
                try self.init(bare, draft)
            } catch {
                throw RenderingError(draft, error)
            }
        }
    }

    private init(_ payload: Payload, _ draft: NotificationDraft) throws(EncodedPayload.Problem) {
        let encoded = try EncodedPayload(payload, limit: draft.isTemplate ? .max : draft.payloadLimit)
        self.init(
            bytes: encoded.bytes,
            receiptOffset: encoded.slot?.lowerBound ?? Self.noReceipt,
            limit: draft.payloadLimit
        )
    }
}

extension NotificationDraft {
    fileprivate var payloadLimit: Int {
        let pushType: APNsPushType =
            switch channel {
            case .notification: .alert
            case .voip: .voip
            }
        return min(pushType.payloadLimit, limit ?? .max)
    }
}

extension RenderingError {
    fileprivate init(_ draft: NotificationDraft, _ problem: EncodedPayload.Problem) {
        switch problem {
        case .tooLarge(let bytes, let limit): self.init(language: draft.language, byteCount: bytes, limit: limit)
        case .empty, .severalSlots, .badSlot:
            let limit = draft.payloadLimit
            preconditionFailure("A payload of ours is an object with exactly one receipt; \(limit) bytes at most.")
        }
    }
}

extension Payload {
    /// Writes a message's content where Apple expects it, beside the members of Carillon, the dialect and the App.
    init(_ draft: NotificationDraft) {
        let message = draft.message
        let content = draft.language.flatMap { message.content[$0] }
        self.init()
        if let content { alert = Alert(content) }
        switch draft.channel {
        case .notification: present(message, badgeMark: draft.badgeMark)
        // PushKit passes all of it to the app: nothing is presented.
        case .voip: break
        }
        let dialect = DialectWords(draft, content)
        alert?.prefersText = dialect.prefersPlainText
        custom =
            [.init(PayloadKey.carillon, .object(Self.carillon(draft, content)))] + dialect.members
            + PayloadValue.members(of: message.data.filter { !dialect.reserved.contains($0.key) })
    }

    /// Writes only a message's content, without Carillon's members: `nil` where that is not allowed, or would lose a
    /// part of the message.
    init?(bare draft: NotificationDraft) {
        guard draft.dialect == .corepush, draft.limit != nil, draft.channel == .notification, !draft.message.silent
        else { return nil }
        if let content = draft.language.flatMap({ draft.message.content[$0] }) {
            // The service extension downloads and shows these, out of Carillon's own object.
            guard content.image == nil, content.media == nil, content.buttons.isEmpty else { return nil }
        }
        self.init(draft)
        isMutableContent = false
        custom.removeAll { $0.key == PayloadKey.carillon || $0.key == PayloadKey.CorePush.pushID }
    }

    /// Writes how the system presents it.
    private mutating func present(_ message: Message, badgeMark: String?) {
        if alert != nil {
            isMutableContent = true
            category = message.category
        }
        isContentAvailable = message.silent || message.wakesApp
        if case .count(let count) = message.badge { badge = count }
        if let badgeMark { otherMembers = [.init("badge", .string(badgeMark))] }
        sound = message.sound.map(Sound.named)
        threadID = message.thread
        interruptionLevel = message.interruptionLevel.map { InterruptionLevel(rawValue: $0.rawValue) }
    }

    private static func carillon(_ draft: NotificationDraft, _ content: LocalizedContent?) -> [PayloadValue.Member] {
        var members: [PayloadValue.Member] = [
            .init(PayloadKey.occurrence, .string(draft.occurrence.description)),
            .init(PayloadKey.receipt, .slot(length: Receipt.length)),
        ]
        if let link = content?.link { members.append(.init(PayloadKey.link, .string(link))) }
        if draft.message.isSurvey { members.append(.init(PayloadKey.survey, true)) }
        if let image = content?.image { members.append(.init(PayloadKey.image, .string(image))) }
        if let media = content?.media {
            let texts: [PayloadValue.Member] = [
                .init(PayloadKey.Media.kind, .string(media.kind.rawValue)),
                .init(PayloadKey.Media.source, .string(media.source)),
            ]
            members.append(.init(PayloadKey.media, .object(texts)))
        }
        if let buttons = content?.buttons, !buttons.isEmpty {
            members.append(.init(PayloadKey.buttons, .array(buttons.map(PayloadValue.init(button:)))))
        }
        return members
    }
}

extension Payload.Alert {
    fileprivate init(_ content: LocalizedContent) {
        let keys = content.localization
        self.init(
            title: Payload.Text(content.title, keys?.title),
            subtitle: Payload.Text(content.subtitle, keys?.subtitle),
            body: Payload.Text(content.body, keys?.body),
            launchImage: content.launchImage
        )
        actionKey = keys?.action
    }
}

extension Payload.Text {
    fileprivate init?(_ literal: String?, _ line: Localization.Line?) {
        if let line {
            self = .localized(key: line.key, arguments: line.arguments, literal: literal)
        } else if let literal {
            self = .literal(literal)
        } else {
            return nil
        }
    }
}

extension PayloadValue {
    fileprivate init(button: Button) {
        typealias Key = PayloadKey.Button
        self = .object(
            Self.members([
                (Key.id, button.id), (Key.title, button.title), (Key.kind, button.kind.rawValue),
                (Key.link, button.link), (Key.hint, button.hint), (Key.submit, button.submit),
            ])
        )
    }

    /// Members of the texts that are present.
    static func members(_ texts: [(key: String, text: String?)]) -> [Member] {
        texts.compactMap { key, text in text.map { Member(key, .string($0)) } }
    }

    fileprivate init(json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map(PayloadValue.init(json:)))
        case .object(let values): self = .object(Self.members(of: values))
        }
    }

    /// Sorted by name, so that the same message gives the same bytes.
    fileprivate static func members(of values: [String: JSONValue]) -> [Member] {
        values.sorted { $0.key < $1.key }.map { Member($0.key, PayloadValue(json: $0.value)) }
    }
}
