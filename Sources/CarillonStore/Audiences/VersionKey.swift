import CarillonOperatorModel

/// A text by which versions order as texts: the first four numbers of a version, of 18 digits each.
///
/// A version is the first run of digits, with further ones after dots; what stands before and after does not matter. Of
/// longer numbers the first 18 digits count.
package enum VersionKey {
    /// How many bytes a key has.
    package static let length = AudienceVersion.maximumCount * AudienceVersion.maximumDigits

    /// Writes the key of a version as a Device told it.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - key: Where to, ``length`` bytes.
    /// - Returns: False when there is no number.
    package static func write(_ text: UnsafeBufferPointer<UInt8>, into key: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        key.initialize(repeating: UInt8(ascii: "0"))
        guard var position = text.firstIndex(where: isDigit) else { return false }
        for place in 0..<AudienceVersion.maximumCount {
            let start = position
            while position < text.count, isDigit(text[position]) { position += 1 }
            let count = min(position - start, AudienceVersion.maximumDigits)
            let end = (place + 1) * AudienceVersion.maximumDigits
            for offset in 0..<count { key[end - count + offset] = text[start + offset] }
            guard position + 1 < text.count, text[position] == UInt8(ascii: "."), isDigit(text[position + 1]) else {
                break
            }
            position += 1
        }
        return true
    }

    /// The key of a version as a Device told it; `nil` when there is no number.
    package static func key(of text: String) -> String? {
        var text = text
        return text.withUTF8 { text in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { key in
                write(text, into: key) ? String(decoding: key, as: UTF8.self) : nil
            }
        }
    }

    static func key(of version: AudienceVersion) -> String { key(of: version.description) ?? "" }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
