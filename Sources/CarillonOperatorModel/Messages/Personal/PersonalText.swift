import CarillonModel

/// A text with places that every Device fills for itself: `Hello {{name | default: "you"}}`.
///
/// Between `{{` and `}}` stands a field of ``PersonalField``, then filters: `default: "…"` is written where the Device
/// has no value, `max: N` cuts a longer value to N characters. A text in quotes stands for itself, so that `{{"{{"}}`
/// writes two braces. In a quoted text `\"`, `\\` and `\n` are a quote, a backslash and a line break.
package struct PersonalText: Hashable, Sendable {
    /// A part of a text.
    package enum Piece: Hashable, Sendable {
        case text(String)
        case place(Place)
    }

    /// What stands between `{{` and `}}`.
    package struct Place: Hashable, Sendable {
        package var field: PersonalField
        /// What is written where there is no value; `nil`: the Device does not get the message.
        package var fallback: String?
        /// The most characters of a value, 1 through 256; `nil` writes all of it.
        package var maximum: Int?

        package init(field: PersonalField, fallback: String? = nil, maximum: Int? = nil) {
            self.field = field
            self.fallback = fallback
            self.maximum = maximum
        }
    }

    /// Why a text cannot be read.
    package struct Problem: Error, Hashable, Sendable {
        /// At which character, counted from 1.
        package var position: Int
        /// What is wrong there, in words.
        package var words: String
    }

    package private(set) var pieces: [Piece]

    /// Whether a text may have places: what does not is left alone and never read.
    package static func mayHavePlaces(_ text: String) -> Bool { text.utf8.hasDoubleBrace }

    /// Reads a text.
    ///
    /// - Throws: ``Problem`` with the place of the first mistake.
    package init(_ text: String) throws(Problem) {
        var reader = PersonalTextReader(text)
        pieces = try reader.pieces()
    }

    init(pieces: [Piece]) { self.pieces = pieces }

    /// The places, in their order.
    package var places: [Place] {
        pieces.compactMap { if case .place(let place) = $0 { place } else { nil } }
    }

    /// The text that reads as this one.
    package var source: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): Self.escaped(text)
            case .place(let place): place.source
            }
        }.joined()
    }

    /// The text with something that stands for every place, to see whether it is a link; texts that cannot be read stay.
    static func sample(_ text: String) -> String {
        guard mayHavePlaces(text), let read = try? PersonalText(text) else { return text }
        return read.written { _ in "x" }
    }

    /// Braces are quoted where they, or they and the place after them, would begin a place.
    private static func escaped(_ text: String) -> String {
        guard mayHavePlaces(text) || text.last == "{" else { return text }
        return text.map { $0 == "{" ? "{{\"{\"}}" : String($0) }.joined()
    }

    /// Fills some of the places.
    ///
    /// - Parameter fill: What stands in a place; `nil` leaves it.
    /// - Returns: The text with what is left.
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

    /// The text with something written in every place.
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

    /// A value as it is written: cut to the most characters it may have here.
    ///
    /// A character may join any number of scalars; bytes are bounded too, so that no value is larger than it looks.
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
