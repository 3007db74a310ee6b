import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Campaigns as the vendor shows messages.
enum ToastMessageWriter {
    /// A message.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - occurrence: One of its Occurrences, if the message is that one of several.
    ///   - funnel: The counts.
    /// - Returns: The object of JSON.
    static func message(_ campaign: Campaign, _ occurrence: Occurrence?, _ funnel: Funnel) -> JSONValue {
        var message = content(of: campaign)
        message.merge(JSONValue.ids("messageId", occurrence?.id?.rawValue ?? campaign.toastNumber)) { $1 }
        message["createdDateTime"] = ToastDate.text(occurrence?.startedAt ?? campaign.createdAt)
        message["completedDateTime"] = ToastDate.text(occurrence.map(\.finishedAt) ?? campaign.finishedAt)
        message["targetCount"] = .integer(Int64(funnel.targeted))
        message["sentCount"] = .integer(Int64(funnel.accepted))
        message["messageStatus"] = .string((occurrence.map(status) ?? status(campaign)).rawValue)
        return .object(message)
    }

    enum Status: String {
        case ready = "READY", processing = "PROCESSING", complete = "COMPLETE", noTarget = "CANCEL_NO_TARGET"
        case invalidCertificate = "CANCEL_INVALID_CERTIFICATE", invalidMessage = "CANCEL_INVALID_MESSAGE"
        case unsupported = "CANCEL_UNSUPPORTED_MESSAGE_TYPE", unauthorized = "CANCEL_UNAUTHORIZED"
        case unknown = "CANCEL_UNKNOWN"
    }

    static func status(_ campaign: Campaign) -> Status {
        switch campaign.state {
        case .draft, .needsApproval, .refused, .expired, .held, .scheduled: .ready
        case .sending, .cancelling: .processing
        case .paused: campaign.alarm == nil ? .processing : .invalidCertificate
        case .cancelled: .unknown
        case .sent: campaign.reachedNobody ? .noTarget : .complete
        }
    }

    static func status(_ occurrence: Occurrence) -> Status {
        switch occurrence.state {
        case .planned: .ready
        case .sending, .cancelling, .paused: .processing
        case .cancelled, .missed: .unknown
        case .sent: occurrence.reachedNobody ? .noTarget : .complete
        }
    }

    /// What messages and reservations share.
    static func content(of campaign: Campaign) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "target": target(campaign), "content": content(campaign.message),
            "messageType": .string(campaign.isAd ? "AD" : "NOTIFICATION"),
            "timeToLiveMinute": .integer(Int64((campaign.validFor ?? 0) / 60)),
        ]
        if let wording = campaign.adWording {
            members["contact"] = .string(wording.contact)
            members["removeGuide"] = .string(wording.removeGuide)
        }
        return members
    }

    // MARK: - Private

    private static func target(_ campaign: Campaign) -> JSONValue {
        var target: [String: JSONValue] = ["type": .string("ALL")]
        if campaign.channel == .voip { target["pushTypes"] = .array(PushType.voIPTypes.map(word)) }
        switch campaign.audience {
        case .all, .saved, .redacted, .devices: break
        case .users(let users):
            target["type"] = .string("UID")
            target["to"] = .array(users.map { .string($0.rawValue) })
        case .rule(let rule): add(rule, to: &target)
        }
        return .object(target)
    }

    private static func add(_ rule: AudienceRule, to target: inout [String: JSONValue]) {
        var rules = [rule]
        if case .and(let parts) = rule { rules = parts }
        var tags: [AudienceRule] = []
        for part in rules {
            switch part {
            case .term(.pushType(let match)): target["pushTypes"] = .array(match.values.map(word))
            case .term(.text(.country, let match)): target["countries"] = .array(match.values.map(JSONValue.string))
            case .term(.user(let match)):
                target["type"] = .string("UID")
                target["to"] = .array(match.values.map { .string($0.rawValue) })
            default: tags.append(part)
            }
        }
        guard let first = tags.first else { return }
        target["type"] = .string("TAG")
        target["to"] = .array(words(of: tags.count == 1 ? first : .and(tags)).map(JSONValue.string))
    }

    /// A rule's text in the vendor's form: tags by their ids alone, each word an element.
    private static func words(of rule: AudienceRule) -> [String] {
        let text = rule.text.replacing("(", with: " ( ").replacing(")", with: " ) ")
        return text.split(separator: " ").map { word in
            switch word {
            case "and", "or", "not": word.uppercased()
            default: word.hasPrefix("tag:") ? String(word.dropFirst(4)) : String(word)
            }
        }
    }

    private static func word(_ type: PushType) -> JSONValue { .string(ToastPushType.word(type)) }

    private static func content(_ message: Message) -> JSONValue {
        var languages = message.content.mapValues { localized($0, isHTML: message.isHTML) }
        var standard = message.data
        if case .count(let count) = message.badge { standard["badge"] = .integer(Int64(count)) }
        standard["sound"] = message.sound.map(JSONValue.string)
        standard["category"] = message.category.map(JSONValue.string)
        if message.wakesApp { standard["content-available"] = .string("1") }
        languages[Message.defaultLanguage, default: [:]].merge(standard) { own, _ in own }
        return .object(languages.mapValues(JSONValue.object))
    }

    private static func localized(_ content: LocalizedContent, isHTML: Bool) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        members["title"] = content.title.map(JSONValue.string)
        members["body"] = content.body.map(JSONValue.string)
        members["clickAction"] = content.link.map(JSONValue.string)
        members.merge(keys(content)) { own, _ in own }
        if isHTML { members["style"] = .object(["useHtmlStyle": .bool(true)]) }
        var rich: [String: JSONValue] = [:]
        if let media = content.media ?? content.image.map({ Media(kind: .image, source: $0) }) {
            rich["media"] = .object([
                "mediaType": .string(media.kind.rawValue.uppercased()), "source": .string(media.source),
                "sourceType": .string(media.source.contains(":") ? "REMOTE" : "LOCAL"),
            ])
        }
        if !content.buttons.isEmpty { rich["buttons"] = .array(content.buttons.map(button)) }
        if !rich.isEmpty { members["richMessage"] = .object(rich) }
        return members
    }

    private static func keys(_ content: LocalizedContent) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        members["launch-image"] = content.launchImage.map(JSONValue.string)
        guard let keys = content.localization else { return members }
        members["action-loc-key"] = keys.action.map(JSONValue.string)
        for (prefix, line) in [("title-", keys.title), ("", keys.body)] {
            guard let line else { continue }
            members[prefix + "loc-key"] = .string(line.key)
            guard !line.arguments.isEmpty else { continue }
            members[prefix + "loc-args"] = .array(line.arguments.map(JSONValue.string))
        }
        return members
    }

    private static func button(_ button: Button) -> JSONValue {
        let type =
            switch button.kind {
            case .openApp: "OPEN_APP"
            case .openURL: "OPEN_URL"
            case .reply: "REPLY"
            case .dismiss: "DISMISS"
            }
        var members: [String: JSONValue] = ["name": .string(button.title), "buttonType": .string(type)]
        members["link"] = button.link.map(JSONValue.string)
        members["hint"] = button.hint.map(JSONValue.string)
        members["submitName"] = button.submit.map(JSONValue.string)
        return .object(members)
    }
}
