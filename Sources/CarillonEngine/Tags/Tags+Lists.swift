package import CarillonModel
package import CarillonOperatorModel

/// What happens to the Users of a list.
package enum TagListChange: String, Hashable, Sendable, CaseIterable {
    /// They get the tag.
    case add
    /// They lose it.
    case remove
}

/// The outcome of a User of a list.
package enum TagListOutcome: Hashable, Sendable {
    case changed
    /// The User had it already, or had it not.
    case unchanged
    /// Nobody registered with the id, and it has no tags.
    case unknown
    /// The User has 16 tags already.
    case tooManyTags
    /// More Devices share the id than a person has.
    case tooManyDevices
}

/// Reads a list of Users and changes their tags part by part.
///
/// It is used by one task; what was changed stays when a later part fails, and the same list can be given again.
package struct TagListReading {
    /// Maximum number of lines of a list.
    package static let maximumLines = 100_000
    /// Maximum length of a line in bytes: ids are shorter.
    private static let maximumLine = 4_096
    /// How many Users are changed in one transaction.
    private static let step = 100

    private let tags: Tags
    private let tag: TagID
    private let app: AppID
    private let change: TagListChange
    private var line: [UInt8] = []
    private var lines = 0
    private var waiting: [(line: Int, user: UserID)] = []
    private var result = TagListResult()

    init(_ tags: Tags, _ change: TagListChange, of tag: TagID, app: AppID) {
        (self.tags, self.change, self.tag, self.app) = (tags, change, tag, app)
    }

    /// Reads the next part of the list: UTF-8, one id a line; empty lines are passed over.
    ///
    /// - Parameter bytes: The part.
    /// - Throws: ``EngineError/invalid(_:)`` when the list has too many lines, or an endless one;
    ///   ``EngineError/notFound(_:)`` when there is no such tag.
    package mutating func read(_ bytes: some Sequence<UInt8>) async throws(EngineError) {
        for byte in bytes {
            if byte == 0x0A {
                try await end()
            } else if line.count < Self.maximumLine {
                line.append(byte)
            } else {
                throw .invalid(FieldError(field: "body", problem: "must have an id of a User in each line"))
            }
        }
    }

    /// Reads what is left.
    ///
    /// - Returns: The result.
    /// - Throws: As ``read(_:)``.
    package mutating func finish() async throws(EngineError) -> TagListResult {
        try await end()
        try await apply()
        result.lines = lines
        // A line without an id is known before the Users of earlier lines were changed.
        result.problems.sort { $0.line < $1.line }
        return result
    }

    // MARK: - Private

    private mutating func end() async throws(EngineError) {
        defer { line.removeAll(keepingCapacity: true) }
        if line.last == 0x0D { line.removeLast() }
        // The mark that some programs put before a text.
        if lines == 0, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let bytes = line.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard !bytes.isEmpty else { return }
        guard lines < Self.maximumLines else {
            let problem = "must have at most \(Self.maximumLines) lines"
            throw .invalid(FieldError(field: "body", problem: problem))
        }
        lines += 1
        guard let text = String(validating: bytes, as: UTF8.self), let user = UserID(rawValue: text) else {
            let shown = String(String(decoding: bytes, as: UTF8.self).prefix(64))
            result.problems.append(TagListProblem(line: lines, user: shown, reason: .malformed))
            return
        }
        waiting.append((lines, user))
        if waiting.count == Self.step { try await apply() }
    }

    private mutating func apply() async throws(EngineError) {
        guard !waiting.isEmpty else { return }
        let outcomes = try await tags.apply(change, of: tag, to: waiting.map(\.user), app: app)
        for ((line, user), outcome) in zip(waiting, outcomes) {
            let reason: TagListProblem.Reason
            switch outcome {
            case .changed:
                result.changed += 1
                continue
            case .unchanged:
                result.unchanged += 1
                continue
            case .unknown: reason = .unknown
            case .tooManyTags: reason = .tooManyTags
            case .tooManyDevices: reason = .tooManyDevices
            }
            result.problems.append(TagListProblem(line: line, user: user.rawValue, reason: reason))
        }
        waiting.removeAll(keepingCapacity: true)
    }
}

extension Tags {
    /// Begins to read a list of Users who get or lose a tag.
    ///
    /// Users who are unknown are reported and not changed: a misspelt id of a list is nobody's.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such tag, or no such App.
    package func beginList(
        _ change: TagListChange,
        of tag: TagID,
        app: AppID
    ) async throws(EngineError) -> TagListReading {
        _ = try await apps.facts(app)
        _ = try await self.tag(app: app, tag)
        return TagListReading(self, change, of: tag, app: app)
    }

    fileprivate func apply(
        _ change: TagListChange,
        of tag: TagID,
        to users: [UserID],
        app: AppID
    ) async throws(EngineError) -> [TagListOutcome] {
        let outcomes = try await stored(try await store.apply(change, of: tag, to: users, app: app))
        guard let outcomes else { throw .notFound(.tag) }
        return outcomes
    }
}
