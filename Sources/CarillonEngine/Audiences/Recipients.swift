package import CarillonBytes
package import CarillonModel

/// The devices of a chunk as they were when it was read, in columns: nothing is allocated for a single one of them.
package struct Recipients: Sendable {
    package private(set) var numbers: [DeviceNumber] = []
    package private(set) var pushTypes: [PushType] = []
    package private(set) var consents: [ConsentBits] = []
    /// Numbers of ``languageTags``.
    package private(set) var languages: [UInt16] = []
    /// Numbers of ``zoneNames``.
    package private(set) var zones: [UInt16] = []
    /// How often it was tried before.
    package private(set) var attempts: [UInt8] = []
    /// Whether no notification to the token was taken yet.
    package private(set) var unconfirmed: [Bool] = []
    /// The device tokens' bytes; none for a device that has no active token (any more).
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

    /// Adds all rows of another chunk.
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

    /// Those of the rows that are to be kept.
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
