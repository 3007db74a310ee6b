package import CarillonModel
package import CarillonOperatorModel

/// What a message becomes as payloads: their sizes and what phones show, for who writes it.
package struct ContentMeasure: Hashable, Sendable {
    /// The payload of one language.
    package struct Language: Hashable, Sendable {
        /// The key of the content; `nil` for a silent message.
        package var language: String?
        /// Whether it has the wording that Korean law requires for ads.
        package var hasAdWords: Bool
        /// Its size in bytes: of a text with variables the largest of the sampled Devices.
        package var bytes: Int
        /// Maximum size in bytes.
        package var limit: Int
        /// The payload of that size, with zeros for its receipt.
        package var payload: String
        /// How many Devices' values were filled in; `nil` for a text that is the same for all.
        package var sampled: Int?
        /// How many of them would get nothing, because they lack a value that has no fallback.
        package var withoutValues: Int

        /// Whether it is refused.
        package var isTooLarge: Bool { bytes > limit }
    }

    /// Maximum number of Devices whose values are filled in.
    package static let sampleLimit = 200

    /// The languages by key; ads have one for Korean phones in any case.
    package var languages: [Language]
}

extension Campaigns {
    /// Renders a message for each language, whatever its size.
    ///
    /// - Parameters:
    ///   - message: The message; placeholders of values of a request get their names.
    ///   - channel: Which tokens it addresses.
    ///   - adWording: What an ad carries for phones in Korean; `nil` for information, and for an ad that lacks it yet.
    ///   - app: The App.
    /// - Returns: The sizes and payloads.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func measure(
        _ message: Message,
        channel: Campaign.Channel = .notification,
        adWording: AdWording? = nil,
        app: AppID
    ) async throws(EngineError) -> ContentMeasure {
        let rules = try await rules(of: app)
        var content = ContentRules()
        content.payloadLimit = rules.payloadLimit
        content.adWording = adWording.map {
            AdWording(
                contact: $0.contact,
                removeGuide: $0.removeGuide,
                position: $0.position ?? rules.adWordPosition
            )
        }
        let editions = Editions(message, isAd: adWording != nil, rules: content)
        let fields = editions.personalFields
        guard fields.count <= SlotMark.capacity else { return ContentMeasure(languages: []) }
        let order = RenderingOrder(
            occurrence: ids.next(),
            sentAt: clock.now(),
            channel: channel,
            dialect: rules.dialect
        )
        let values = try await sampledValues(of: fields, app: app)
        var measure = ContentMeasure(languages: [])
        for edition in editions.measured where editions.placeCount(of: edition, fields) <= SlotMark.capacity {
            let rendering = rendering(edition, of: editions, order, fields)
            guard let rendering else { continue }
            measure.languages.append(ContentMeasure.Language(edition, rendering, values))
        }
        return measure
    }

    // MARK: - Private

    private func sampledValues(
        of fields: [PersonalField],
        app: AppID
    ) async throws(EngineError) -> PersonalValues {
        guard !fields.isEmpty else { return PersonalValues(fields: [], devices: []) }
        let devices = try await stored(
            try await store.newestDevices(of: app, limit: ContentMeasure.sampleLimit)
        )
        return try await stored(try await store.personalValues(of: fields, for: devices, in: nil, app: app))
    }

    /// As it would be sent, or as it is when it is too large for that.
    private func rendering(
        _ edition: Edition,
        of editions: Editions,
        _ order: RenderingOrder,
        _ fields: [PersonalField]
    ) -> Rendering? {
        if let rendering = try? editions.rendering(edition, order, fields: fields, by: sender) { return rendering }
        return try? editions.rendering(edition, order, fields: fields, by: sender, isMeasured: true)
    }
}

extension Editions {
    /// What phones get: the wording of ads for Korean ones alone, and them with it alone.
    fileprivate var measured: [Edition] {
        let korean = all.filter { App.AdRule.korean.covers(language: $0.language) }
        let hasWording = all.contains(where: \.hasAdWords)
        return all.filter { edition in
            guard hasWording else { return true }
            if korean.contains(edition) { return edition.hasAdWords }
            return !edition.hasAdWords || korean.isEmpty && edition.language == Message.defaultLanguage
        }
    }
}

extension ContentMeasure.Language {
    fileprivate init(_ edition: Edition, _ rendering: Rendering, _ values: PersonalValues) {
        self.init(
            language: edition.language,
            hasAdWords: edition.hasAdWords,
            bytes: rendering.bytes.count,
            limit: rendering.limit,
            payload: String(decoding: rendering.bytes, as: UTF8.self),
            sampled: nil,
            withoutValues: 0
        )
        guard let template = rendering.template else { return }
        var largest: [UInt8] = []
        // A Device that is none has no value: the fallbacks alone.
        for device in values.devices.isEmpty ? [DeviceNumber(rawValue: -1)] : values.devices {
            var payload: [UInt8] = []
            do throws(PersonalTemplate.Refusal) {
                _ = try template.write(device, values, upTo: .max, into: &payload)
            } catch {
                withoutValues += 1
                continue
            }
            if payload.count > largest.count { largest = payload }
        }
        sampled = values.devices.count
        bytes = largest.isEmpty ? template.shortestCount : largest.count
        payload = largest.isEmpty ? template.preview : String(decoding: largest, as: UTF8.self)
    }
}

extension Message {
    /// A placeholder that some Devices have no value for.
    package struct BarePlace: Hashable, Sendable {
        /// The key of the content, or `nil` in the App's own data.
        package var language: String?
        /// The variable, such as `attribute.name`.
        package var variable: String
    }

    /// The placeholders without a fallback: a Device without a value gets nothing.
    package var barePlaces: [BarePlace] {
        guard !isLiteral else { return [] }
        var found: [BarePlace] = []
        func scan(_ text: String, _ language: String?) -> String {
            guard PersonalText.mayHavePlaces(text), let read = try? PersonalText(text) else { return text }
            for place in read.places where place.fallback == nil {
                let bare = BarePlace(language: language, variable: place.field.name)
                if !found.contains(bare) { found.append(bare) }
            }
            return text
        }
        for (tag, content) in content.sorted(by: { $0.key < $1.key }) {
            _ = content.mapTexts { text, _ in scan(text, tag) }
        }
        for (_, value) in data.sorted(by: { $0.key < $1.key }) { _ = value.mapTexts { scan($0, nil) } }
        return found
    }
}
