import CarillonModel

/// What to do with a request that carries an idempotency key.
package enum IdempotencyStart: Hashable, Sendable {
    /// Nothing is kept under the key: do it, with ``IdempotentRequest`` in the same transaction.
    case new
    /// It was done: this was the answer.
    case replay(StoredAnswer)
    /// The key was used for another request.
    case mismatch
    /// An earlier version began it and did not record what became of it.
    case inProgress
}

/// Keeps idempotency keys.
///
/// They are written by the transactions that create, and read here.
package protocol IdempotencyStore: Sendable {
    /// Looks a key up.
    ///
    /// - Returns: `new` when no committed transaction has the key, or it is older than ``IdempotencyKey/forgetBefore``.
    func start(_ key: IdempotencyKey) async throws(StoreError) -> IdempotencyStart
}

/// Makes a request that creates something safe to repeat: the same key and request get the same answer for 24 hours.
///
/// The key and its answer are committed with what the request creates, or not at all. So a request whose outcome nobody
/// knows needs no guess: repeated, it finds the answer, or it waits for the transaction in doubt and finds it then, or
/// there is none and it creates.
package struct Idempotency: Sendable {
    /// How long a key is known: 24 hours, in milliseconds.
    package static let memory: Int64 = 24 * 3_600 * 1_000

    private let store: any IdempotencyStore
    private let clock: any WallClock

    package init(store: any IdempotencyStore, clock: any WallClock) {
        self.store = store
        self.clock = clock
    }

    /// Names a request.
    ///
    /// - Parameters:
    ///   - principal: Who asks: keys of different callers do not meet.
    ///   - key: What the caller sent, bounded by the caller.
    ///   - fingerprint: A hash of what makes the request the same: method, path, body.
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

    /// Asks what to do with a request.
    ///
    /// - Parameter key: What names it.
    /// - Returns: What to do.
    /// - Throws: ``EngineError/store(_:)``.
    package func start(_ key: IdempotencyKey) async throws(EngineError) -> IdempotencyStart {
        try await stored(try await store.start(key))
    }
}
