import Foundation

/// Makes URLs of texts as people write them.
enum LinkText {
    /// A URL of a text that may have letters of any language in it.
    ///
    /// Older systems make none of such a text; newer ones do by themselves.
    static func url(_ text: String) -> URL? {
        guard !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let url = URL(string: text) { return url }
        // Escapes that are there stay as they are.
        let allowed = CharacterSet(charactersIn: Unicode.Scalar(0x21)...Unicode.Scalar(0x7E))
            .subtracting(CharacterSet(charactersIn: "\"<>\\^`{|}"))
        return text.addingPercentEncoding(withAllowedCharacters: allowed).flatMap { URL(string: $0) }
    }

    /// Whether the system may open a link for the app: none that runs script or reads the phone's files.
    static func isSafe(_ url: URL) -> Bool {
        guard let scheme = url.scheme?.lowercased() else { return false }
        return !["javascript", "data", "file", "about", "blob"].contains(scheme)
    }
}
