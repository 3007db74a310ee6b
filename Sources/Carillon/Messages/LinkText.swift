package import Foundation

/// Makes URLs of links as people write them.
package enum LinkText {
    /// Makes a URL of a text that may have non-ASCII characters, which older systems do not accept in URLs.
    package static func url(_ text: String) -> URL? {
        guard !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let url = URL(string: text) { return url }
        // Existing escapes stay as they are.
        let allowed = CharacterSet(charactersIn: Unicode.Scalar(0x21)...Unicode.Scalar(0x7E))
            .subtracting(CharacterSet(charactersIn: "\"<>\\^`{|}"))
        return text.addingPercentEncoding(withAllowedCharacters: allowed).flatMap { URL(string: $0) }
    }

    /// Whether the SDK may open a link without asking the person.
    ///
    /// - Parameters:
    ///   - url: The link.
    ///   - schemes: The schemes that the app allows, `nil` for all; those that run scripts or read files are never allowed.
    /// - Returns: Whether it may.
    static func mayOpen(_ url: URL, schemes: Set<String>?) -> Bool {
        guard let scheme = url.scheme?.lowercased(), schemes?.contains(scheme) ?? true else { return false }
        return !["javascript", "data", "file", "about", "blob"].contains(scheme)
    }

    /// The default schemes of an app's links: the web's, those that the app itself is registered for (`CFBundleURLTypes`),
    /// and those that it lists as `CarillonLinkSchemes`.
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
