public import CarillonModel

/// The result for a list of Users who get or lose a tag: the answer of `POST /v1/tags/{tag}/user-list`.
public struct TagListResult: Hashable, Sendable, Codable {
    /// Lines with something in them.
    public var lines: Int
    /// Users who got or lost the tag.
    public var changed: Int
    /// Users who had it already, or had it not.
    public var unchanged: Int
    /// Lines that changed nobody, in the order of the list.
    public var problems: [TagListProblem]

    /// Creates a result.
    public init(lines: Int = 0, changed: Int = 0, unchanged: Int = 0, problems: [TagListProblem] = []) {
        (self.lines, self.changed, self.unchanged, self.problems) = (lines, changed, unchanged, problems)
    }
}

/// A line of a list that changed nobody.
public struct TagListProblem: Hashable, Sendable, Codable {
    /// Why a line changed nobody.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// Nobody registered with the id.
        case unknown
        /// It is no id of a User.
        case malformed
        /// The User has 16 tags already.
        case tooManyTags
        /// More Devices share the id than a person has.
        case tooManyDevices
    }

    /// Which of the lines with something in them it is, from 1 on.
    public var line: Int
    /// The id; of what is no id the first 64 characters.
    public var user: String
    /// Why it changed nobody.
    public var reason: Reason

    /// Creates a problem.
    public init(line: Int, user: String, reason: Reason) {
        (self.line, self.user, self.reason) = (line, user, reason)
    }
}

/// The body of `POST /v1/tags/{tag}/merge`.
public struct TagMergeRequest: Hashable, Sendable, Codable {
    /// The tag that its Users get in the place of the other.
    public var into: TagID

    /// Creates a request.
    public init(into: TagID) { self.into = into }

    enum CodingKeys: CodingKey {
        case into
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        into = try Fields<CodingKeys>(decoder).required(.into, as: TagID.self)
    }
}

/// How far a tag is merged into another: the answer of `POST /v1/tags/{tag}/merge`.
public struct TagMerge: Hashable, Sendable, Codable {
    /// Users who got the other tag by this request.
    public var users: Int
    /// Whether all have it and the tag is gone; otherwise the same request goes on.
    public var isComplete: Bool

    /// Creates an answer.
    public init(users: Int, isComplete: Bool) { (self.users, self.isComplete) = (users, isComplete) }
}
