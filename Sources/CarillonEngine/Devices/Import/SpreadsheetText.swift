/// Texts in files that people open with a spreadsheet, which takes what begins like a formula for one.
///
/// A quotation mark goes before such a text, as OWASP's page on CSV injection has it, and is taken off again.
package enum SpreadsheetText {
    /// The text for the file.
    package static func guarded(_ text: String) -> String { isDangerous(text[...]) ? "'" + text : text }

    /// The text that was meant.
    package static func bare(_ text: String) -> String {
        text.utf8.first == UInt8(ascii: "'") && isDangerous(text.dropFirst()) ? String(text.dropFirst()) : text
    }

    /// Also what is guarded already, so that both ways fit together.
    private static func isDangerous(_ text: Substring) -> Bool {
        switch text.utf8.first {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D: true
        case UInt8(ascii: "'"): isDangerous(text.dropFirst())
        default: false
        }
    }
}
