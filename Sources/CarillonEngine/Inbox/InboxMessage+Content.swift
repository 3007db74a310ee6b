import CarillonModel
import CarillonOperatorModel

extension InboxMessage {
    /// What an entry says in a language: of variants the one that the Device got, with the words for ads that it had.
    ///
    /// Places for what is a Device's own are left.
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

/// Fills messages of an inbox with what the Device has now.
struct PersonalInbox {
    private let values: PersonalValues
    private let device: DeviceNumber

    init(_ values: PersonalValues, of device: DeviceNumber) {
        self.values = values
        self.device = device
    }

    /// The fields that messages have places for, each once; at most 64.
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
        return Array(fields.prefix(SlotMark.capacity))
    }

    /// Writes the values; nothing where there is neither one nor a default any more.
    func fill(_ messages: inout [InboxMessage], _ contents: [OccurrenceID: InboxContent]) {
        for index in messages.indices where contents[messages[index].occurrence]?.message.isLiteral == false {
            messages[index].title = messages[index].title.map { filled($0, isLink: false) }
            messages[index].body = messages[index].body.map { filled($0, isLink: false) }
            messages[index].link = messages[index].link.map { filled($0, isLink: true) }
        }
    }

    private static func read(_ text: String) -> PersonalText? {
        PersonalText.mayHavePlaces(text) ? try? PersonalText(text) : nil
    }

    private func filled(_ text: String, isLink: Bool) -> String {
        guard let read = Self.read(text) else { return text }
        return read.written { place in
            let value = values.text(of: place.field, of: device).map(place.cut) ?? place.fallback ?? ""
            return isLink ? value.percentEncoded : value
        }
    }
}
