package import CarillonModel

/// The answer to a request, as it is given again.
package struct StoredAnswer: Hashable, Sendable {
    package var status: Int
    package var contentType: String?
    package var location: String?
    /// Without secrets: they are shown once.
    package var body: [UInt8]

    package init(status: Int, contentType: String? = nil, location: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.contentType = contentType
        self.location = location
        self.body = body
    }
}

/// What to do with a request that carries an idempotency key.
package enum IdempotencyStart: Hashable, Sendable {
    /// It is new: do it, then call `finish`, or `abandon` if it failed.
    case new
    /// It was done: this was the answer.
    case replay(StoredAnswer)
    /// The key was used for another request.
    case mismatch
    /// The same request is being done, or the server died while it was: what became of it is not known.
    case inProgress
}

/// Keeps idempotency keys.
package protocol IdempotencyStore: Sendable {
    /// Takes a key if it is not known, or was first used before a time.
    func begin(
        principal: String,
        key: String,
        fingerprint: [UInt8],
        now: Timestamp,
        forgetBefore: Timestamp
    ) async throws(StoreError) -> IdempotencyStart

    /// Keeps the answer of a key that was taken.
    func finish(principal: String, key: String, answer: StoredAnswer) async throws(StoreError)

    /// Gives a key up that was taken and has no answer.
    func abandon(principal: String, key: String) async throws(StoreError)
}

/// Makes a request that creates something safe to repeat: the same key and request get the same answer for 24 hours.
package struct Idempotency: Sendable {
    /// How long a key is known: 24 hours, in milliseconds.
    package static let memory: Int64 = 24 * 3_600 * 1_000

    private let store: any IdempotencyStore
    private let clock: any WallClock

    package init(store: any IdempotencyStore, clock: any WallClock) {
        self.store = store
        self.clock = clock
    }

    /// Asks what to do with a request.
    ///
    /// - Parameters:
    ///   - principal: Who asks: keys of different callers do not meet.
    ///   - key: What the caller sent, bounded by the caller.
    ///   - fingerprint: A hash of what makes the request the same: method, path, body.
    /// - Returns: What to do.
    /// - Throws: ``EngineError/store(_:)``.
    package func begin(
        principal: String,
        key: String,
        fingerprint: [UInt8]
    ) async throws(EngineError) -> IdempotencyStart {
        let now = clock.now()
        return try await stored { () async throws(StoreError) in
            try await store.begin(
                principal: principal,
                key: key,
                fingerprint: fingerprint,
                now: now,
                forgetBefore: Timestamp(rawValue: now.rawValue - Self.memory)
            )
        }
    }

    /// Keeps the answer.
    ///
    /// Secrets must have been taken out of it.
    package func finish(principal: String, key: String, answer: StoredAnswer) async throws(EngineError) {
        try await stored { () async throws(StoreError) in
            try await store.finish(principal: principal, key: key, answer: answer)
        }
    }

    /// Gives the key up: the request failed and may be tried again.
    package func abandon(principal: String, key: String) async throws(EngineError) {
        try await stored { () async throws(StoreError) in
            try await store.abandon(principal: principal, key: key)
        }
    }
}
