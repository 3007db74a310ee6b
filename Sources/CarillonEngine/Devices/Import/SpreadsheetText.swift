/// Texts in files that people open with a spreadsheet, which evaluates texts that look like formulas.
///
/// Such a text gets a quotation mark as a prefix, as OWASP's page on CSV injection recommends; reading removes it.
package enum SpreadsheetText {
    /// The text as written to the file.
    package static func guarded(_ text: String) -> String { isDangerous(text[...]) ? "'" + text : text }

    /// The original text.
    package static func bare(_ text: String) -> String {
        text.utf8.first == UInt8(ascii: "'") && isDangerous(text.dropFirst()) ? String(text.dropFirst()) : text
    }

    /// Also true for texts that are guarded already, so that both directions are consistent.
    private static func isDangerous(_ text: Substring) -> Bool {
        switch text.utf8.first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
        case UInt8(ascii: "'"): isDangerous(text.dropFirst())
        default: false
        }
    }
}
