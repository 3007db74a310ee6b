package import CarillonOperatorModel

/// Why a request of an Operator, or about one, is refused.
package enum OperatorRefusal: Hashable, Sendable {
    /// There is no such Operator, the password or the code is wrong, or the Operator is disabled: which one is not said.
    ///
    /// The Operator is for the audit log alone; `nil` when nobody has the name.
    case wrongCredentials(of: OperatorID?)
    /// The session is unknown, expired or ended.
    case noSession
    /// The session has not passed the second factor yet.
    case incomplete
    /// The last password or code is older than ``Operators/Options/freshness``.
    case freshAuthenticationRequired
    /// The Operator's role does not allow it; the least one that does.
    case roleRequired(OperatorRole)
    /// The link is unknown, used or expired.
    case linkGone
    /// Another Operator has the address.
    case addressTaken
    /// Nobody would be left who could administer Operators.
    case lastAdmin
    /// The Operator's role needs a second factor.
    case secondFactorRequired
    /// Too many attempts; another one is possible after the time.
    case tooMany(retryAfter: Duration)
    /// Too many passwords are being hashed on this node.
    case busy
}
