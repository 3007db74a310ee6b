import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page of an Operator's own account.
enum Account {
    /// What the page is made of.
    struct Model: Hashable, Sendable {
        var person: Operator
        /// The session that asks.
        var current: OperatorSessionID
        var sessions: [OperatorSessionRecord]
        var passkeys: [OperatorPasskey]
        var identities: [OperatorIdentity]
        /// What the identity provider is called; `nil` without one.
        var provider: String?
        /// Whether browsers make passkeys for this address.
        var mayAddPasskey: Bool
        /// Whether the role needs a second factor, so that it cannot be removed.
        var needsSecondFactor: Bool
        var now: Timestamp
    }
}
