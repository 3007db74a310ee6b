package import CarillonModel

/// The stored answer to a request.
package struct StoredAnswer: Hashable, Sendable {
    package var status: Int
    package var contentType: String?
    package var location: String?
    /// Without secrets, which are returned once.
    package var body: [UInt8]

    package init(status: Int, contentType: String? = nil, location: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.contentType = contentType
        self.location = location
        self.body = body
    }
}

/// Identifies a request that may be repeated.
package struct IdempotencyKey: Hashable, Sendable {
    package var principal: String
    package var key: String
    /// A hash of what identifies the request: method, path, body.
    package var fingerprint: [UInt8]
    package var now: Timestamp
    /// A key that was used before this time may be used again.
    package var forgetBefore: Timestamp

    package init(principal: String, key: String, fingerprint: [UInt8], now: Timestamp, forgetBefore: Timestamp) {
        self.principal = principal
        self.key = key
        self.fingerprint = fingerprint
        self.now = now
        self.forgetBefore = forgetBefore
    }
}

/// A request that creates a value: its key, and the answer that is committed with the value.
///
/// A store that inserts for such a request saves the answer in the same transaction, and throws ``StoreError/repeated``
/// when another transaction has answered the key.
package struct IdempotentRequest<Value>: Sendable {
    package let key: IdempotencyKey
    private let makeAnswer: @Sendable (Value) throws(StoreError) -> StoredAnswer

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - key: The request's key.
    ///   - answer: Makes the answer, without secrets. It may run more than once, on any thread.
    package init(key: IdempotencyKey, answer: @escaping @Sendable (Value) throws(StoreError) -> StoredAnswer) {
        self.key = key
        makeAnswer = answer
    }

    /// Makes the answer to store.
    ///
    /// - Parameter value: The created value.
    /// - Returns: The answer, without secrets.
    /// - Throws: ``StoreError/failed(_:)`` when it cannot be encoded.
    package func answer(for value: Value) throws(StoreError) -> StoredAnswer { try makeAnswer(value) }

    /// Returns the same request for another type of value.
    ///
    /// - Parameter transform: Converts the stored value to the answered one.
    /// - Returns: The request.
    package func map<Other>(
        _ transform: @escaping @Sendable (Other) -> Value
    ) -> IdempotentRequest<Other> {
        IdempotentRequest<Other>(key: key) { [makeAnswer] other throws(StoreError) in try makeAnswer(transform(other)) }
    }
}
