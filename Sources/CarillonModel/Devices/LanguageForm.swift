/// The form of a language tag that a Device reports.
package enum LanguageForm {
    /// What a language must be.
    package static let problem = "must be a BCP 47 language tag, such as ja or zh-Hant-TW"

    /// Whether a tag has the form of RFC 5646, section 2.1: 2 through 8 letters, or one such as `x` with more to follow,
    /// then 1 through 8 letters and digits after each hyphen.
    ///
    /// An underscore counts as a hyphen, as in the selection of a message's language: `ja_JP` is a system's own form.
    package static func matches(_ tag: String) -> Bool {
        let parts = tag.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard let first = parts.first, first.allSatisfy(\.isLetter) else { return false }
        guard (2...8).contains(first.count) || (parts.count > 1 && first.count == 1) else { return false }
        return parts.dropFirst().allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { $0.isLetter || (0x30...0x39).contains($0) }
        }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
