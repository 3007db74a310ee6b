import CarillonModel
package import CarillonOperatorModel

/// Who changes Operators.
package enum OperatorActor: Hashable, Sendable {
    /// An Operator, whose session must be of an admin and freshly authenticated.
    case session(OperatorSession)
    /// An API key of the server with scope admin, or a command that works on the store.
    case server

    /// The session of who asks; `nil` for the server.
    var session: OperatorSessionID? {
        guard case .session(let session) = self else { return nil }
        return session.id
    }

    /// Checks that the actor may change Operators.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - freshness: How old the last password or code may be.
    /// - Throws: ``OperatorRefusal``.
    func check(at now: Timestamp, freshness: Duration) throws(EngineError) {
        guard case .session(let session) = self else { return }
        try session.require(.admin, in: nil)
        try session.requireFresh(at: now, freshness)
    }
}

extension OperatorSession {
    /// Checks that the last password or code is recent.
    func requireFresh(at now: Timestamp, _ freshness: Duration) throws(EngineError) {
        // A proxy vouches for whoever sits at the browser: what needs more needs a password, a code or a passkey of here.
        guard now <= authenticatedAt.advanced(by: freshness), method != .proxy || authenticatedAt > createdAt else {
            throw .operators(.freshAuthenticationRequired)
        }
    }
}

/// A change of an Operator, with what the audit log tells of it.
package struct OperatorChange<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The result.
    package var value: Value
    /// The object of the entry: the Operator's id.
    package var object: OperatorID
    /// Before → after, without secrets; `nil` when nothing changed that can be told.
    package var change: String?

    package init(_ value: Value, object: OperatorID, change: String?) {
        self.value = value
        self.object = object
        self.change = change
    }
}
