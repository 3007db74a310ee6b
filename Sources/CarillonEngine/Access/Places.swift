import NIOConcurrencyHelpers

/// Bounds the number of concurrent operations, in total and per key.
package final class Places<Key: Hashable & Sendable>: Sendable {
    /// A claim on one place; deallocation releases it.
    package final class Place: Sendable {
        private let places: Places
        private let key: Key

        fileprivate init(_ places: Places, _ key: Key) {
            self.places = places
            self.key = key
        }

        deinit { places.release(key) }
    }

    /// Why no place was acquired.
    package enum Refusal: Error, Hashable, Sendable {
        /// The key has its maximum.
        case key
        /// The total is in use.
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

    /// Creates free places.
    ///
    /// - Parameters:
    ///   - total: The total number.
    ///   - perKey: The maximum number for one key.
    ///   - onChange: Receives 1 for each acquired place and -1 for each released one.
    package init(total: Int = .max, perKey: Int, onChange: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.total = total
        self.perKey = perKey
        self.onChange = onChange
    }

    /// The number of places in use.
    package var count: Int { state.withLockedValue(\.count) }

    /// Acquires a place.
    ///
    /// - Parameter key: The key that it counts for.
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
