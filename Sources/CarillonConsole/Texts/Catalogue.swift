import Foundation

/// The texts of one language, from files of lines `key = text`.
///
/// A key is words with dots. A text has parameters in braces, `{name}`. A text that depends on a number is two keys, which
/// end in `.one` and `.other`; languages without a singular have the second alone.
struct Catalogue: Sendable {
    /// Why a file cannot be used.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The texts by key.
    let texts: [String: String]

    /// Reads a file.
    ///
    /// - Parameter file: Its text; empty lines and those that begin with `#` are ignored.
    /// - Throws: ``Failure`` for a line without `=`, and for a key that comes twice.
    init(_ file: String) throws(Failure) {
        var texts: [String: String] = [:]
        for line in file.split(separator: "\n") where !line.hasPrefix("#") {
            guard let equals = line.firstRange(of: " = ") else {
                throw Failure(description: "A line is no `key = text`: \(line)")
            }
            let key = String(line[..<equals.lowerBound])
            guard texts.updateValue(String(line[equals.upperBound...]), forKey: key) == nil else {
                throw Failure(description: "The key \(key) comes twice.")
            }
        }
        self.texts = texts
    }

    init(texts: [String: String]) { self.texts = texts }

    /// Reads all files of a language.
    init(of language: Language) throws {
        try self.init(try Resources.joined("texts/\(language.rawValue)", type: "txt"))
    }

    /// The same texts with accents and 40 % longer, in brackets.
    var pseudo: Catalogue { Catalogue(texts: texts.mapValues(Self.pseudo)) }

    private static func pseudo(_ text: String) -> String {
        let accents: [Character: Character] = [
            "a": "á", "e": "é", "i": "í", "o": "ó", "u": "ú", "c": "ç", "n": "ñ", "y": "ý", "A": "Á", "E": "É",
            "I": "Í",
            "O": "Ó", "U": "Ú", "S": "Š",
        ]
        var isParameter = false
        let changed = text.map { character in
            if character == "{" { isParameter = true }
            if character == "}" { isParameter = false }
            return isParameter ? character : accents[character] ?? character
        }
        let words = Array(repeating: "lorem", count: (text.count * 2 / 5 + 5) / 6).joined(separator: " ")
        return "[" + String(changed) + (words.isEmpty ? "" : " " + words) + "]"
    }
}
