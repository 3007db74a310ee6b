import CarillonContentSets
import CarillonModel
import StoreErrors

/// The follows that may fit a row, of all of its keys, in order of their Users' hashes and their ids.
///
/// Of each key some are held at a time, however many follow it.
struct FollowerMerge {
    private struct Source {
        let key: String
        var candidates: ArraySlice<FollowCandidate> = []
        var isOver = false
        var last: (userHash: Int64, follow: Int64)
    }

    static let pageSize = 500

    private let store: any ContentFollowStore
    private let run: ContentAlertRun
    private var sources: [Source]

    /// - Parameters:
    ///   - store: Has the follows.
    ///   - run: Whose rows there are alerts about.
    ///   - keys: Those of the row that anybody follows.
    ///   - place: The follows up to it were looked at.
    init(
        _ store: any ContentFollowStore,
        _ run: ContentAlertRun,
        keys: [String],
        after place: (userHash: Int64, follow: Int64)
    ) {
        self.store = store
        self.run = run
        sources = keys.map { Source(key: $0, last: place) }
    }

    /// All follows of the next User, or the next one of an audience, each once.
    ///
    /// - Returns: Empty when there are no more.
    mutating func next() async throws(StoreError) -> [FollowCandidate] {
        guard let first = try await pop() else { return [] }
        var group = [first]
        // A hash may be that of several Users, who are then notified in one step.
        while first.userHash >= 0, let next = try await peek(), next.userHash == first.userHash {
            guard let next = try await pop() else { break }
            group.append(next)
        }
        return group
    }

    // MARK: - Private

    private mutating func peek() async throws(StoreError) -> FollowCandidate? {
        for index in sources.indices where sources[index].candidates.isEmpty && !sources[index].isOver {
            let (key, last) = (sources[index].key, sources[index].last)
            let page = try await store.candidates(under: key, of: run, after: last, limit: Self.pageSize)
            sources[index].candidates = page[...]
            sources[index].isOver = page.count < Self.pageSize
            if let end = page.last { sources[index].last = (end.userHash, end.id) }
        }
        return sources.compactMap(\.candidates.first).min { ($0.userHash, $0.id) < ($1.userHash, $1.id) }
    }

    /// Takes the first one from all keys under which it is.
    private mutating func pop() async throws(StoreError) -> FollowCandidate? {
        guard let first = try await peek() else { return nil }
        for index in sources.indices where sources[index].candidates.first?.id == first.id {
            sources[index].candidates.removeFirst()
        }
        return first
    }
}
