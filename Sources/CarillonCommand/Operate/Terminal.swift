import Foundation

/// What a terminal shows of texts that others wrote.
enum Terminal {
    /// A display attribute, by its number in ECMA-48 (SGR).
    enum Style: Int {
        case bold = 1
        case faint = 2
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// Whether standard output shows colours: a terminal does, unless `NO_COLOR` is set or it is `dumb`.
    static let hasColours = hasColours(
        isTerminal: isatty(STDOUT_FILENO) == 1,
        environment: ProcessInfo.processInfo.environment
    )

    /// https://no-color.org: a value that is not empty turns colours off.
    static func hasColours(isTerminal: Bool, environment: [String: String]) -> Bool {
        isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// A text with an attribute, where colours are shown.
    static func styled(_ text: String, _ style: Style?, hasColours: Bool = hasColours) -> String {
        guard hasColours, let style, !text.isEmpty else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }

    /// Escapes characters that a terminal would obey or that reorder text: in JSON's form, so that JSON stays valid.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - keepsLines: Whether line feeds stay.
    /// - Returns: The text, with each such character as `\u` and four digits.
    static func escaped(_ text: String, keepsLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if !isControl(scalar) || keepsLines && scalar == "\n" {
                escaped.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                escaped.append(
                    contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars
                )
            }
        }
        return String(escaped)
    }

    /// C0, DEL, C1, line and paragraph separators, and the controls of bidirectional text (UAX #9).
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0x061C: true
        default: false
        }
    }

    /// Writes a message to standard error.
    static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
