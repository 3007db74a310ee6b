/// Parses a text with placeholders, character by character.
struct PersonalTextReader {
    /// Maximum number of placeholders in one text.
    private static let maximumPlaces = 16
    /// Maximum length of a default in characters.
    private static let maximumFallback = 256

    private let characters: [Character]
    private var position = 0
    private var count = 0

    init(_ text: String) { characters = Array(text) }

    mutating func pieces() throws(PersonalText.Problem) -> [PersonalText.Piece] {
        var pieces: [PersonalText.Piece] = []
        var text = ""
        while position < characters.count {
            guard isNext("{{") else {
                text.append(characters[position])
                position += 1
                continue
            }
            let start = position
            position += 2
            skipBlanks()
            if isNext("\"") {
                text += try quoted()
                skipBlanks()
                try close(start)
                continue
            }
            if !text.isEmpty { pieces.append(.text(text)) }
            text = ""
            pieces.append(.place(try place(from: start)))
        }
        if !text.isEmpty { pieces.append(.text(text)) }
        return pieces
    }

    // MARK: - Private

    private func problem(_ words: String, at place: Int? = nil) -> PersonalText.Problem {
        PersonalText.Problem(position: (place ?? position) + 1, words: words)
    }

    private func isNext(_ text: String) -> Bool {
        var index = position
        for character in text {
            guard index < characters.count, characters[index] == character else { return false }
            index += 1
        }
        return true
    }

    private mutating func skipBlanks() {
        while position < characters.count, characters[position].isWhitespace { position += 1 }
    }

    private mutating func close(_ start: Int) throws(PersonalText.Problem) {
        guard position < characters.count else { throw problem("{{ is never closed by }}", at: start) }
        guard isNext("}}") else { throw problem("}} or | is expected") }
        position += 2
    }

    private mutating func place(from start: Int) throws(PersonalText.Problem) -> PersonalText.Place {
        count += 1
        guard count <= Self.maximumPlaces else {
            throw problem("a text may have at most \(Self.maximumPlaces) places", at: start)
        }
        let nameStart = position
        let name = word()
        guard let field = PersonalField(Substring(name)) else {
            throw problem(
                "\(name.isEmpty ? "a name" : "a known name in place of " + name.prefix(32)) is expected: "
                    + "name, attribute.NAME, value.NAME, recipient.NAME, user, "
                    + PersonalField.DeviceWord.allCases.map(\.rawValue).joined(separator: ", ") + ", "
                    + PersonalField.ConsentWord.allCases.map { "consent." + $0.rawValue }.joined(separator: ", "),
                at: nameStart
            )
        }
        var place = PersonalText.Place(field: field)
        skipBlanks()
        while isNext("|") {
            position += 1
            skipBlanks()
            try filter(&place)
            skipBlanks()
        }
        try close(start)
        return place
    }

    private mutating func filter(_ place: inout PersonalText.Place) throws(PersonalText.Problem) {
        let start = position
        let name = word()
        guard name == "default" || name == "max" else { throw problem("default or max is expected", at: start) }
        skipBlanks()
        guard isNext(":") else { throw problem(": is expected") }
        position += 1
        skipBlanks()
        if name == "default" {
            guard place.fallback == nil else { throw problem("default may occur once", at: start) }
            place.fallback = try quoted()
        } else {
            guard place.maximum == nil else { throw problem("max may occur once", at: start) }
            let numberStart = position
            guard let number = Int(word()), (1...256).contains(number) else {
                throw problem("a number from 1 through 256 is expected", at: numberStart)
            }
            place.maximum = number
        }
    }

    /// Letters, digits, dots, underscores and hyphens.
    private mutating func word() -> String {
        let start = position
        while position < characters.count, characters[position].isASCII,
            characters[position].isLetter || characters[position].isNumber || "._-".contains(characters[position])
        {
            position += 1
        }
        return String(characters[start..<position])
    }

    private mutating func quoted() throws(PersonalText.Problem) -> String {
        let start = position
        guard isNext("\"") else { throw problem("a text in quotes is expected") }
        position += 1
        var text = ""
        var length = 0
        while position < characters.count {
            var character = characters[position]
            position += 1
            if character == "\"" { return text }
            if character == "\\" {
                guard position < characters.count else { break }
                switch characters[position] {
                case "\"", "\\": character = characters[position]
                case "n": character = "\n"
                default: throw problem("\\\", \\\\ or \\n is expected", at: position - 1)
                }
                position += 1
            }
            length += 1
            guard length <= Self.maximumFallback else {
                throw problem("a text in quotes may have at most \(Self.maximumFallback) characters", at: start)
            }
            text.append(character)
        }
        throw problem("a text in quotes is never closed", at: start)
    }
}
