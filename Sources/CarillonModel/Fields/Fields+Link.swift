extension Fields {
    /// Reads a URL of at most 1,024 characters.
    ///
    /// Links are shown to people: a scheme that runs script or reads the phone's files is refused.
    ///
    /// - Parameters:
    ///   - key: The field.
    ///   - scheme: The only allowed scheme, if not any.
    ///   - sample: Converts a text with placeholders to a link to be checked.
    /// - Returns: The text; `nil` when it is missing.
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    package func link(
        _ key: Key,
        only scheme: String? = nil,
        sample: (String) -> String = { $0 }
    ) throws -> String? {
        guard let written = try text(key, 1...1_024) else { return nil }
        let text = sample(written)
        let found = text.prefix { $0 != ":" }.lowercased()
        let isScheme =
            found.count < text.count && found.first?.isLetter == true
            && found.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard isScheme, !text.contains(where: \.isWhitespace), !["javascript", "data", "file"].contains(found) else {
            throw failure(key, "must be a URL whose scheme is not javascript, data or file")
        }
        if let scheme, found != scheme { throw failure(key, "must be a URL that begins with \(scheme):") }
        return written
    }
}
