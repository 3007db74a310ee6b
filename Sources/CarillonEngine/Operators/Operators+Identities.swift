import CarillonModel
package import CarillonOperatorModel

extension Operators {
    /// Signs in with an account, whose Operator is known or made.
    ///
    /// An address of mail links nobody: what a provider says of it need not be true.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - challenge: What was asked, once; `nil` for a proxy, which says it with each request.
    ///   - caller: Where the request comes from.
    /// - Returns: The result.
    /// - Throws: ``EngineError/store(_:)``.
    package func signIn(
        with account: OutsideAccount,
        challenge: UsedChallenge?,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OutsideSignIn {
        var nameKey: String?
        if case .proxy(let address) = account.source { nameKey = AccountName(named: address)?.key }
        let roles = options.outside.roles(of: account.groups)
        return try await signIn(account, challenge, by: caller) { signIn in
            signIn.nameKey = nameKey
            signIn.roles = options.outside.rolesFollow ? roles : nil
            signIn.new = newOperator(account, roles)
        }
    }

    /// Links an account with who is signed in; the session goes on under a new value.
    ///
    /// - Throws: ``OperatorRefusal/freshAuthenticationRequired``, ``OperatorRefusal/noSession``.
    package func link(
        _ value: String,
        with account: OutsideAccount,
        challenge: UsedChallenge,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OutsideSignIn {
        let found = try await freshSession(value)
        let linked = try await signIn(account, challenge, by: caller, isFull: true) { signIn in
            signIn.owner = found.owner.record.id
        }
        if case .opened = linked { try await signOut(value) }
        return linked
    }

    /// Accepts an invitation with an account, once, and without a password.
    ///
    /// - Throws: ``OperatorRefusal/linkGone``.
    package func acceptInvitation(
        _ secret: String,
        with account: OutsideAccount,
        challenge: UsedChallenge,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OutsideSignIn {
        guard let owner = try await link(secret, .invite).person else { throw .operators(.linkGone) }
        return try await signIn(account, challenge, by: caller) { signIn in
            (signIn.owner, signIn.invitation) = (owner.id, SecretHash(of: secret))
        }
    }

    /// Proves anew who is there with an account of the same Operator.
    ///
    /// - Returns: The session with a new value.
    /// - Throws: ``OperatorRefusal/wrongCredentials(of:)`` for an account of somebody else, ``OperatorRefusal/noSession``.
    package func authenticate(
        _ value: String,
        with account: OutsideAccount,
        challenge: UsedChallenge
    ) async throws(EngineError) -> OpenedSession {
        let (found, shown) = try await validSession(value)
        guard shown.stage == .full else { throw .operators(.incomplete) }
        let id = found.owner.record.id
        guard let hash = Self.hash(of: account), try await stored(try await store.isAccount(hash, of: id)) else {
            throw .operators(.wrongCredentials(of: id))
        }
        return try await renew(value, of: found, with: .challenge(challenge))
    }

    /// Unlinks one of the Operator's own accounts; all other sessions end.
    ///
    /// - Returns: The session with a new value.
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/conflict(_:)`` when nothing would be left to sign in with,
    ///   ``OperatorRefusal/freshAuthenticationRequired``.
    package func unlink(_ value: String, _ identity: OperatorIdentityID) async throws(EngineError) -> OpenedSession {
        let found = try await freshSession(value)
        let owner = found.owner
        let known = try await listedSignIns(of: owner.record.id)
        guard known.identities.contains(where: { $0.id == identity }) else { throw .notFound(.operatorIdentity) }
        let hasPassword = owner.password != nil && maySignInWithPassword(owner.record)
        guard known.identities.count > 1 || hasPassword || !known.passkeys.isEmpty else {
            throw .conflict("Nothing would be left to sign in with.")
        }
        return try await renew(value, of: found, with: .noIdentity(identity))
    }

    /// Whether the account of a session's proxy is still that of its Operator.
    package func isOwner(_ address: String, of session: OperatorSession) -> Bool {
        guard let name = AccountName(named: address), let own = AccountName(named: session.owner.address) else {
            return false
        }
        return name.key == own.key
    }

    /// Whether an Operator's password counts.
    package func maySignInWithPassword(_ record: Operator) -> Bool {
        options.outside.passwords == .everybody || record.role == .admin
    }

    /// Whether sessions that began so need no second factor of here.
    func isWhole(_ method: OperatorSession.Method) -> Bool {
        switch method {
        case .password: false
        case .passkey: true
        case .provider, .proxy: !options.outside.asksForOwnFactor
        }
    }

    // MARK: - Private

    private static func hash(of account: OutsideAccount) -> SecretHash? {
        guard case .provider(let issuer, let subject) = account.source else { return nil }
        return SecretHash(of: "\(issuer.utf8.count):\(issuer)\(subject)")
    }

    private func signIn(
        _ account: OutsideAccount,
        _ challenge: UsedChallenge?,
        by caller: OperatorCaller,
        isFull: Bool? = nil,
        _ complete: (inout IdentitySignIn) -> Void
    ) async throws(EngineError) -> OutsideSignIn {
        let value = SessionValue.make(random)
        var signIn = IdentitySignIn(
            identity: identity(of: account),
            account: Self.hash(of: account),
            nameKey: nil,
            new: nil,
            roles: nil,
            session: newSession(value, isFull: isFull ?? isWhole(account.method), account.method, by: caller),
            challenge: challenge
        )
        complete(&signIn)
        switch try await stored(try await store.signIn(signIn, limit: options.sessionLimit)) {
        case .unknown: return .unknown
        case .refused(let id): return .refused(id)
        case .opened(let found, let before):
            let record = found.owner.record
            guard record.roles.greatest != nil else {
                try await signOut(value)
                return .noRole(record.id)
            }
            let change = before == nil ? record.difference(from: nil) : record.difference(from: before)
            return .opened(OpenedSession(value: value, session: session(found)), change: change)
        }
    }

    private func identity(of account: OutsideAccount) -> OperatorIdentity? {
        guard case .provider(let issuer, let subject) = account.source else { return nil }
        let now = clock.now()
        return OperatorIdentity(id: ids.next(), issuer: issuer, subject: subject, createdAt: now, usedAt: now)
    }

    /// The Operator to be made; `nil` when nobody is, or there is no role.
    private func newOperator(_ account: OutsideAccount, _ roles: OperatorRoles) -> StoredOperator? {
        guard options.outside.provisions, roles.greatest != nil else { return nil }
        let address: String
        switch account.source {
        case .proxy(let name): address = name
        case .provider(_, let subject): address = account.address ?? subject
        }
        let name = account.displayName.map { String($0.prefix(64)) }
        return try? newOperator(OperatorInvitation(address: address, displayName: name, roles: roles))
    }
}
