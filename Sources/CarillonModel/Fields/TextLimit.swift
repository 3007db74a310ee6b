/// How long a text may be, in characters.
package struct TextLimit: Hashable, Sendable {
    /// The lengths that are allowed.
    package let lengths: ClosedRange<Int>

    package init(_ lengths: ClosedRange<Int>) { self.lengths = lengths }

    /// What is wrong with a text; `nil` when nothing is.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - allowsLineBreaks: Whether line breaks and tabs are allowed; no other control character is.
    /// - Returns: The allowed lengths or characters, such as `must have 1 through 64 characters`.
    package func problem(of text: String, allowsLineBreaks: Bool = true) -> String? {
        // Nearly all are plain ASCII, whose characters are bytes.
        if lengths.contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return nil }
        // A character may consist of many scalars; bytes are bounded too.
        guard lengths.contains(text.count), text.utf8.count <= 4 * lengths.upperBound else {
            return lengths.count == 1
                ? "must have \(lengths.lowerBound) characters"
                : "must have \(lengths.lowerBound) through \(lengths.upperBound) characters"
        }
        let isForbidden = { (scalar: Unicode.Scalar) in
            scalar.properties.generalCategory == .control
                && !(allowsLineBreaks && "\n\t\r".unicodeScalars.contains(scalar))
        }
        return text.unicodeScalars.contains(where: isForbidden) ? "must not have control characters" : nil
    }

    /// Checks the text of a field.
    ///
    /// - Throws: ``FieldError`` naming the field.
    package func check(_ text: String, field: String) throws(FieldError) {
        if let problem = problem(of: text) { throw FieldError(field: field, problem: problem) }
    }
}

extension String {
    /// The name in lower case with underscores: `os_version` for `osVersion`.
    package var snakeCased: String {
        reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
}
