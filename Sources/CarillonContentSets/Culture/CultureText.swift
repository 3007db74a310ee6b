import CarillonModel
import Foundation

/// Values as the Ministry of Culture's events have them.
enum CultureText {
    private static let host = "https://cloud.culture.tw"

    /// A text without blanks around it; `nil` for null and an empty one.
    static func text(_ value: JSONValue?) -> String? {
        let text: String? =
            switch value {
            case .string(let text): text
            case .integer(let number): String(number)
            default: nil
            }
        guard let trimmed = text?.trimmingCharacters(in: .whitespacesAndNewlines), !trimmed.isEmpty else { return nil }
        return trimmed
    }

    /// Names of organizers, which come as an array, as one text, or as null.
    static func units(_ value: JSONValue?) -> String? {
        guard let array = value?.array else { return text(value) }
        let names = array.compactMap { text($0) }
        return names.isEmpty ? nil : names.joined(separator: "、")
    }

    /// A time with hyphens, `2026-11-26 19:30:00`.
    static func time(_ value: JSONValue?) -> String? { text(value)?.replacingOccurrences(of: "/", with: "-") }

    /// A date with hyphens, without a time of day.
    static func date(_ value: JSONValue?) -> String? {
        guard let day = time(value)?.split(separator: " ").first, LocalTime.day(day) != nil else { return nil }
        return String(day)
    }

    /// The absolute address of a picture: a relative one is of the ministry's host, and a host that is there twice is there once.
    static func address(_ value: JSONValue?) -> String? {
        guard let text = text(value) else { return nil }
        if let last = text.range(of: "http", options: [.backwards, .caseInsensitive]),
            last.lowerBound > text.startIndex,
            text.lowercased().hasPrefix("http"), text[last.lowerBound...].contains("://"),
            !text[..<last.lowerBound].contains("?")
        {
            return String(text[last.lowerBound...])
        }
        if text.hasPrefix("//") { return "https:" + text }
        if text.hasPrefix("/") { return host + text }
        if text.contains("://") { return text }
        return text.hasPrefix("www.") ? "https://" + text : host + "/" + text
    }

    /// A number of degrees; `nil` for null, an empty text and 0, which mean that there is none.
    static func coordinate(_ value: JSONValue) -> JSONValue? {
        guard let number = value.number ?? value.string.flatMap({ Double($0.trimmingCharacters(in: .whitespaces)) }),
            number != 0
        else { return nil }
        return .number(number)
    }

    /// Whether nothing is paid: nothing is sold and there is no price, or the price says so.
    static func isFree(price: String, isSold: Bool) -> Bool {
        let words = ["免費", "免票", "自由入場", "自由參加"]
        let price = price.lowercased()
        return price.isEmpty ? !isSold : price == "0" || price == "free" || words.contains { price.contains($0) }
    }

    /// A text without tags of HTML, with its entities as characters.
    static func withoutMarkup(_ text: String) -> String {
        guard text.contains("<") || text.contains("&") else { return text }
        var plain = ""
        var rest = text[...]
        var hasEnd = true
        while let start = rest.firstIndex(where: { $0 == "<" || $0 == "&" }) {
            plain += rest[..<start]
            rest = rest[start...]
            if rest.first == "<" {
                // A tag begins with a letter, a slash or an exclamation mark; `<` before anything else is a sign.
                let isTag = rest.dropFirst().first.map { $0.isLetter || $0 == "/" || $0 == "!" } ?? false
                let end = isTag && hasEnd ? rest.firstIndex(of: ">") : nil
                // Nor has a later tag one: it is not looked for again.
                if isTag, end == nil { hasEnd = false }
                guard let end else {
                    plain.append("<")
                    rest = rest.dropFirst()
                    continue
                }
                let name = rest[..<end].dropFirst().lowercased()
                if name.hasPrefix("br") || name.hasPrefix("/p") || name.hasPrefix("/div") { plain.append("\n") }
                rest = rest[end...].dropFirst()
            } else {
                let (character, length) = entity(rest)
                plain.append(character)
                rest = rest.dropFirst(length)
            }
        }
        return (plain + rest).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The character of an entity at the start of a text, and how many characters it has.
    private static func entity(_ text: Substring) -> (Character, Int) {
        let named: [Substring: Character] = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ",
        ]
        let head = text.dropFirst().prefix(9)
        guard let end = head.firstIndex(of: ";") else { return ("&", 1) }
        let name = head[..<end]
        let length = name.count + 2
        if let character = named[name] { return (character, length) }
        guard name.hasPrefix("#") else { return ("&", 1) }
        let digits = name.dropFirst()
        let isHex = digits.first == "x" || digits.first == "X"
        guard let code = UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10),
            let scalar = Unicode.Scalar(code)
        else { return ("&", 1) }
        return (Character(scalar), length)
    }
}
