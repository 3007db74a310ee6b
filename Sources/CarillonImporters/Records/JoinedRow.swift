package import CarillonModel

/// A row with tokens, and the person's half if there is one.
package struct JoinedRow: Hashable, Sendable {
    /// The line on which the row with the tokens begins, from 1.
    package var line: Int
    /// What that row has.
    package var members: [String: JSONValue]
    /// What the other half has; `nil` when there is none.
    package var person: [String: JSONValue]?

    package init(line: Int, members: [String: JSONValue], person: [String: JSONValue]?) {
        self.line = line
        self.members = members
        self.person = person
    }
}
