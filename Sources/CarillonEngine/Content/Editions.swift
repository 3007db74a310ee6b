import CarillonModel
package import CarillonOperatorModel

/// The content for one kind of phone: one language of one variant, with or without the labels for Korean ads.
package struct Edition: Hashable, Sendable {
    /// The variant's index in its list; `nil` when there are no variants.
    package var variant: Int?
    /// A key of the content; `nil` for a silent message.
    package var language: String?
    /// Whether it has the labels that Korean law requires of an ad.
    package var hasAdWords: Bool

    package init(variant: Int? = nil, language: String?, hasAdWords: Bool = false) {
        self.variant = variant
        self.language = language
        self.hasAdWords = hasAdWords
    }
}

/// All editions of a Campaign: every language of every variant.
package struct Editions: Sendable {
    package let message: Message
    package let rules: ContentRules
    package let all: [Edition]
    /// The index in ``all`` at which a variant's editions begin; one entry without variants.
    private let starts: [Int]
    private let contents: [[String: LocalizedContent]]
    private let placeOfKey: [[String: Int]]
    private let adWording: AdWording?
    /// Whether phones whose language is Korean are skipped, because it is an ad without the labels that Korean law
    /// requires.
    package let isKeptFromKoreans: Bool

    package init(_ message: Message, isAd: Bool, rules: ContentRules) {
        self.message = message
        self.rules = rules
        adWording = isAd && !message.silent ? rules.adWording : nil
        isKeptFromKoreans = isAd && !message.silent && rules.adWording == nil
        contents = rules.variants.isEmpty ? [message.content] : rules.variants.map { $0.content ?? message.content }
        var all: [Edition] = []
        var starts: [Int] = []
        var placeOfKey: [[String: Int]] = []
        for (index, content) in contents.enumerated() {
            let variant = rules.variants.isEmpty ? nil : index
            let keys: [String?] = content.isEmpty ? [nil] : content.keys.sorted()
            starts.append(all.count)
            placeOfKey.append([:])
            for key in keys {
                if let key { placeOfKey[index][key] = all.count }
                all.append(Edition(variant: variant, language: key))
                if adWording != nil {
                    all.append(Edition(variant: variant, language: key, hasAdWords: true))
                }
            }
        }
        self.all = all
        self.starts = starts
        self.placeOfKey = placeOfKey
    }

    /// The number of variants, one if there are none.
    package var variantCount: Int { contents.count }

    /// Returns the index in ``all`` of the edition for a phone's language.
    ///
    /// - Parameters:
    ///   - language: The phone's language; phones in Korean get the labels for ads with any content.
    ///   - variant: A variant's index; 0 when there are none.
    /// - Returns: The index; that of the first edition of the variant for a silent message.
    package func place(for language: String?, variant: Int = 0) -> Int {
        var variantMessage = Message(content: contents[variant])
        variantMessage.silent = message.silent
        let key = variantMessage.language(for: language)
        let place = key.flatMap { placeOfKey[variant][$0] } ?? starts[variant]
        return adWording != nil && App.AdRule.korean.covers(language: language) ? place + 1 : place
    }

    /// Returns the content of an edition; `nil` for a silent message.
    ///
    /// Missing parts come from the default language, markup is removed, labels for ads are added; slots for Devices'
    /// own values stay.
    package func content(of edition: Edition) -> LocalizedContent? {
        guard let language = edition.language,
            var content = Message(content: contents[edition.variant ?? 0]).localized(language)
        else { return nil }
        if message.isHTML { content = content.withoutMarkup }
        if edition.hasAdWords, let adWording { content = adWording.applied(to: content, standard: .title) }
        return content
    }

    /// Returns the message of an edition: its content, and the other members of the Campaign's message.
    func message(of edition: Edition, _ content: LocalizedContent?) -> Message {
        var message = message
        message.content = [:]
        if let language = edition.language, let content { message.content[language] = content }
        return message
    }

    /// The fields with a slot in any edition, without repetition; empty when all Devices get the same.
    package var personalFields: [PersonalField] {
        var fields: [PersonalField] = []
        readPlaces { place in if !fields.contains(place.field) { fields.append(place.field) } }
        if case .increment = message.badge { fields.append(.badge) }
        return fields
    }

    /// The recipients' values with a slot in any edition.
    package var recipientPlaces: RecipientPlaces {
        var places = RecipientPlaces()
        readPlaces { places.note($0) }
        return places
    }

    private func readPlaces(_ body: (PersonalText.Place) -> Void) {
        guard !message.isLiteral else { return }
        func scan(_ text: String) -> String {
            guard PersonalText.mayHavePlaces(text), let read = try? PersonalText(text) else { return text }
            for place in read.places { body(place) }
            return text
        }
        for content in contents {
            for (_, content) in content.sorted(by: { $0.key < $1.key }) {
                _ = content.mapTexts { text, _ in scan(text) }
            }
        }
        for (_, value) in message.data.sorted(by: { $0.key < $1.key }) { _ = value.mapTexts(scan) }
    }
}
