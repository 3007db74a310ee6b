import ApplePush
import CarillonEngine
import CarillonModel

extension Rendering {
    /// A message of one language as a payload for APNs, with a slot for the receipt.
    ///
    /// - Throws: ``RenderingError`` when it is larger than 4,096 bytes (Apple, "Generating a remote notification").
    init(apple draft: NotificationDraft) throws(RenderingError) {
        let encoded: EncodedPayload
        do {
            encoded = try EncodedPayload(Payload(draft), limit: ApplePush.PushType.alert.payloadLimit)
        } catch {
            throw RenderingError(language: draft.language, error)
        }
        self.init(bytes: encoded.bytes, receiptOffset: encoded.slot?.lowerBound ?? 0)
    }
}

extension RenderingError {
    fileprivate init(language: String?, _ problem: EncodedPayload.Problem) {
        let limit = ApplePush.PushType.alert.payloadLimit
        switch problem {
        case .tooLarge(let bytes, let limit): self.init(language: language, byteCount: bytes, limit: limit)
        case .empty, .severalSlots, .badSlot:
            preconditionFailure("A payload of ours is an object with exactly one receipt; \(limit) bytes at most.")
        }
    }
}

extension Payload {
    /// The words of a message where Apple expects them, and beside them Carillon's own and the App's.
    init(_ draft: NotificationDraft) {
        let message = draft.message
        let content = draft.language.flatMap { message.content[$0] }
        self.init()
        if let content {
            alert = Alert(title: content.title, subtitle: content.subtitle, body: content.body)
            isMutableContent = true
            category = message.category ?? DefaultCategory.identifier
        }
        isContentAvailable = message.silent
        badge = message.badge
        sound = message.sound.map(Sound.named)
        threadID = message.thread
        interruptionLevel = message.interruptionLevel.map { InterruptionLevel(rawValue: $0.rawValue) }
        custom =
            [.init(PayloadKey.carillon, .object(Self.carillon(draft.occurrence, content)))]
            + PayloadValue.members(of: message.data)
    }

    private static func carillon(_ occurrence: OccurrenceID, _ content: LocalizedContent?) -> [PayloadValue.Member] {
        var members: [PayloadValue.Member] = [
            .init(PayloadKey.occurrence, .string(occurrence.description)),
            .init(PayloadKey.receipt, .slot(length: Receipt.length)),
        ]
        if let link = content?.link { members.append(.init(PayloadKey.link, .string(link))) }
        if let image = content?.image { members.append(.init(PayloadKey.image, .string(image))) }
        if let buttons = content?.buttons, !buttons.isEmpty {
            members.append(.init(PayloadKey.buttons, .array(buttons.map(PayloadValue.init(button:)))))
        }
        return members
    }
}

extension PayloadValue {
    fileprivate init(button: Button) {
        var members: [Member] = [
            .init("id", .string(button.id)), .init("title", .string(button.title)),
            .init("kind", .string(button.kind.rawValue)),
        ]
        if let link = button.link { members.append(.init("link", .string(link))) }
        self = .object(members)
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

    /// In the order of their names, so that the same message gives the same bytes.
    fileprivate static func members(of values: [String: JSONValue]) -> [Member] {
        values.sorted { $0.key < $1.key }.map { Member($0.key, PayloadValue(json: $0.value)) }
    }
}
