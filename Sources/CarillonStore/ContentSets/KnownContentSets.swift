import CarillonContentSets
import CarillonModel
import NIOConcurrencyHelpers

/// Content sets as they were read, for as long as nothing was written since.
final class KnownContentSets: Sendable {
    private struct Key: Hashable {
        var app: AppID
        var name: String
    }

    private struct State {
        var writeCount = 0
        var sets: [Key: ContentSet] = [:]
    }

    private static let limit = 200

    private let state = NIOLockedValueBox(State())

    /// A set that was read when the database had a count of writes.
    func set(_ name: String, app: AppID, at writeCount: Int) -> ContentSet? {
        state.withLockedValue { state in
            state.writeCount == writeCount ? state.sets[Key(app: app, name: name)] : nil
        }
    }

    /// Saves a set.
    ///
    /// - Parameters:
    ///   - set: The set.
    ///   - writeCount: The count before it was read.
    func save(_ set: ContentSet, at writeCount: Int) {
        state.withLockedValue { state in
            guard writeCount >= state.writeCount else { return }
            if writeCount > state.writeCount || state.sets.count >= Self.limit {
                state = State(writeCount: writeCount)
            }
            state.sets[Key(app: set.app, name: set.name)] = set
        }
    }
}
