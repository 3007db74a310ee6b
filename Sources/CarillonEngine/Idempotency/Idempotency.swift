import CarillonModel

/// What to do with a request that carries an idempotency key.
package enum IdempotencyStart: Hashable, Sendable {
    /// Nothing is stored under the key: execute it, with ``IdempotentRequest`` in the same transaction.
    case new
    /// It was executed with this answer.
    case replay(StoredAnswer)
    /// The key was used for another request.
    case mismatch
    /// An earlier version began it and did not record the result.
    case inProgress
}

/// Stores idempotency keys.
///
/// The transactions that create objects write them; this protocol reads them.
package protocol IdempotencyStore: Sendable {
    /// Looks a key up.
    ///
    /// - Returns: `new` when no committed transaction has the key, or it is older than ``IdempotencyKey/forgetBefore``.
    func start(_ key: IdempotencyKey) async throws(StoreError) -> IdempotencyStart
}

/// Makes requests that create something safe to repeat: the same key and request get the same answer for 24 hours.
///
/// The key and its answer are committed with the created object, or not at all. So a request with an unknown result can
/// be repeated: it finds the answer, waits for the transaction in doubt and then finds it, or creates the object.
package struct Idempotency: Sendable {
    /// How long a key is stored: 24 hours, in milliseconds.
    package static let memory: Int64 = 24 * 3_600 * 1_000

    private let store: any IdempotencyStore
    private let clock: any WallClock

    package init(store: any IdempotencyStore, clock: any WallClock) {
        self.store = store
        self.clock = clock
    }

    /// Creates the key of a request.
    ///
    /// - Parameters:
    ///   - principal: The caller; keys of different callers are separate.
    ///   - key: The value that the caller sent, with a limited length.
    ///   - fingerprint: A hash of what identifies the request: method, path, body.
    /// - Returns: The key.
    package func key(principal: String, key: String, fingerprint: [UInt8]) -> IdempotencyKey {
        let now = clock.now()
        return IdempotencyKey(
            principal: principal,
            key: key,
            fingerprint: fingerprint,
            now: now,
            forgetBefore: Timestamp(rawValue: now.rawValue - Self.memory)
        )
    }

    /// Looks up what to do with a request.
    ///
    /// - Parameter key: The request's key.
    /// - Returns: What to do.
    /// - Throws: ``EngineError/store(_:)``.
    package func start(_ key: IdempotencyKey) async throws(EngineError) -> IdempotencyStart {
        try await stored(try await store.start(key))
    }
}
