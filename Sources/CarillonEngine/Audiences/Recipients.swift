package import CarillonBytes
package import CarillonModel

/// The Devices of a Chunk as they were read, in columns: no allocation per Device.
package struct Recipients: Sendable {
    package private(set) var numbers: [DeviceNumber] = []
    package private(set) var pushTypes: [PushType] = []
    package private(set) var consents: [ConsentBits] = []
    /// Indices into ``languageTags``.
    package private(set) var languages: [UInt16] = []
    /// Indices into ``zoneNames``.
    package private(set) var zones: [UInt16] = []
    /// The number of earlier attempts.
    package private(set) var attempts: [UInt8] = []
    /// Whether no notification to the token has been accepted yet.
    package private(set) var unconfirmed: [Bool] = []
    /// The device tokens' bytes; none for a Device without an active token.
    package private(set) var tokens = ByteColumn()
    package var languageTags = InternedTexts()
    package var zoneNames = InternedTexts()

    package init() {}

    package var count: Int { numbers.count }

    package mutating func reserve(_ count: Int) {
        numbers.reserveCapacity(count)
        pushTypes.reserveCapacity(count)
        consents.reserveCapacity(count)
        languages.reserveCapacity(count)
        zones.reserveCapacity(count)
        attempts.reserveCapacity(count)
        unconfirmed.reserveCapacity(count)
        tokens.reserveCapacity(count, byteCount: 32 * count)
    }

    /// Adds a row; texts and token are copied.
    package mutating func append(
        number: DeviceNumber,
        pushType: PushType,
        consent: ConsentBits,
        language: UnsafeRawBufferPointer,
        zone: UnsafeRawBufferPointer,
        token: UnsafeRawBufferPointer,
        attempts: UInt8 = 0,
        isUnconfirmed: Bool = false
    ) {
        numbers.append(number)
        pushTypes.append(pushType)
        consents.append(consent)
        languages.append(languageTags.number(of: language))
        zones.append(zoneNames.number(of: zone))
        self.attempts.append(attempts)
        unconfirmed.append(isUnconfirmed)
        tokens.append(token)
    }

    /// Adds all rows of another Chunk.
    package mutating func append(_ other: Recipients) {
        guard count > 0 else { return self = other }
        let languageNumbers = other.languageTags.texts.map { languageTags.number(of: $0) }
        let zoneNumbers = other.zoneNames.texts.map { zoneNames.number(of: $0) }
        numbers += other.numbers
        pushTypes += other.pushTypes
        consents += other.consents
        languages += other.languages.lazy.map { languageNumbers[Int($0)] }
        zones += other.zones.lazy.map { zoneNumbers[Int($0)] }
        attempts += other.attempts
        unconfirmed += other.unconfirmed
        tokens.append(contentsOf: other.tokens)
    }

    /// Returns the rows that satisfy a predicate.
    package func filtered(_ isKept: (Int) -> Bool) -> Recipients {
        var kept = Recipients()
        kept.languageTags = languageTags
        kept.zoneNames = zoneNames
        for row in 0..<count where isKept(row) {
            kept.numbers.append(numbers[row])
            kept.pushTypes.append(pushTypes[row])
            kept.consents.append(consents[row])
            kept.languages.append(languages[row])
            kept.zones.append(zones[row])
            kept.attempts.append(attempts[row])
            kept.unconfirmed.append(unconfirmed[row])
            kept.tokens.append(tokens[row])
        }
        return kept
    }
}

extension InternedTexts {
    fileprivate mutating func number(of text: String?) -> UInt16 {
        guard var text else { return 0 }
        return text.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
    }
}
