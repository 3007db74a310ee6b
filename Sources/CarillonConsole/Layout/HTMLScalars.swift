import Mustache

/// Escapes text for HTML, scalar by scalar.
///
/// Mustache's own escaping looks at whole characters: a quote with an accent above it is another character for it, and a
/// quote for a browser.
struct HTMLScalars: MustacheContentType {
    private static let name = "SCALARS"
    /// What a template begins with, so that its values are escaped so.
    static let pragma = "{{% CONTENT_TYPE:\(name)}}\n"

    /// Makes the pragma known.
    static func register() { MustacheContentTypes.register(HTMLScalars(), named: name) }

    func escapeText(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
