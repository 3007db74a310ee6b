package import CarillonModel

extension Message {
    /// Checks that no placeholder requires a value of the request.
    ///
    /// - Throws: ``FieldError`` naming a value that has no default.
    package func checkWithoutValues() throws(FieldError) {
        var filler = ValueFiller(.request(TemplateValues([:])))
        _ = try filler.message(self)
    }
}

/// Fills placeholders that have one value for all Devices, and records which values were used.
struct ValueFiller {
    /// The source of the values.
    enum Source {
        /// `{{value.NAME}}`, from `values`.
        case request(TemplateValues)
        /// `{{recipient.NAME}}`, from `recipientValues` of a test send.
        case recipient(TemplateValues)
    }

    private let source: Source
    private let values: TemplateValues
    private var used: Set<String> = []

    init(_ source: Source) {
        self.source = source
        switch source {
        case .request(let values), .recipient(let values): self.values = values
        }
    }

    /// Fills the placeholders of a message, and checks it again, since values may have made a text too long.
    ///
    /// A text longer than the placeholder's `max` is cut; in a link it is percent-encoded. Other placeholders stay.
    ///
    /// - Throws: ``FieldError`` for a value that is missing and has no default.
    mutating func message(_ message: Message) throws(FieldError) -> Message {
        guard !message.isLiteral else { return message }
        var filled = message
        filled.content = try content(message.content)
        for (name, value) in message.data {
            filled.data[name] = try value.mapTexts { text throws(FieldError) in try self.text(text, isLink: false) }
        }
        if !used.isEmpty { try filled.checkTexts("message") }
        return filled
    }

    /// Fills the placeholders of content.
    mutating func content(
        _ content: [String: LocalizedContent]
    ) throws(FieldError) -> [String: LocalizedContent] {
        var filled = content
        for (tag, content) in content {
            filled[tag] = try content.mapTexts { text, place throws(FieldError) in
                try self.text(text, isLink: place.isLink)
            }
        }
        return filled
    }

    /// Checks that every value has a placeholder.
    ///
    /// - Throws: ``FieldError`` naming the first without one.
    func checkUse() throws(FieldError) {
        if let unused = values.texts.keys.filter({ !used.contains($0) }).min() {
            throw FieldError(field: "\(field).\(unused)", problem: "must be missing: no text has a place for it")
        }
    }

    private mutating func text(_ text: String, isLink: Bool) throws(FieldError) -> String {
        guard PersonalText.mayHavePlaces(text), let read = try? PersonalText(text) else { return text }
        guard read.places.contains(where: { name(of: $0) != nil }) else { return text }
        for place in read.places {
            guard let name = name(of: place) else { continue }
            used.insert(name)
            guard values.texts[name] != nil || place.fallback != nil else {
                throw FieldError(field: "\(field).\(name)", problem: "is required")
            }
        }
        return read.filled { place in
            guard let name = name(of: place), let value = values.texts[name] ?? place.fallback else { return nil }
            let cut = place.cut(value)
            return isLink ? cut.percentEncoded : cut
        }.source
    }

    /// The path of the values in the request.
    private var field: String {
        switch source {
        case .request: "values"
        case .recipient: "recipientValues"
        }
    }

    /// The name of the value for a placeholder; `nil` when it has another source.
    private func name(of place: PersonalText.Place) -> String? {
        switch (source, place.field) {
        case (.request, .value(let name)), (.recipient, .recipient(let name)): name
        default: nil
        }
    }
}

extension String {
    /// The text in UTF-8 with all bytes but RFC 3986's unreserved ones as `%XX`, so that any value is one component of
    /// a link.
    package var percentEncoded: String {
        var encoded: [UInt8] = []
        for byte in utf8 { byte.appendPercentEncoded(to: &encoded) }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension UInt8 {
    /// Appends the byte, encoded for a link's path or query.
    package func appendPercentEncoded(to bytes: inout [UInt8]) {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            bytes.append(self)
        default:
            let digits: StaticString = "0123456789ABCDEF"
            bytes.append(UInt8(ascii: "%"))
            bytes.append(digits.utf8Start[Int(self >> 4)])
            bytes.append(digits.utf8Start[Int(self & 15)])
        }
    }
}
