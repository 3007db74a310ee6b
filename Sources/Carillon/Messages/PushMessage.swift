public import CarillonModel
public import Foundation

/// A push with the fields that an app uses.
public struct PushMessage: Hashable, Sendable, Identifiable {
    /// Carillon's own part of it.
    public let push: ReceivedPush
    /// The first line.
    public let title: String?
    /// The second line.
    public let subtitle: String?
    /// The text.
    public let body: String?
    /// The number for the app's icon; `nil` does not change it.
    public let badge: Int?
    /// The sound's name.
    public let sound: String?
    /// The category, which selects the actions.
    public let category: String?
    /// The App's own data: the payload without Apple's part and Carillon's.
    public let data: [String: JSONValue]
    /// The whole payload.
    public let payload: [String: JSONValue]

    /// The Occurrence's id.
    public var id: OccurrenceID { push.occurrence }
    /// The link as the server wrote it: mostly a URL, but possibly any text that the app understands.
    public var link: String? { push.linkText }
    /// The link, if it is a URL.
    public var url: URL? { push.link }
    /// The picture, video or sound.
    public var media: Media? { push.media }
    /// At most three buttons.
    public var buttons: [ReceivedPush.Button] { push.buttons }
    /// Whether the link leads to a survey.
    public var isSurvey: Bool { push.isSurvey }

    /// The id of the call that a VoIP push announces: a UUID (RFC 9562, version 8) that is derived from the Occurrence's id, so
    /// that no call is reported twice.
    public var callID: UUID { CallID.of(id) }

    /// Reads a payload; `nil` when it is not Carillon's.
    ///
    /// - Parameter userInfo: The whole payload, as the system passes it.
    public init?(userInfo: [AnyHashable: Any]) {
        guard let push = ReceivedPush(userInfo: userInfo) else { return nil }
        self.push = push
        let aps = userInfo[PayloadKey.aps] as? [String: Any]
        let alert = aps?["alert"] as? [String: Any]
        title = alert?["title"] as? String
        subtitle = alert?["subtitle"] as? String
        body = alert?["body"] as? String ?? aps?["alert"] as? String
        badge = (aps?["badge"] as? NSNumber)?.intValue
        sound = aps?["sound"] as? String ?? (aps?["sound"] as? [String: Any])?["name"] as? String
        category = aps?["category"] as? String
        payload = Self.values(of: userInfo)
        data = payload.filter { $0.key != PayloadKey.aps && $0.key != PayloadKey.carillon }
    }

    /// Values that are no JSON, which a payload from Apple does not have, are left out.
    private static func values(of userInfo: [AnyHashable: Any]) -> [String: JSONValue] {
        var object: [String: Any] = [:]
        for (key, value) in userInfo {
            if let key = key as? String, JSONSerialization.isValidJSONObject([value]) { object[key] = value }
        }
        guard let data = try? JSONSerialization.data(withJSONObject: object) else { return [:] }
        return (try? JSONDecoder().decode([String: JSONValue].self, from: data)) ?? [:]
    }
}

/// An action that the person chose.
public struct PushAction: Hashable, Sendable {
    /// The pressed button's id, or that of an action of the app's own.
    public let id: String
    /// What the button does; `nil` for an action of the app's own.
    public var kind: ReceivedPush.Button.Kind? { button?.kind }
    /// The button; `nil` for an action of the app's own.
    public let button: ReceivedPush.Button?
    /// The category of the push.
    public let category: String
    /// The text that was typed.
    public let reply: String?
    /// The push.
    public let message: PushMessage

    package init(id: String, category: String, reply: String?, message: PushMessage) {
        self.id = id
        self.category = category
        self.reply = reply
        self.message = message
        button = message.push.button(id)
    }
}

/// An event of an app's pushes.
public indirect enum CarillonAppEvent: Hashable, Sendable {
    /// A push arrived while the app was in the foreground, or a silent one woke it.
    case received(PushMessage)
    /// The person tapped a notification, which may have launched the app.
    case opened(PushMessage)
    /// The person pressed a button, or answered.
    case action(PushAction)

    /// The push.
    public var message: PushMessage {
        switch self {
        case .received(let message), .opened(let message): message
        case .action(let action): action.message
        }
    }
}

/// Derives the ids of calls.
enum CallID {
    /// Two checksums of the id, with the bits of version 8 ("custom") and of the variant.
    static func of(_ occurrence: OccurrenceID) -> UUID {
        let text = Array(occurrence.description.utf8)
        let first = Checksum.of(text)
        let second = Checksum.of(text.reversed())
        var bytes = [UInt8](repeating: 0, count: 16)
        for index in 0..<8 {
            bytes[index] = UInt8(truncatingIfNeeded: first >> UInt64(56 - 8 * index))
            bytes[index + 8] = UInt8(truncatingIfNeeded: second >> UInt64(56 - 8 * index))
        }
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
