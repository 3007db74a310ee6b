import CarillonModel
package import CarillonOperatorModel

/// A sign-in by an identity provider or a proxy, to be stored.
package struct IdentitySignIn: Hashable, Sendable {
    /// The account at the provider; `nil` for a proxy, which names Operators by their addresses.
    package var identity: OperatorIdentity?
    /// The hash that the account is found by.
    package var account: SecretHash?
    /// The key of the address that was proved; `nil` when none was.
    package var nameKey: String?
    /// The only Operator who may be meant, whoever has the address; `nil` for whoever has the account.
    package var owner: OperatorID?
    /// The invitation of ``owner`` that is used with it; `nil` for none.
    package var invitation: SecretHash?
    /// The Operator to be made for somebody unknown; `nil` makes none.
    package var new: StoredOperator?
    /// The roles from now on; `nil` leaves those that there are.
    package var roles: OperatorRoles?
    package var session: NewOperatorSession
    package var challenge: UsedChallenge?

    package init(
        identity: OperatorIdentity?,
        account: SecretHash?,
        nameKey: String?,
        new: StoredOperator?,
        roles: OperatorRoles?,
        session: NewOperatorSession,
        challenge: UsedChallenge?
    ) {
        self.identity = identity
        self.account = account
        self.nameKey = nameKey
        self.new = new
        self.roles = roles
        self.session = session
        self.challenge = challenge
    }
}

/// The result of a sign-in by an identity provider or a proxy.
package enum IdentitySignInResult: Hashable, Sendable {
    /// The session, with the Operator before; `nil` when it is new.
    case opened(StoredOperatorSession, before: Operator?)
    /// Nobody of here is meant, and nobody is made.
    case unknown
    /// The Operator is disabled, the account is of another one, or what the provider said was used before.
    case refused(OperatorID?)
}

/// Stores accounts of Operators at identity providers.
package protocol OperatorIdentityStore: Sendable {
    /// Returns an Operator's accounts, the oldest first.
    func identities(of id: OperatorID, limit: Int) async throws(StoreError) -> [OperatorIdentity]

    /// Deletes an Operator's account, and ends all sessions of the Operator.
    ///
    /// - Returns: Whether there was such an account; `nil` when the session of who asks has ended.
    func remove(
        _ identity: OperatorIdentityID,
        of id: OperatorID,
        by session: OperatorSessionID?
    ) async throws(StoreError) -> Bool?

    /// Signs in who is found by the account, else by the address; an Operator with an invitation is active then.
    ///
    /// The roles are replaced as far as an admin is left; other roles end all other sessions.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in.
    ///   - limit: How many sessions an Operator has.
    /// - Returns: The result.
    /// - Throws: ``StoreError``.
    func signIn(_ signIn: IdentitySignIn, limit: Int) async throws(StoreError) -> IdentitySignInResult

    /// Whether an account belongs to an Operator.
    func isAccount(_ account: SecretHash, of id: OperatorID) async throws(StoreError) -> Bool
}
