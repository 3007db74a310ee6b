import Foundation

/// Words of texts, as the server's search splits them: those of letters and digits, and pairs of characters of scripts without
/// spaces.
enum TestKitTerms {
    static func ofQuery(_ text: String) -> Set<String> {
        var terms: Set<String> = []
        scan(text) { word, isDense in
            if isDense, word.count > 1 {
                terms.formUnion(pairs(word))
            } else {
                terms.insert(joined(word))
            }
        }
        return terms
    }

    static func ofRow(_ texts: [String]) -> Set<String> {
        var terms: Set<String> = []
        for text in texts {
            scan(text) { word, isDense in
                if isDense {
                    // A single character is found too.
                    terms.formUnion(word.map { String($0) })
                    terms.formUnion(pairs(word))
                } else {
                    terms.insert(joined(word))
                }
            }
        }
        return terms
    }

    private static func joined(_ word: [Unicode.Scalar]) -> String { String(String.UnicodeScalarView(word)) }

    private static func pairs(_ word: [Unicode.Scalar]) -> [String] {
        zip(word, word.dropFirst()).map { String(String.UnicodeScalarView([$0, $1])) }
    }

    private static func scan(_ text: String, _ body: ([Unicode.Scalar], Bool) -> Void) {
        let folded = text.precomposedStringWithCompatibilityMapping.lowercased()
        var (word, isWordDense) = ([Unicode.Scalar](), false)
        func end() {
            if !word.isEmpty { body(word, isWordDense) }
            word = []
        }
        for scalar in folded.unicodeScalars {
            guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else {
                end()
                continue
            }
            let isDense = isDense(scalar)
            if isDense != isWordDense { end() }
            isWordDense = isDense
            word.append(scalar == "臺" ? "台" : scalar)
        }
        end()
    }

    /// Whether its script has no spaces between words.
    private static func isDense(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x3007, 0x3040...0x30FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xAC00...0xD7AF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
