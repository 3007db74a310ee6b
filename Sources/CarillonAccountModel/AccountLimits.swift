package import CarillonModel

/// The limits of what people choose for their accounts, and what operators choose for them.
public enum AccountLimits {
    /// Lengths of an account's name in characters.
    public static let names = 1...128
    /// Lengths of the name that others see, in characters.
    public static let displayNames = 1...64
    /// Lengths of a new password in characters.
    public static let newPasswords = 8...256
    /// Lengths of a password that is checked, in characters: an account of before may have a shorter one.
    public static let passwords = 1...256
    /// Maximum length of a password in bytes of UTF-8.
    public static let passwordBytes = 1_024

    /// What is wrong with a password; `nil` when nothing is.
    ///
    /// - Parameters:
    ///   - password: The password, which may have any characters.
    ///   - lengths: The allowed lengths in characters.
    /// - Returns: The allowed lengths.
    package static func problem(ofPassword password: String, _ lengths: ClosedRange<Int>) -> String? {
        // Bytes first: counting characters of a long text takes long.
        guard password.utf8.count > passwordBytes || !lengths.contains(password.count) else { return nil }
        return """
            must have \(lengths.lowerBound) through \(lengths.upperBound) characters, of at most \(passwordBytes) bytes
            """
    }

    /// What is wrong with the name that others see; `nil` when nothing is.
    ///
    /// Others read it beside names that they trust: it has one line, something to see, and no characters that reverse
    /// the text around it.
    ///
    /// - Parameter text: The name.
    /// - Returns: What it must or must not have.
    package static func problem(ofDisplayName text: String) -> String? {
        if let problem = TextLimit(displayNames).problem(of: text, allowsLineBreaks: false) { return problem }
        let scalars = text.unicodeScalars
        if scalars.contains(where: \.breaksLines) { return "must not have line breaks" }
        if scalars.contains(where: \.turnsText) { return "must not have characters that turn the direction of text" }
        let isBlank = scalars.allSatisfy {
            $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
        }
        return isBlank ? "must not be blank" : nil
    }
}

extension Unicode.Scalar {
    /// Whether text goes on in another line after it, though it is no control character.
    fileprivate var breaksLines: Bool {
        properties.generalCategory == .lineSeparator || properties.generalCategory == .paragraphSeparator
    }

    /// Whether it embeds, overrides or isolates a direction of text.
    fileprivate var turnsText: Bool { (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) }
}

extension Fields {
    /// Reads a password: any characters, of limited length in characters and bytes.
    package func password(_ key: Key, _ lengths: ClosedRange<Int>) throws -> String? {
        guard let text: String = try optional(key) else { return nil }
        if let problem = AccountLimits.problem(ofPassword: text, lengths) { throw failure(key, problem) }
        return text
    }

    /// Reads the name that others see.
    package func displayName(_ key: Key) throws -> String? {
        guard let text: String = try optional(key) else { return nil }
        if let problem = AccountLimits.problem(ofDisplayName: text) { throw failure(key, problem) }
        return text
    }
}
