import CarillonBytes

/// Cursors of lists whose keys are texts of any characters.
package enum TextCursor {
    /// The cursor of a page that ends with a key.
    static func cursor(of text: String) -> String { Base64URL.encode(text.utf8) }

    /// Parses a cursor; `nil` when it is malformed.
    package static func text(of cursor: some StringProtocol) -> String? {
        Base64URL.decode(String(cursor).utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
