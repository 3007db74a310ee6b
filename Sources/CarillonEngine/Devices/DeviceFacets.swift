package import CarillonModel

/// The properties that rules use most, packed into a small number: consent, and the first letters of language and
/// country.
///
/// A store has it with each tag of a Device, to exclude most Devices that cannot match a rule before it reads their
/// rows. It cannot prove a match, since different Devices may have the same facets.
///
/// Bits 0 through 2 are ``ConsentBits``, 3 through 12 are the language's letters and 13 through 22 the country's.
package struct DeviceFacets: RawRepresentable, Hashable, Sendable {
    /// 0 through 8,388,607, which SQLite stores in three bytes.
    package var rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package init(consent: ConsentBits, language: String?, country: String?) {
        let language = language.flatMap(Self.letters) ?? 0
        let country = country.flatMap(Self.letters) ?? 0
        rawValue = Int64(consent.rawValue & 7) | language << Self.languageShift | country << Self.countryShift
    }

    package static let languageShift: Int64 = 3
    package static let countryShift: Int64 = 13
    /// The mask of two letters.
    package static let lettersMask: Int64 = 1 << 10 - 1

    /// Returns the first two letters of a text, in upper or lower case, as a number from 33 through 858.
    ///
    /// - Returns: `nil` when it does not begin with two letters from A through Z; such a text is stored as 0.
    package static func letters(_ text: String) -> Int64? {
        var letters: Int64 = 0
        var bytes = text.utf8.makeIterator()
        for _ in 0..<2 {
            guard let byte = bytes.next(), case let lower = byte | 0x20, (0x61...0x7A).contains(lower) else {
                return nil
            }
            letters = letters << 5 | Int64(lower - 0x60)
        }
        return letters
    }
}

extension Registration {
    package var facets: DeviceFacets {
        DeviceFacets(consent: ConsentBits(consent), language: language, country: country)
    }
}
