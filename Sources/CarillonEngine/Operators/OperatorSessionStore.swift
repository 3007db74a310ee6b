package import CarillonModel
package import CarillonOperatorModel

/// A session to be stored.
package struct NewOperatorSession: Hashable, Sendable {
    package var id: OperatorSessionID
    package var value: SecretHash
    /// Whether the Operator is signed in whole, unless there is a second factor by then.
    package var isFull: Bool
    package var method: OperatorSession.Method
    package var at: Timestamp
    package var address: String?
    package var client: String?

    package init(
        id: OperatorSessionID,
        value: SecretHash,
        isFull: Bool,
        method: OperatorSession.Method = .password,
        at: Timestamp,
        address: String?,
        client: String?
    ) {
        self.id = id
        self.value = value
        self.isFull = isFull
        self.method = method
        self.at = at
        self.address = address
        self.client = client
    }
}

/// A session as it is stored, with its Operator.
package struct StoredOperatorSession: Hashable, Sendable {
    package var id: OperatorSessionID
    package var isFull: Bool
    package var method: OperatorSession.Method
    package var createdAt: Timestamp
    package var usedAt: Timestamp
    package var authenticatedAt: Timestamp
    package var address: String?
    package var client: String?
    package var failedAttempts: Int
    package var owner: StoredOperator

    package init(
        id: OperatorSessionID,
        isFull: Bool,
        method: OperatorSession.Method,
        createdAt: Timestamp,
        usedAt: Timestamp,
        authenticatedAt: Timestamp,
        address: String?,
        client: String?,
        failedAttempts: Int,
        owner: StoredOperator
    ) {
        self.id = id
        self.isFull = isFull
        self.method = method
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.authenticatedAt = authenticatedAt
        self.address = address
        self.client = client
        self.failedAttempts = failedAttempts
        self.owner = owner
    }
}

/// The new value of a session after an authentication.
package struct SessionRenewal: Hashable, Sendable {
    package var former: SecretHash
    package var value: SecretHash
    package var at: Timestamp
    /// Whether the Operator is signed in whole from now on.
    package var isFull: Bool

    package init(former: SecretHash, value: SecretHash, at: Timestamp, isFull: Bool) {
        self.former = former
        self.value = value
        self.at = at
        self.isFull = isFull
    }
}

/// What is written together with a session's new value.
package enum SessionChange: Hashable, Sendable {
    case nothing
    /// A code of the authenticator is used: of this step or an earlier one no code is accepted again.
    case code(step: Int64)
    /// A recovery code is used.
    case recoveryCode(SecretHash)
    /// The password is replaced, if it is still the former one; all other sessions and the links end.
    case password(PasswordHash, former: PasswordHash)
    /// The second factor and the recovery codes are replaced; all other sessions end.
    case secondFactor(sealed: [UInt8], step: Int64, recoveryCodes: [SecretHash])
    /// The authenticator is deleted, and the recovery codes with it unless there is a passkey; all other sessions end.
    case noSecondFactor
    case recoveryCodes([SecretHash])
    /// A passkey is registered; all other sessions end.
    case newPasskey(NewPasskey)
    /// A passkey proves who is there.
    case passkey(PasskeyUse)
    /// A passkey is deleted, and the recovery codes with the last second factor; all other sessions end.
    case noPasskey(OperatorPasskeyID)
    /// An account at an identity provider is unlinked; all other sessions end.
    case noIdentity(OperatorIdentityID)
    /// What an identity provider or a proxy said is used.
    case challenge(UsedChallenge)
}

/// Stores sessions of Operators.
package protocol OperatorSessionStore: Sendable {
    /// Stores a new session; the oldest one ends when there are more than `limit`.
    ///
    /// - Parameters:
    ///   - person: The Operator as the password was verified.
    ///   - session: The session.
    ///   - rehashed: The password's new hash; `nil` keeps the one of now.
    ///   - attempt: The attempt, which was right and does not count.
    ///   - limit: How many sessions an Operator has.
    /// - Returns: The session; `nil` when the Operator was disabled meanwhile or has another password.
    /// - Throws: ``StoreError``.
    func signIn(
        _ person: StoredOperator,
        session: NewOperatorSession,
        rehashed: PasswordHash?,
        forgiving attempt: OperatorAttempt,
        limit: Int
    ) async throws(StoreError) -> StoredOperatorSession?

    /// Returns a session; `nil` when there is none.
    func session(_ value: SecretHash) async throws(StoreError) -> StoredOperatorSession?

    /// Gives a session a new value and makes a change in the same transaction.
    ///
    /// - Parameters:
    ///   - renewal: The new value.
    ///   - change: The change.
    ///   - attempt: The attempt that was right and does not count; `nil` for none.
    /// - Returns: The session; `nil` when it has ended, the Operator is not active, or the change is not possible, such as
    ///   with a code that was used: nothing is written then.
    /// - Throws: ``StoreError``.
    func renew(
        _ renewal: SessionRenewal,
        with change: SessionChange,
        forgiving attempt: OperatorAttempt?
    ) async throws(StoreError) -> StoredOperatorSession?

    /// Records that a session is in use.
    func markUsed(_ id: OperatorSessionID, at now: Timestamp, address: String?) async throws(StoreError)

    /// Returns an Operator's sessions, the latest first.
    func sessions(of id: OperatorID, limit: Int) async throws(StoreError) -> [OperatorSessionRecord]

    /// Ends a session of an Operator; false when there is none.
    func endSession(_ session: OperatorSessionID, of id: OperatorID) async throws(StoreError) -> Bool

    /// Ends all sessions of an Operator, or all but one; returns how many.
    func endSessions(of id: OperatorID, except session: OperatorSessionID?) async throws(StoreError) -> Int
}
