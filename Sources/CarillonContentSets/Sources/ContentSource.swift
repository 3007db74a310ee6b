package import CarillonModel

/// A source of a content set: what the server fetches, and what came of it.
package struct ContentSource: Hashable, Sendable {
    /// What came of the fetches.
    package struct State: Hashable, Sendable, Codable {
        /// When it was last tried.
        package var triedAt: Timestamp?
        /// When the source last answered with data that was read, or that it has nothing new.
        package var fetchedAt: Timestamp?
        /// When the last real-time data was made, if it says so.
        package var madeAt: Timestamp?
        /// Failures since then.
        package var failures = 0
        /// Why the last fetch failed.
        package var problem: String?
        /// The run of the last import.
        package var importID: ContentImportID?
        /// What the next request is conditional on.
        package var validators = ContentValidators()

        package init() {}
    }

    /// Whether its data is up to date.
    package enum Status: String, Hashable, Sendable, Codable, CaseIterable {
        /// Never fetched.
        case waiting
        case ok
        /// The last fetch failed; the data of the last good one is shown.
        case failing
        /// Real-time data that was too old already when it was fetched: the timetable is shown.
        case stale
        /// Not fetched, since `isActive` is false.
        case paused
    }

    package var app: AppID
    package var set: String
    package var name: String
    /// Without its secret.
    package var request: ContentSourceRequest
    package var hasSecret: Bool
    package var state = State()
    /// When it is fetched next; `nil` while it is paused.
    package var nextAt: Timestamp?

    /// Maximum number of sources of a content set.
    package static let maximumCount = 8

    package init(app: AppID, set: String, name: String, request: ContentSourceRequest, hasSecret: Bool = false) {
        self.app = app
        self.set = set
        self.name = name
        self.request = request
        self.request.clientSecret = nil
        self.hasSecret = hasSecret
    }

    package var status: Status {
        guard request.isActive else { return .paused }
        if state.failures > 0 { return .failing }
        guard let fetchedAt = state.fetchedAt else { return .waiting }
        let oldest = fetchedAt.rawValue - ContentFeed.maximumAge.components.seconds * 1_000
        return (state.madeAt?.rawValue ?? fetchedAt.rawValue) < oldest ? .stale : .ok
    }

    /// The tables that it fills of a definition.
    package func tables(of definition: ContentSetDefinition) -> [String] {
        guard let file = request.format.file else { return [] }
        guard file.fillsOneTable else { return definition.tables.map(\.name).filter(file.tables.contains) }
        return [request.table ?? definition.tables.first?.name].compactMap(\.self)
    }
}

/// What names the version that a server sent, for conditional requests (RFC 9110, 13).
package struct ContentValidators: Hashable, Sendable, Codable {
    package var entityTag: String?
    package var lastModified: String?

    /// Longest value that is kept, in bytes.
    package static let maximumSize = 500

    package init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag.flatMap { Self.isKept($0) ? $0 : nil }
        self.lastModified = lastModified.flatMap { Self.isKept($0) ? $0 : nil }
    }

    /// Values go back into a header.
    private static func isKept(_ text: String) -> Bool {
        (1...maximumSize).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }
}

extension ContentSource: Encodable {
    private enum CodingKeys: String, CodingKey {
        case set, name, hasClientSecret, status, failures, problem, triedAt, fetchedAt, madeAt, nextAt, importID
    }

    /// Writes the source as answers have it, without its secret.
    package func encode(to encoder: any Encoder) throws {
        try request.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(set, forKey: .set)
        try fields.encode(name, forKey: .name)
        try fields.encode(hasSecret, forKey: .hasClientSecret)
        try fields.encode(status, forKey: .status)
        try fields.encode(state.failures, forKey: .failures)
        try fields.encodeIfPresent(state.problem, forKey: .problem)
        try fields.encodeIfPresent(state.triedAt, forKey: .triedAt)
        try fields.encodeIfPresent(state.fetchedAt, forKey: .fetchedAt)
        try fields.encodeIfPresent(state.madeAt, forKey: .madeAt)
        try fields.encodeIfPresent(nextAt, forKey: .nextAt)
        try fields.encodeIfPresent(state.importID, forKey: .importID)
    }
}
