import CarillonModel
package import CarillonOperatorModel

/// Content as one kind of phone gets it: one language of one variant, with the words for Korean ads or without.
package struct Edition: Hashable, Sendable {
    /// The variant's place in its list; `nil` when there are no variants.
    package var variant: Int?
    /// A key of the content; `nil` for a silent message.
    package var language: String?
    /// Whether it has the words that Korean law wants of an ad.
    package var hasAdWords: Bool

    package init(variant: Int? = nil, language: String?, hasAdWords: Bool = false) {
        self.variant = variant
        self.language = language
        self.hasAdWords = hasAdWords
    }
}

/// All that a Campaign says: every language of every variant.
package struct Editions: Sendable {
    package let message: Message
    package let rules: ContentRules
    package let all: [Edition]
    /// By variant, or one: where its editions begin in ``all``.
    private let starts: [Int]
    private let contents: [[String: LocalizedContent]]
    private let placeOfKey: [[String: Int]]
    private let adWording: AdWording?
    /// An ad without the words that Korean law wants of it goes to no phone whose language is Korean.
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

    /// How many variants there are, one if there are none.
    package var variantCount: Int { contents.count }

    /// Where the edition for a phone's language stands in ``all``.
    ///
    /// - Parameters:
    ///   - language: What the phone says; the words for ads are for Korean phones whatever content they get.
    ///   - variant: A variant's place; 0 when there are none.
    /// - Returns: The place; that of the first edition of the variant for a silent message.
    package func place(for language: String?, variant: Int = 0) -> Int {
        var variantMessage = Message(content: contents[variant])
        variantMessage.silent = message.silent
        let key = variantMessage.language(for: language)
        let place = key.flatMap { placeOfKey[variant][$0] } ?? starts[variant]
        return adWording != nil && App.AdRule.korean.covers(language: language) ? place + 1 : place
    }

    /// What an edition says; `nil` for a silent message.
    ///
    /// What the language lacks is the default's, markup is taken out, the words for ads are added; places for what is a
    /// Device's own are left.
    package func content(of edition: Edition) -> LocalizedContent? {
        guard let language = edition.language,
            var content = Message(content: contents[edition.variant ?? 0]).localized(language)
        else { return nil }
        if message.isHTML { content = content.withoutMarkup }
        if edition.hasAdWords, let adWording { content = adWording.applied(to: content, standard: .title) }
        return content
    }

    /// The message of an edition: its one content, and everything else of the Campaign's message.
    func message(of edition: Edition, _ content: LocalizedContent?) -> Message {
        var message = message
        message.content = [:]
        if let language = edition.language, let content { message.content[language] = content }
        return message
    }

    /// The fields that any edition has a place for, each once; empty when all Devices get the same.
    package var personalFields: [PersonalField] {
        var fields: [PersonalField] = []
        readPlaces { place in if !fields.contains(place.field) { fields.append(place.field) } }
        return fields
    }

    /// Which values of recipients any edition has a place for.
    package var recipientPlaces: RecipientPlaces {
        var places = RecipientPlaces()
        readPlaces { places.note($0) }
        return places
    }

    private func readPlaces(_ body: (PersonalText.Place) -> Void) {
        guard !message.isLiteral else { return }
        func note(_ text: String) -> String {
            guard PersonalText.mayHavePlaces(text), let read = try? PersonalText(text) else { return text }
            for place in read.places { body(place) }
            return text
        }
        for content in contents {
            for (_, content) in content.sorted(by: { $0.key < $1.key }) {
                _ = content.mapTexts { text, _ in note(text) }
            }
        }
        for (_, value) in message.data.sorted(by: { $0.key < $1.key }) { _ = value.mapTexts(note) }
    }
}
