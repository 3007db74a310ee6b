package import CarillonModel
package import CarillonOperatorModel

/// A link to be stored.
package struct NewOperatorLink: Hashable, Sendable {
    package var secret: SecretHash
    package var kind: OperatorLink.Kind
    /// Whether its use removes the second factor.
    package var removesSecondFactor: Bool
    package var createdAt: Timestamp
    package var expiresAt: Timestamp

    package init(
        secret: SecretHash,
        kind: OperatorLink.Kind,
        removesSecondFactor: Bool = false,
        createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.secret = secret
        self.kind = kind
        self.removesSecondFactor = removesSecondFactor
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A link as it is stored.
package struct StoredOperatorLink: Hashable, Sendable {
    package var kind: OperatorLink.Kind
    package var removesSecondFactor: Bool
    package var expiresAt: Timestamp
    /// `nil` for the setup link.
    package var owner: StoredOperator?

    package init(
        kind: OperatorLink.Kind,
        removesSecondFactor: Bool,
        expiresAt: Timestamp,
        owner: StoredOperator?
    ) {
        self.kind = kind
        self.removesSecondFactor = removesSecondFactor
        self.expiresAt = expiresAt
        self.owner = owner
    }
}

/// What a link is used for.
package struct OperatorLinkUse: Hashable, Sendable {
    package var secret: SecretHash
    package var kind: OperatorLink.Kind
    /// The new Operator of a setup link; `nil` for other links.
    package var new: StoredOperator?
    /// The name that others see; `nil` keeps the one of now.
    package var displayName: String?
    package var password: PasswordHash
    package var session: NewOperatorSession

    package init(
        secret: SecretHash,
        kind: OperatorLink.Kind,
        new: StoredOperator? = nil,
        displayName: String? = nil,
        password: PasswordHash,
        session: NewOperatorSession
    ) {
        self.secret = secret
        self.kind = kind
        self.new = new
        self.displayName = displayName
        self.password = password
        self.session = session
    }
}

/// The result of using a link.
package enum OperatorLinkResult: Hashable, Sendable {
    case used(StoredOperatorSession)
    /// It is unknown, used or expired, or there is an admin already.
    case gone
    case addressTaken
}

/// Stores links of Operators.
package protocol OperatorLinkStore: Sendable {
    /// Stores a setup link; false when there is an admin.
    func insertSetup(_ link: NewOperatorLink) async throws(StoreError) -> Bool

    /// Stores a link of an Operator in place of all former ones.
    ///
    /// - Returns: The Operator; `nil` when there is none of the state, or the session of who asks has ended.
    func insert(
        _ link: NewOperatorLink,
        of id: OperatorID,
        state: Operator.State,
        by session: OperatorSessionID?
    ) async throws(StoreError) -> Operator?

    /// Returns a link, expired or not; `nil` when there is none.
    func link(_ secret: SecretHash) async throws(StoreError) -> StoredOperatorLink?

    /// Uses a link once: of two that use it at the same time, one finds it gone.
    ///
    /// The password is set, the Operator is active, all former sessions and links of the Operator end, and there is a new
    /// session. The first Operator ends all setup links.
    func use(_ link: OperatorLinkUse, at now: Timestamp) async throws(StoreError) -> OperatorLinkResult
}

/// An attempt to sign in.
package struct OperatorAttempt: Hashable, Sendable {
    /// Whose attempts are counted: 16 bytes of a hash.
    package var account: [UInt8]
    /// The same together with the caller's address.
    package var own: [UInt8]
    package var address: AttemptCharge

    package init(account: [UInt8], own: [UInt8], address: AttemptCharge) {
        self.account = account
        self.own = own
        self.address = address
    }
}

/// Counts attempts of Operators.
package protocol OperatorAttemptStore: Sendable {
    /// Counts an attempt before it is known whether it is right; see ``OperatorThrottle``.
    ///
    /// - Returns: `nil` when it may go on; otherwise how long to wait.
    func begin(_ attempt: OperatorAttempt, at now: Timestamp) async throws(StoreError) -> AttemptWait?

    /// Takes an attempt back that was counted and not made.
    func cancel(_ attempt: OperatorAttempt, at now: Timestamp) async throws(StoreError)

    /// Records a wrong password or code, for the Operator to see; nothing for `nil`, which takes as long.
    func recordFailure(of id: OperatorID?) async throws(StoreError)
}
