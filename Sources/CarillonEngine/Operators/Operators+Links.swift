import CarillonBytes
package import CarillonModel
package import CarillonOperatorModel

/// A link that is valid, as its page shows it.
package struct ValidLink: Hashable, Sendable {
    package var kind: OperatorLink.Kind
    /// Whose it is; `nil` for the setup link.
    package var person: Operator?
    package var expiresAt: Timestamp

    package init(kind: OperatorLink.Kind, person: Operator?, expiresAt: Timestamp) {
        self.kind = kind
        self.person = person
        self.expiresAt = expiresAt
    }
}

extension Operators {
    /// Creates a link for the first Operator; `nil` when there is an admin.
    package func newSetupLink() async throws(EngineError) -> OperatorLink? {
        let new = newLink(.setup, for: options.setupTime)
        return try await stored(try await store.insertSetup(new.stored)) ? new.shown : nil
    }

    /// Returns a link without using it.
    ///
    /// - Throws: ``OperatorRefusal/linkGone``.
    package func link(_ secret: String, _ kind: OperatorLink.Kind) async throws(EngineError) -> ValidLink {
        let found = try await validLink(secret, kind)
        return ValidLink(kind: kind, person: found.owner?.record, expiresAt: found.expiresAt)
    }

    /// Makes the first Operator, an admin, by the setup link; all setup links end.
    ///
    /// - Parameters:
    ///   - secret: The link's secret.
    ///   - address: The name to sign in with: 1 through 128 characters.
    ///   - displayName: The name that others see; `nil` or empty for the address.
    ///   - password: 15 through 128 characters.
    ///   - caller: Where the request comes from.
    /// - Returns: A session of stage ``OperatorSession/Stage/enrolment``.
    /// - Throws: ``OperatorRefusal/linkGone``, ``OperatorRefusal/addressTaken``; ``EngineError/invalid(_:)`` for
    ///   `address`, `displayName` or `password`. The link stays valid after these two.
    package func setUp(
        _ secret: String,
        address: String,
        displayName: String?,
        password: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        _ = try await validLink(secret, .setup)
        let new = try newOperator(
            OperatorInvitation(address: address, displayName: displayName, roles: OperatorRoles(everywhere: .admin))
        )
        return try await use(secret, .setup, of: new, displayName: nil, password: password, by: caller)
    }

    /// Accepts an invitation, once.
    ///
    /// - Parameters:
    ///   - secret: The link's secret.
    ///   - displayName: The name that others see; `nil` or empty for the invitation's.
    ///   - password: 15 through 128 characters.
    ///   - caller: Where the request comes from.
    /// - Returns: A session.
    /// - Throws: As ``setUp(_:address:displayName:password:by:)``.
    package func acceptInvitation(
        _ secret: String,
        displayName: String?,
        password: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        guard let owner = try await validLink(secret, .invite).owner else { throw .operators(.linkGone) }
        let name = try Self.checkedName(displayName)
        return try await use(secret, .invite, of: owner, displayName: name, password: password, by: caller)
    }

    /// Sets a new password by a link, once, and ends all sessions.
    ///
    /// - Returns: A session, of stage ``OperatorSession/Stage/secondFactor`` when the Operator has one.
    /// - Throws: As ``setUp(_:address:displayName:password:by:)``.
    package func resetPassword(
        _ secret: String,
        password: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        let link = try await validLink(secret, .reset)
        guard var owner = link.owner else { throw .operators(.linkGone) }
        if link.removesSecondFactor { owner.record.hasSecondFactor = false }
        return try await use(secret, .reset, of: owner, displayName: nil, password: password, by: caller)
    }

    // MARK: - Parts

    /// A new link: as it is stored, and with its secret.
    func newLink(
        _ kind: OperatorLink.Kind,
        for duration: Duration,
        removesSecondFactor: Bool = false
    ) -> (stored: NewOperatorLink, shown: OperatorLink) {
        let (secret, now) = (Base64URL.encode(random(32)), clock.now())
        let stored = NewOperatorLink(
            secret: SecretHash(of: secret),
            kind: kind,
            removesSecondFactor: removesSecondFactor,
            createdAt: now,
            expiresAt: now.advanced(by: duration)
        )
        return (stored, OperatorLink(kind: kind, secret: secret, expiresAt: stored.expiresAt))
    }

    /// An Operator to be inserted, checked.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` for `address`, `displayName`, `role` or `apps`.
    func newOperator(_ invitation: OperatorInvitation) throws(EngineError) -> StoredOperator {
        let name: AccountName
        do {
            name = try AccountName(invitation.address, field: "address")
        } catch {
            throw .invalid(error)
        }
        try Self.check(invitation.roles)
        let record = Operator(
            id: ids.next(),
            address: name.text,
            displayName: try Self.checkedName(invitation.displayName) ?? String(name.text.prefix(64)),
            state: .invited,
            roles: invitation.roles,
            createdAt: clock.now()
        )
        return StoredOperator(record: record, name: name)
    }

    /// A name that others see; `nil` when there is none, or only space.
    static func checkedName(_ text: String?) throws(EngineError) -> String? {
        guard let text, text.contains(where: { !$0.isWhitespace }) else { return nil }
        if let problem = TextLimit(OperatorLimits.displayNames).problem(of: text, allowsLineBreaks: false) {
            throw .wrong("displayName", problem)
        }
        return text
    }

    /// Checks that there is a role, and at most one an App.
    static func check(_ roles: OperatorRoles) throws(EngineError) {
        guard roles.greatest != nil else { throw .wrong("role", "must be given, or roles in apps") }
        guard Set(roles.apps.map(\.app)).count == roles.apps.count, roles.apps.count <= OperatorLimits.apps else {
            throw .wrong("apps", "must have each App once, and at most \(OperatorLimits.apps)")
        }
    }

    // MARK: - Private

    private func validLink(_ secret: String, _ kind: OperatorLink.Kind) async throws(EngineError) -> StoredOperatorLink
    {
        guard secret.utf8.count == 43 else { throw .operators(.linkGone) }
        let found = try await stored(try await store.link(SecretHash(of: secret)))
        guard let found, found.kind == kind, clock.now() < found.expiresAt else { throw .operators(.linkGone) }
        if kind == .setup, try await isSetUp() { throw .operators(.linkGone) }
        return found
    }

    private func use(
        _ secret: String,
        _ kind: OperatorLink.Kind,
        of person: StoredOperator,
        displayName: String?,
        password: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        guard kind == .setup || maySignInWithPassword(person.record) else {
            throw .wrong("password", "passwords are switched off: sign in with the account of the identity provider")
        }
        let place = try enter(caller)
        let names = person.names + [displayName].compactMap(\.self)
        let hash = try await hash(new: password, names: names, place)
        let value = SessionValue.make(random)
        let use = OperatorLinkUse(
            secret: SecretHash(of: secret),
            kind: kind,
            new: kind == .setup ? person : nil,
            displayName: displayName,
            password: hash,
            session: newSession(value, isFull: isFullWithPassword(person.record), by: caller)
        )
        switch try await stored(try await store.use(use, at: clock.now())) {
        case .used(let found): return OpenedSession(value: value, session: session(found))
        case .gone: throw .operators(.linkGone)
        case .addressTaken: throw .operators(.addressTaken)
        }
    }
}
