/// Texts with HTML markup, which phones would show verbatim.
enum HTMLText {
    /// Removes markup: tags and comments are deleted, `<br>` and the end of a paragraph become line breaks, the five
    /// entities of XML, `&nbsp;` and numeric ones become characters.
    ///
    /// Text that is not a tag, such as `a < b`, stays.
    static func plain(_ html: String) -> String {
        guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return html }
        var plain = ""
        var rest = html[...]
        while let first = rest.first {
            if first == "<", let tag = tag(rest) {
                plain += tag.text
                rest = rest[tag.end...]
            } else if first == "&", let entity = entity(rest) {
                plain += entity.text
                rest = rest[entity.end...]
            } else {
                plain.append(first)
                rest.removeFirst()
            }
        }
        return plain
    }

    private static func tag(_ text: Substring) -> (text: String, end: String.Index)? {
        if text.hasPrefix("<!--") {
            var rest = text
            while !rest.isEmpty {
                if rest.hasPrefix("-->") { return ("", rest.index(rest.startIndex, offsetBy: 3)) }
                rest.removeFirst()
            }
            return nil
        }
        let inside = text.dropFirst()
        let name = inside.drop { $0 == "/" }.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard name.first?.isLetter == true, let end = inside.firstIndex(of: ">"),
            !inside[..<end].contains("<")
        else { return nil }
        let isClosing = inside.first == "/"
        let breaks = name.lowercased() == "br" || (isClosing && name.lowercased() == "p")
        return (breaks ? "\n" : "", text.index(after: end))
    }

    private static func entity(_ text: Substring) -> (text: String, end: String.Index)? {
        guard let end = text.prefix(12).firstIndex(of: ";") else { return nil }
        let name = text[text.index(after: text.startIndex)..<end]
        let character: String? =
            switch name {
            case "amp": "&"
            case "lt": "<"
            case "gt": ">"
            case "quot": "\""
            case "apos": "'"
            case "nbsp": "\u{A0}"
            default: numbered(name)
            }
        return character.map { ($0, text.index(after: end)) }
    }

    /// `#NNN` or `#xHHH`; control characters other than line breaks and tabs are invalid.
    private static func numbered(_ name: Substring) -> String? {
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        guard let number = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(number),
            scalar.properties.generalCategory != .control || scalar == "\n" || scalar == "\t"
        else { return nil }
        return String(Character(scalar))
    }
}
