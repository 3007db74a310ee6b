import CarillonModel
import CarillonOperatorModel

extension InboxMessage {
    /// Creates an entry's message in a language: the variant that the Device got, with the ad labels that it had.
    ///
    /// Slots for the Device's own values stay.
    init(_ entry: InboxEntry, _ content: InboxContent, language: String?) {
        self.init(occurrence: entry.occurrence, sentAt: content.sentAt, isRead: entry.isRead)
        let editions = Editions(content.message, isAd: content.isAd, rules: content.rules)
        var variant = 0
        if case .variant(let place)? = content.rules.split(of: content.campaign)?.share(of: entry.device) {
            variant = place
        }
        let text = editions.content(of: editions.all[editions.place(for: language, variant: variant)])
        title = text?.title
        body = text?.body
        link = text?.link
        isSurvey = content.message.isSurvey
    }
}

/// Fills messages of an inbox with the Device's current values.
struct PersonalInbox {
    private let values: PersonalValues
    private let recipientValues: [CampaignID: TemplateValues]
    private let device: DeviceNumber

    /// Reads the values that messages name.
    init(
        _ messages: [InboxMessage],
        _ contents: [OccurrenceID: InboxContent],
        _ fields: [PersonalField],
        of device: DeviceNumber,
        app: AppID,
        from store: any InboxStore
    ) async throws(StoreError) {
        self.device = device
        let own = Array(fields.lazy.filter { !$0.isOfRecipient }.prefix(SlotMark.capacity))
        values = try await store.personalValues(of: own, for: [device], in: nil, app: app)
        guard own.count < fields.count, fields.contains(where: \.isOfRecipient) else {
            recipientValues = [:]
            return
        }
        let campaigns = Set(messages.compactMap { contents[$0.occurrence]?.campaign })
        recipientValues = try await store.recipientValues(of: campaigns.sorted(), for: device, app: app)
    }

    /// The fields with a slot in the messages, without repetition.
    static func fields(
        of messages: [InboxMessage],
        _ contents: [OccurrenceID: InboxContent]
    ) -> [PersonalField] {
        var fields: [PersonalField] = []
        for message in messages where contents[message.occurrence]?.message.isLiteral == false {
            for case let text? in [message.title, message.body, message.link] {
                for place in Self.read(text)?.places ?? [] where !fields.contains(place.field) {
                    fields.append(place.field)
                }
            }
        }
        return fields
    }

    /// Fills in the values; an empty text where there is neither a value nor a default any more.
    func fill(_ messages: inout [InboxMessage], _ contents: [OccurrenceID: InboxContent]) {
        for index in messages.indices {
            guard let content = contents[messages[index].occurrence], !content.message.isLiteral else { continue }
            func filled(_ text: String, isLink: Bool = false) -> String {
                self.filled(text, isLink: isLink, of: content.campaign)
            }
            messages[index].title = messages[index].title.map { filled($0) }
            messages[index].body = messages[index].body.map { filled($0) }
            messages[index].link = messages[index].link.map { filled($0, isLink: true) }
        }
    }

    private static func read(_ text: String) -> PersonalText? {
        PersonalText.mayHavePlaces(text) ? try? PersonalText(text) : nil
    }

    private func filled(_ text: String, isLink: Bool, of campaign: CampaignID) -> String {
        guard let read = Self.read(text) else { return text }
        return read.written { place in
            let value = value(of: place.field, of: campaign).map(place.cut) ?? place.fallback ?? ""
            return isLink ? value.percentEncoded : value
        }
    }

    private func value(of field: PersonalField, of campaign: CampaignID) -> String? {
        guard case .recipient(let name) = field else { return values.text(of: field, of: device) }
        return recipientValues[campaign]?.texts[name]
    }
}
