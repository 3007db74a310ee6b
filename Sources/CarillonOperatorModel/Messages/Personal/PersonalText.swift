import CarillonModel

/// A text with placeholders that are filled for each Device: `Hello {{name | default: "you"}}`.
///
/// Between `{{` and `}}` there is a field of ``PersonalField``, then filters: `default: "…"` is used when the Device
/// has no value, `max: N` cuts a longer value to N characters. A quoted text is literal, so that `{{"{{"}}` writes two
/// braces. In a quoted text `\"`, `\\` and `\n` are a quote, a backslash and a line break.
package struct PersonalText: Hashable, Sendable {
    /// A part of a text.
    package enum Piece: Hashable, Sendable {
        case text(String)
        case place(Place)
    }

    /// A placeholder.
    package struct Place: Hashable, Sendable {
        package var field: PersonalField
        /// The default; with `nil` a Device without a value does not get the message.
        package var fallback: String?
        /// Maximum length of a value in characters, 1 through 256; `nil` for no limit.
        package var maximum: Int?

        package init(field: PersonalField, fallback: String? = nil, maximum: Int? = nil) {
            self.field = field
            self.fallback = fallback
            self.maximum = maximum
        }
    }

    /// A syntax error.
    package struct Problem: Error, Hashable, Sendable {
        /// The position of the character, from 1.
        package var position: Int
        /// A description of the error.
        package var words: String
    }

    package private(set) var pieces: [Piece]

    /// Whether a text may have placeholders; others are never parsed.
    package static func mayHavePlaces(_ text: String) -> Bool { text.utf8.hasDoubleBrace }

    /// Parses a text.
    ///
    /// - Throws: ``Problem`` with the position of the first error.
    package init(_ text: String) throws(Problem) {
        var reader = PersonalTextReader(text)
        pieces = try reader.pieces()
    }

    init(pieces: [Piece]) { self.pieces = pieces }

    /// The placeholders, in order.
    package var places: [Place] {
        pieces.compactMap { if case .place(let place) = $0 { place } else { nil } }
    }

    /// A text that parses to this one.
    package var source: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): Self.escaped(text)
            case .place(let place): place.source
            }
        }.joined()
    }

    /// The text with a sample value for every placeholder, to check whether it is a link; malformed texts are
    /// unchanged.
    static func sample(_ text: String) -> String {
        guard mayHavePlaces(text), let read = try? PersonalText(text) else { return text }
        return read.written { _ in "x" }
    }

    /// Quotes braces that would begin a placeholder, also together with the next one.
    private static func escaped(_ text: String) -> String {
        guard mayHavePlaces(text) || text.last == "{" else { return text }
        return text.map { $0 == "{" ? "{{\"{\"}}" : String($0) }.joined()
    }

    /// Fills some of the placeholders.
    ///
    /// - Parameter fill: The value of a placeholder; `nil` leaves it.
    /// - Returns: The text with the remaining placeholders.
    package func filled(_ fill: (Place) -> String?) -> PersonalText {
        var filled: [Piece] = []
        for piece in pieces {
            var piece = piece
            if case .place(let place) = piece, let text = fill(place) { piece = .text(text) }
            if case .text(let text) = piece, case .text(let before)? = filled.last {
                filled[filled.count - 1] = .text(before + text)
            } else {
                filled.append(piece)
            }
        }
        return PersonalText(pieces: filled)
    }

    /// The text with a value for every placeholder.
    package func written(_ write: (Place) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .place(let place): write(place)
            }
        }.joined()
    }
}

extension PersonalText.Place {
    fileprivate var source: String {
        var source = "{{" + field.name
        if let fallback { source += " | default: " + Self.quoted(fallback) }
        if let maximum { source += " | max: \(maximum)" }
        return source + "}}"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(character)
            }
        }
        return quoted + "\""
    }

    /// A value cut to the maximum length.
    ///
    /// A character may consist of any number of scalars; bytes are bounded too.
    package func cut(_ value: String) -> String {
        guard let maximum, value.count > maximum || value.utf8.count > 4 * maximum else { return value }
        var cut = ""
        for character in value.prefix(maximum) {
            guard cut.utf8.count + character.utf8.count <= 4 * maximum else { break }
            cut.append(character)
        }
        return cut
    }
}

extension Collection<UInt8> {
    fileprivate var hasDoubleBrace: Bool {
        var last: UInt8 = 0
        for byte in self {
            if byte == UInt8(ascii: "{"), last == byte { return true }
            last = byte
        }
        return false
    }
}
