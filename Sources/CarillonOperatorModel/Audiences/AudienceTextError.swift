/// An error in the text of a rule.
public struct AudienceTextError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// The character of the line, from 1.
    public var column: Int
    /// What was expected, or what is wrong.
    public var problem: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - line: The line, from 1.
    ///   - column: The character in the line, from 1.
    ///   - problem: What was expected, or what is wrong.
    public init(line: Int, column: Int, problem: String) {
        self.line = line
        self.column = column
        self.problem = problem
    }

    /// For example `line 1, column 14: expected a value`.
    public var description: String { "line \(line), column \(column): \(problem)" }
}
