/// Where the text of a rule is not one, and what should stand there.
public struct AudienceTextError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// The character of the line, from 1.
    public var column: Int
    /// What was expected, or what is wrong with what stands there, in words.
    public var problem: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - line: The line, from 1.
    ///   - column: The character of the line, from 1.
    ///   - problem: What was expected, in words.
    public init(line: Int, column: Int, problem: String) {
        self.line = line
        self.column = column
        self.problem = problem
    }

    /// As `line 1, column 14: expected a value`.
    public var description: String { "line \(line), column \(column): \(problem)" }
}
