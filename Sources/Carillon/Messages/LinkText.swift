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

    /// Whether the system may open a link for the app, without asking the person.
    ///
    /// - Parameters:
    ///   - url: The link.
    ///   - schemes: Those that the app allows, `nil` for all; what runs script or reads the phone's files is never opened.
    /// - Returns: Whether it is opened.
    static func mayOpen(_ url: URL, schemes: Set<String>?) -> Bool {
        guard let scheme = url.scheme?.lowercased(), schemes?.contains(scheme) ?? true else { return false }
        return !["javascript", "data", "file", "about", "blob"].contains(scheme)
    }

    /// The schemes that an app's links may have unless it says otherwise: the web's, those that the app itself is
    /// registered for (`CFBundleURLTypes`), and those that it lists as `CarillonLinkSchemes`.
    ///
    /// - Parameter info: The app's Info.plist.
    /// - Returns: The schemes in lower case.
    static func schemes(info: [String: Any]) -> Set<String> {
        let types = info["CFBundleURLTypes"] as? [[String: Any]] ?? []
        let own = types.flatMap { $0["CFBundleURLSchemes"] as? [String] ?? [] }
        let listed = info["CarillonLinkSchemes"] as? [String] ?? []
        return Set((["http", "https"] + own + listed).map { $0.lowercased() })
    }
}
