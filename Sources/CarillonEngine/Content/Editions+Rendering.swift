package import CarillonModel
package import CarillonOperatorModel

/// The values that all renderings of a Campaign share.
package struct RenderingOrder: Sendable {
    package var occurrence: OccurrenceID
    /// When the Occurrence began.
    package var sentAt: Timestamp
    package var channel: Campaign.Channel
    package var dialect: App.Dialect
    package var isSandbox: Bool

    package init(
        occurrence: OccurrenceID,
        sentAt: Timestamp,
        channel: Campaign.Channel,
        dialect: App.Dialect,
        isSandbox: Bool = false
    ) {
        self.occurrence = occurrence
        self.sentAt = sentAt
        self.channel = channel
        self.dialect = dialect
        self.isSandbox = isSandbox
    }
}

extension Editions {
    /// Renders an edition.
    ///
    /// - Parameters:
    ///   - edition: One of ``all``.
    ///   - order: The shared values.
    ///   - fields: ``personalFields``.
    ///   - sender: The push service.
    ///   - isMeasured: Whether it may be too large, since somebody wants to see how much.
    /// - Returns: A payload, or a template that is filled in for each Device.
    /// - Throws: ``RenderingError`` when no Device's payload would be small enough.
    package func rendering(
        _ edition: Edition,
        _ order: RenderingOrder,
        fields: [PersonalField],
        by sender: any Sender,
        isMeasured: Bool = false
    ) throws(RenderingError) -> Rendering {
        var marker = SlotMarker(fields)
        let content = content(of: edition)
        var message = message(of: edition, content.map { marker.marked($0, isLiteral: self.message.isLiteral) })
        message.data = message.data.mapValues { marker.marked($0, isLiteral: self.message.isLiteral) }
        let badgeMark = marker.mark(message.badge)
        let isTemplate = !marker.slots.isEmpty
        var draft = NotificationDraft(
            message: message,
            language: edition.language,
            occurrence: order.occurrence,
            sentAt: order.sentAt,
            channel: order.channel,
            dialect: order.dialect,
            isSandbox: order.isSandbox
        )
        draft.isTemplate = isTemplate || isMeasured
        draft.badgeMark = badgeMark
        draft.limit = rules.payloadLimit
        var rendering = try sender.render(draft)
        guard isTemplate else { return rendering }
        let template = PersonalTemplate(
            rendering.bytes,
            receiptOffset: rendering.receiptOffset,
            slots: marker.slots,
            limit: rendering.limit
        )
        guard isMeasured || template.shortestCount <= rendering.limit else {
            throw RenderingError(
                language: edition.language,
                byteCount: template.shortestCount,
                limit: rendering.limit
            )
        }
        rendering.template = template
        return rendering
    }

    /// The number of slots in an edition.
    func placeCount(of edition: Edition, _ fields: [PersonalField]) -> Int {
        guard !fields.isEmpty else { return 0 }
        var marker = SlotMarker(fields)
        _ = content(of: edition).map { marker.marked($0, isLiteral: false) }
        _ = message.data.mapValues { marker.marked($0, isLiteral: false) }
        return marker.slots.count
    }
}

/// Inserts slot marks into texts.
private struct SlotMarker {
    private let places: [PersonalField: Int]
    private(set) var slots: [PersonalTemplate.Slot] = []

    init(_ fields: [PersonalField]) {
        places = Dictionary(fields.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// The text that stands for the number on the icon while a message that adds to it is rendered.
    mutating func mark(_ badge: Badge?) -> String? {
        guard case .increment(let step) = badge, let field = places[.badge] else { return nil }
        slots.append(PersonalTemplate.Slot(field: field, adding: step))
        return SlotMark.text(slots.count - 1)
    }

    /// Texts of a literal message have no slots, and must not look like the mark of one either.
    mutating func marked(_ content: LocalizedContent, isLiteral: Bool) -> LocalizedContent {
        content.mapTexts { text, place in marked(text, isLink: place.isLink, isLiteral: isLiteral) }
    }

    mutating func marked(_ value: JSONValue, isLiteral: Bool) -> JSONValue {
        value.mapTexts { text in marked(text, isLink: false, isLiteral: isLiteral) }
    }

    private mutating func marked(_ text: String, isLink: Bool, isLiteral: Bool) -> String {
        let text = SlotMark.cleaned(text)
        guard !isLiteral, PersonalText.mayHavePlaces(text), let read = try? PersonalText(text) else { return text }
        return read.written { place in
            guard let field = places[place.field], slots.count < 26 * 26 else { return "" }
            slots.append(PersonalTemplate.Slot(field: field, place: place, isLink: isLink))
            return SlotMark.text(slots.count - 1)
        }
    }
}
