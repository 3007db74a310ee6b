import CarillonAccountModel
package import CarillonModel
import Foundation

/// The name that a person signs in with.
///
/// Two names that differ only in case, in width or in how Unicode composes their characters are one: ``key`` is unique
/// in an App. The name is stored as it was written, since a vendor's apps salt the password with its bytes.
package struct AccountName: Hashable, Sendable {
    /// The name as the person wrote it.
    package let text: String
    /// What is unique: compatibility composed (NFKC), in lower case.
    package let key: String

    /// Checks a name.
    ///
    /// - Parameters:
    ///   - text: 1 through 128 characters, without space at either end, without control, invisible and unassigned
    ///     characters, and with letters of only one of the scripts Latin, Greek and Cyrillic, which look alike.
    ///   - field: The name of the field, for errors.
    /// - Throws: ``FieldError`` saying what the name must be.
    package init(_ text: String, field: String = "name") throws(FieldError) {
        if let problem = Self.problem(of: text) { throw FieldError(field: field, problem: problem) }
        self.text = text
        key = Self.key(of: text)
    }

    /// Wraps what a sign-in names, which may be no account's name.
    ///
    /// Letters of several scripts are no reason: a name that was accepted once is found, whatever the rule for new ones.
    ///
    /// - Returns: `nil` when no account can have such a name.
    package init?(named text: String) {
        guard Self.formProblem(of: text) == nil else { return nil }
        self.text = text
        key = Self.key(of: text)
    }

    /// Wraps a stored name.
    package init(stored text: String, key: String) {
        self.text = text
        self.key = key
    }

    /// The name that others see unless the person chose one: what stands before `@`, and there before the first dot.
    package var display: String {
        let address = text.split(separator: "@", omittingEmptySubsequences: false).first ?? ""
        let isAddress = address.count < text.count
        let part = isAddress ? address.split(separator: ".").first ?? "" : address
        let shown = (part.isEmpty ? Substring(text) : part).prefix(AccountLimits.displayNames.upperBound)
        // The cut, or what stands before the at sign, may end in a space.
        let end = shown.lastIndex { !$0.isWhitespace } ?? shown.startIndex
        return String(shown[...end])
    }

    /// Maximum length of a key in bytes of UTF-8.
    package static let keyBytes = 4 * AccountLimits.names.upperBound

    /// How the key of a name that begins so begins; for lists.
    package static func key(of text: String) -> String {
        let composed = text.precomposedStringWithCompatibilityMapping
        let lower = composed.lowercased().replacingOccurrences(of: "ς", with: "σ")
        return lower.precomposedStringWithCompatibilityMapping
    }

    private static func problem(of text: String) -> String? {
        if let problem = formProblem(of: text) { return problem }
        return mixesScripts(text) ? "must not mix Latin, Greek and Cyrillic letters" : nil
    }

    private static func formProblem(of text: String) -> String? {
        if let problem = TextLimit(AccountLimits.names).problem(of: text, allowsLineBreaks: false) { return problem }
        let scalars = text.unicodeScalars
        if scalars.first?.properties.isWhitespace == true || scalars.last?.properties.isWhitespace == true {
            return "must not begin or end with a space"
        }
        if scalars.contains(where: \.isUnfit) { return "must not have invisible or unassigned characters" }
        // What composes to more characters than a key may have, or to a space at an end.
        let key = key(of: text)
        if key.utf8.count > Self.keyBytes { return "must have at most \(AccountLimits.names.upperBound) characters" }
        let ends = [key.unicodeScalars.first, key.unicodeScalars.last]
        return key.isEmpty || ends.contains { $0?.properties.isWhitespace == true }
            ? "must not begin or end with a space" : nil
    }

    /// Whether letters are of several scripts, also those whose script shows once they are composed, such as `𝐚`.
    ///
    /// Signs are no letters, also those that compose to some: `№`, `™` and `㎏` stand beside any script.
    private static func mixesScripts(_ text: String) -> Bool {
        var letters = String.UnicodeScalarView()
        letters.append(
            contentsOf: text.unicodeScalars.lazy.filter { $0.properties.isAlphabetic && !$0.isOfAnyScript }
        )
        let composed = String(letters).precomposedStringWithCompatibilityMapping
        return Set(composed.unicodeScalars.compactMap(\.confusableScript)).count > 1
    }
}

/// Scripts whose letters look alike.
private enum ConfusableScript: Hashable { case latin, greek, cyrillic }

extension Unicode.Scalar {
    /// Whether nobody sees the character, or what it is depends on the font.
    fileprivate var isUnfit: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether it is in use with letters of any script: the micro sign and the ordinals.
    fileprivate var isOfAnyScript: Bool { value == 0xAA || value == 0xB5 || value == 0xBA }

    /// The script of a composed letter, when letters of others look like it.
    fileprivate var confusableScript: ConfusableScript? {
        guard properties.isAlphabetic else { return nil }
        switch value {
        case 0x41...0x2AF, 0x1D00...0x1D25, 0x1D6B...0x1D77, 0x1D79...0x1D9A, 0x1E00...0x1EFF, 0x2C60...0x2C7F,
            0xA720...0xA7FF, 0xAB30...0xAB64, 0x1DF00...0x1DFFF:
            return .latin
        case 0x370...0x3FF, 0x1D26...0x1D2A, 0x1F00...0x1FFF, 0xAB65: return .greek
        case 0x400...0x52F, 0x1C80...0x1C8F, 0x1D2B, 0x1D78, 0x2DE0...0x2DFF, 0xA640...0xA69F: return .cyrillic
        default: return nil
        }
    }
}
