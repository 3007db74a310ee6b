/// Terms of the full text search: words of scripts with spaces, and pairs of characters of those without.
///
/// Both databases index the same terms, so that both find the same rows. Their own full text searches differ, and
/// neither splits Chinese or Japanese.
package enum SearchTerms {
    /// Maximum number of terms of a row; what is behind them is not found.
    package static let maximumRowCount = 2_000
    /// Maximum number of terms of a query.
    package static let maximumQueryCount = 32
    /// Longest term in scalars; a longer word is cut off.
    private static let maximumLength = 40

    /// The terms of texts of a row.
    package static func terms(ofRow texts: some Sequence<String>) -> Set<String> {
        var terms: Set<String> = []
        for text in texts {
            scan(text) { word, isDense in
                guard terms.count < maximumRowCount else { return }
                if isDense {
                    // A single character is found too.
                    for scalar in word { terms.insert(String(scalar)) }
                    for pair in pairs(word) { terms.insert(pair) }
                } else {
                    terms.insert(joined(word))
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
            guard terms.count < maximumQueryCount else { return }
            if !isDense {
                terms.insert(joined(word))
            } else if word.count == 1 {
                terms.insert(joined(word))
            } else {
                for pair in pairs(word).prefix(maximumQueryCount) { terms.insert(pair) }
            }
        }
        return terms
    }

    // MARK: - Private

    private static func joined(_ scalars: [Unicode.Scalar]) -> String {
        String(String.UnicodeScalarView(scalars.prefix(maximumLength)))
    }

    private static func pairs(_ word: [Unicode.Scalar]) -> [String] {
        zip(word, word.dropFirst()).map { String(String.UnicodeScalarView([$0, $1])) }
    }

    /// Splits a text into runs of letters and digits, in lower case and without variants of width.
    private static func scan(_ text: String, _ body: (_ word: [Unicode.Scalar], _ isDense: Bool) -> Void) {
        var word: [Unicode.Scalar] = []
        var isWordDense = false
        func end() {
            if !word.isEmpty { body(word, isWordDense) }
            word.removeAll(keepingCapacity: true)
        }
        for scalar in text.unicodeScalars {
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

    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.properties.isAlphabetic || (0x30...0x39).contains(scalar.value) }
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || scalar.properties.generalCategory == .nonspacingMark
    }

    /// Lower case; full-width letters and digits as the usual ones; 臺 as 台, which are one word in Taiwan.
    private static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        if scalar.isASCII {
            return [scalar.properties.isUppercase ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar]
        }
        if (0xFF01...0xFF5E).contains(scalar.value), let plain = Unicode.Scalar(scalar.value - 0xFEE0) {
            return folded(plain)
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
