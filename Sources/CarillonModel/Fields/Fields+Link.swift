extension Fields {
    /// Reads a URL of at most 1,024 characters.
    ///
    /// - Parameters:
    ///   - key: The field.
    ///   - rule: The URLs that are allowed.
    ///   - sample: Converts a text with placeholders to a link to be checked.
    /// - Returns: The text; `nil` when it is missing.
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    package func link(
        _ key: Key,
        _ rule: LinkRule = LinkRule(),
        sample: (String) -> String = { $0 }
    ) throws -> String? {
        guard let text = try text(key, LinkRule.lengths) else { return nil }
        if let problem = rule.problem(of: sample(text)) { throw failure(key, problem) }
        return text
    }
}

/// Which URLs a field allows.
///
/// Links are shown to people: a scheme that runs script or reads the phone's files is refused.
package struct LinkRule: Hashable, Sendable {
    /// The allowed lengths in characters.
    package static let lengths = 1...1_024

    /// The only allowed scheme; any but the refused ones when missing.
    private let scheme: String?

    package init(only scheme: String? = nil) { self.scheme = scheme }

    /// What is wrong with a link without placeholders; `nil` when nothing is.
    package func problem(of link: String) -> String? {
        let found = link.prefix { $0 != ":" }.lowercased()
        let isScheme =
            found.count < link.count && found.first?.isLetter == true
            && found.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard isScheme, !link.contains(where: \.isWhitespace), !["javascript", "data", "file"].contains(found) else {
            return "must be a URL whose scheme is not javascript, data or file"
        }
        guard let scheme, found != scheme else { return nil }
        return "must be a URL that begins with \(scheme):"
    }
}
