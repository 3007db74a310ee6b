import Foundation

/// Terms of the full text search: words of scripts with spaces, and pairs of characters of those without.
///
/// Both databases index the same terms, so that both find the same rows. Their own full text searches differ, and
/// neither splits Chinese or Japanese.
package enum SearchTerms {
    /// Maximum number of terms of a row; what is behind them is not found.
    package static let maximumRowCount = 2_000
    /// Maximum number of terms of a query; what is behind them is not looked for.
    package static let maximumQueryCount = 32
    /// Longest term in scalars; a longer word is cut off.
    private static let maximumLength = 40

    /// The terms of texts of a row.
    package static func terms(ofRow texts: some Sequence<String>) -> Set<String> {
        var terms: Set<String> = []
        for text in texts {
            scan(text) { word, isDense in
                guard isDense else { return add(joined(word), to: &terms, upTo: maximumRowCount) }
                for (place, scalar) in word.enumerated() where terms.count < maximumRowCount {
                    // A single character is found too.
                    add(String(scalar), to: &terms, upTo: maximumRowCount)
                    guard place + 1 < word.count else { continue }
                    add(pair(scalar, word[place + 1]), to: &terms, upTo: maximumRowCount)
                }
            }
            if terms.count >= maximumRowCount { break }
        }
        return terms
    }

    /// The terms that a row must have, all of them, for a query.
    ///
    /// - Returns: Empty when the query has no letters and digits.
    package static func terms(ofQuery query: String) -> Set<String> {
        var terms: Set<String> = []
        scan(query) { word, isDense in
            guard isDense, word.count > 1 else { return add(joined(word), to: &terms, upTo: maximumQueryCount) }
            for (first, second) in zip(word, word.dropFirst()) {
                add(pair(first, second), to: &terms, upTo: maximumQueryCount)
            }
        }
        return terms
    }

    // MARK: - Private

    private static func add(_ term: String, to terms: inout Set<String>, upTo limit: Int) {
        if terms.count < limit { terms.insert(term) }
    }

    private static func joined(_ scalars: [Unicode.Scalar]) -> String {
        String(String.UnicodeScalarView(scalars.prefix(maximumLength)))
    }

    private static func pair(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> String {
        String(String.UnicodeScalarView([first, second]))
    }

    /// Splits a text into runs of letters and digits, in lower case and without variants of width and of composition.
    private static func scan(_ text: String, _ body: (_ word: [Unicode.Scalar], _ isDense: Bool) -> Void) {
        var word: [Unicode.Scalar] = []
        var isWordDense = false
        func end() {
            if !word.isEmpty { body(word, isWordDense) }
            word.removeAll(keepingCapacity: true)
        }
        for scalar in normalized(text).unicodeScalars {
            guard isOfWord(scalar) else {
                end()
                continue
            }
            let dense = isDense(scalar)
            if dense != isWordDense { end() }
            isWordDense = dense
            word.append(contentsOf: folded(scalar))
        }
        end()
    }

    /// The text in NFKC, which one of ASCII is already.
    private static func normalized(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        // Marks of half width are composed with the character before them in a second step.
        return text.precomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping
    }

    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.properties.isAlphabetic || (0x30...0x39).contains(scalar.value) }
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || scalar.properties.generalCategory == .nonspacingMark
    }

    /// Lower case; 臺 as 台, which are one word in Taiwan.
    private static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        if scalar.isASCII {
            return [scalar.properties.isUppercase ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar]
        }
        if scalar == "臺" { return ["台"] }
        return Array(scalar.properties.lowercaseMapping.unicodeScalars)
    }

    /// Whether its script has no spaces between words: Han, Kana, Hangul syllables too (whose words have endings), Thai,
    /// Lao, Khmer, Burmese.
    private static func isDense(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x3007, 0x3040...0x30FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
