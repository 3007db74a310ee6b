import NIOConcurrencyHelpers

/// Bounds how much of something is under way at once, in all and for each key.
package final class Places<Key: Hashable & Sendable>: Sendable {
    /// What one that is under way holds; it is free again when nobody holds it.
    package final class Place: Sendable {
        private let places: Places
        private let key: Key

        fileprivate init(_ places: Places, _ key: Key) {
            self.places = places
            self.key = key
        }

        deinit { places.release(key) }
    }

    /// Why there is no place.
    package enum Refusal: Error, Hashable, Sendable {
        /// The key has as many as it may have.
        case key
        /// All are in use.
        case all
    }

    private struct State {
        var count = 0
        var byKey: [Key: Int] = [:]
    }

    private let total: Int
    private let perKey: Int
    private let onChange: @Sendable (Int) -> Void
    private let state = NIOLockedValueBox(State())

    /// Makes places that are all free.
    ///
    /// - Parameters:
    ///   - total: How many there are.
    ///   - perKey: How many of them one key may have.
    ///   - onChange: Is told 1 for each that is acquired and -1 for each that is free again.
    package init(total: Int = .max, perKey: Int, onChange: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.total = total
        self.perKey = perKey
        self.onChange = onChange
    }

    /// How many are in use.
    package var count: Int { state.withLockedValue(\.count) }

    /// Acquires a place.
    ///
    /// - Parameter key: Whose.
    /// - Returns: The place, to be held as long as it is used.
    /// - Throws: ``Refusal`` when none is free.
    package func acquire(_ key: Key) throws(Refusal) -> Place {
        let refusal: Refusal? = state.withLockedValue { state in
            guard state.byKey[key, default: 0] < perKey else { return .key }
            guard state.count < total else { return .all }
            state.byKey[key, default: 0] += 1
            state.count += 1
            return nil
        }
        if let refusal { throw refusal }
        onChange(1)
        return Place(self, key)
    }

    private func release(_ key: Key) {
        state.withLockedValue { state in
            state.count -= 1
            let count = state.byKey[key, default: 0] - 1
            state.byKey[key] = count > 0 ? count : nil
        }
        onChange(-1)
    }
}
