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

/// What names a request that may be repeated.
package struct IdempotencyKey: Hashable, Sendable {
    package var principal: String
    package var key: String
    /// A hash of what makes the request the same: method, path, body.
    package var fingerprint: [UInt8]
    package var now: Timestamp
    /// A key that was used before this may be used again.
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
/// A store that inserts for such a request keeps the answer in the same transaction, and throws
/// ``StoreError/repeated`` when another transaction has answered the key.
package struct IdempotentRequest<Value>: Sendable {
    package let key: IdempotencyKey
    private let makeAnswer: @Sendable (Value) throws(StoreError) -> StoredAnswer

    /// Names a request.
    ///
    /// - Parameters:
    ///   - key: What names it.
    ///   - answer: Makes the answer, without secrets. It may run more than once, on any thread.
    package init(key: IdempotencyKey, answer: @escaping @Sendable (Value) throws(StoreError) -> StoredAnswer) {
        self.key = key
        makeAnswer = answer
    }

    /// The answer to be given again.
    ///
    /// - Parameter value: What the request creates.
    /// - Returns: The answer, without secrets.
    /// - Throws: ``StoreError/failed(_:)`` when it cannot be encoded.
    package func answer(for value: Value) throws(StoreError) -> StoredAnswer { try makeAnswer(value) }

    /// The same request, told what it creates in other words.
    ///
    /// - Parameter transform: From what the store keeps to what the caller is answered.
    /// - Returns: The request.
    package func map<Other>(
        _ transform: @escaping @Sendable (Other) -> Value
    ) -> IdempotentRequest<Other> {
        IdempotentRequest<Other>(key: key) { [makeAnswer] other throws(StoreError) in try makeAnswer(transform(other)) }
    }
}
