/// A piece of HTML.
///
/// Interpolated text is escaped; only literals and other pieces are markup.
///
/// Requests contain arbitrary bytes that must never become markup. The type guarantees this.
struct HTML: ExpressibleByStringInterpolation, Hashable, Sendable {
    private(set) var text: String

    static let empty: HTML = ""

    init(stringLiteral markup: String) {
        text = markup
    }

    init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
    }

    static func joined(_ pieces: some Sequence<HTML>) -> HTML {
        "\(Array(pieces))"
    }

    /// Escapes text for elements and quoted attributes.
    ///
    /// Invisible characters, and those that change the direction of text, are written as escapes.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case _ where isInvisible(scalar): escaped += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Controls; the marks, overrides and isolates of bidirectional text (UAX #9); the byte order mark.
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}

extension HTML {
    /// Builds a piece.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate(set) var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        mutating func appendInterpolation(_ piece: HTML) {
            text += piece.text
        }

        mutating func appendInterpolation(_ pieces: [HTML]) {
            for piece in pieces {
                text += piece.text
            }
        }

        mutating func appendInterpolation(_ value: String) {
            text += HTML.escaped(value)
        }

        mutating func appendInterpolation(_ value: some BinaryInteger) {
            text += String(value)
        }
    }

    typealias StringInterpolation = Interpolation
}
