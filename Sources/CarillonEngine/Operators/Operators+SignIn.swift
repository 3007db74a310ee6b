import CarillonModel
import CarillonOperatorModel

/// What an Operator proves identity with.
package enum OperatorProof: Hashable, Sendable {
    case password(String)
    /// Six digits of the authenticator, or a recovery code.
    case code(String)
    case passkey(PasskeyProof)
}

extension Operators {
    /// The resolution of the time at which a session was used last, in milliseconds.
    private static let useInterval: Int64 = 30_000

    /// Signs in with a password.
    ///
    /// - Parameters:
    ///   - address: The Operator's address, whatever its case.
    ///   - password: The password.
    ///   - caller: Where the request comes from.
    /// - Returns: A new session; its stage says what is missing.
    /// - Throws: ``OperatorRefusal/wrongCredentials(of:)``, ``OperatorRefusal/tooMany(retryAfter:)``,
    ///   ``OperatorRefusal/busy``.
    package func signIn(
        address: String,
        password: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        let key = AccountName(named: address)?.key ?? "?" + address.lowercased().prefix(256)
        let attempt = attempt(.name, key, by: caller)
        try await begin(attempt)
        let place = try await enter(caller, for: attempt)
        let person = try await stored(try await store.find(named: key))
        // Nobody's password costs as much time.
        let finding = try await verify(password, person?.password, place)
        guard let person, finding != .wrong, person.record.state == .active, maySignInWithPassword(person.record) else {
            throw try await failed(person?.record.id)
        }
        var rehashed: PasswordHash?
        if case .rehashed(let hash) = finding { rehashed = hash }
        let value = SessionValue.make(random)
        let new = newSession(value, isFull: isFullWithPassword(person.record), by: caller)
        let found = try await stored(
            try await store.signIn(
                person,
                session: new,
                rehashed: rehashed,
                forgiving: attempt,
                limit: options.sessionLimit
            )
        )
        guard let found else { throw try await failed(person.record.id) }
        return OpenedSession(value: value, session: session(found))
    }

    /// Passes the second factor with a passkey.
    ///
    /// - Parameters:
    ///   - value: The value of a session of stage ``OperatorSession/Stage/secondFactor``.
    ///   - proof: The browser's answer to ``passkeyRequest(proving:_:_:)``.
    ///   - caller: Where the request comes from.
    /// - Returns: The session with a new value.
    /// - Throws: As ``passSecondFactor(_:code:by:)``.
    package func passSecondFactor(
        _ value: String,
        passkey proof: PasskeyProof,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        let (found, shown) = try await validSession(value)
        guard shown.stage == .secondFactor else { throw .operators(.noSession) }
        return try await renew(value, of: found, withPasskey: proof, by: caller)
    }

    /// Passes the second factor with a code of the authenticator, or with a recovery code.
    ///
    /// - Parameters:
    ///   - value: The value of a session of stage ``OperatorSession/Stage/secondFactor``.
    ///   - code: Six digits, or a recovery code.
    ///   - caller: Where the request comes from.
    /// - Returns: The session with a new value.
    /// - Throws: As ``signIn(address:password:by:)``; ``OperatorRefusal/noSession``.
    package func passSecondFactor(
        _ value: String,
        code: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        let (found, shown) = try await validSession(value)
        guard shown.stage == .secondFactor else { throw .operators(.noSession) }
        return try await renew(value, of: found, withCode: code, by: caller)
    }

    /// Proves anew who is there, with the password or, for an Operator with a second factor, with a code.
    ///
    /// - Parameters:
    ///   - value: The value of a session of stage ``OperatorSession/Stage/full``.
    ///   - proof: The password, six digits, or a recovery code.
    ///   - caller: Where the request comes from.
    /// - Returns: The session with a new value.
    /// - Throws: As ``passSecondFactor(_:code:by:)``.
    package func authenticate(
        _ value: String,
        with proof: OperatorProof,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        let (found, shown) = try await validSession(value)
        guard shown.stage != .secondFactor else { throw .operators(.incomplete) }
        switch proof {
        case .code(let code): return try await renew(value, of: found, withCode: code, by: caller)
        case .passkey(let proof): return try await renew(value, of: found, withPasskey: proof, by: caller)
        case .password(let password):
            let attempt = try await verifyOwn(password, of: found.owner, by: caller)
            return try await renew(value, of: found, with: .nothing, forgiving: attempt)
        }
    }

    /// Returns the session of a value, and records its use.
    ///
    /// - Returns: `nil` when it is unknown, ended or expired.
    /// - Throws: ``EngineError/store(_:)``.
    package func session(_ value: String, by caller: OperatorCaller) async throws(EngineError) -> OperatorSession? {
        var session: OperatorSession
        do throws(EngineError) {
            session = try await validSession(value).shown
        } catch {
            guard error == .operators(.noSession) else { throw error }
            return nil
        }
        let now = clock.now()
        if now.rawValue - session.usedAt.rawValue >= Self.useInterval || session.address != caller.address {
            // A request must not fail because its use cannot be recorded.
            try? await store.markUsed(session.id, at: now, address: caller.address)
            (session.usedAt, session.address) = (now, caller.address)
            session.idleAt = now.advanced(by: options.idleTime)
        }
        return session
    }

    /// Whether a session has neither ended nor expired, for what goes on beyond its request; no use is recorded.
    package func isOpen(_ session: OperatorSession) async -> Bool {
        let open = try? await validRecords(of: session.owner.id)
        return open?.contains { $0.id == session.id } ?? false
    }

    /// Whether something that needs a fresh authentication may be done now.
    package func isFresh(_ session: OperatorSession) -> Bool {
        (try? session.requireFresh(at: clock.now(), options.freshness)) != nil
    }

    /// Ends the session of a value; nothing when there is none.
    ///
    /// - Returns: The session that ended, for the audit log.
    /// - Throws: ``EngineError/store(_:)``.
    @discardableResult
    package func signOut(_ value: String) async throws(EngineError) -> OperatorSession? {
        guard let hash = SessionValue.hash(of: value) else { return nil }
        let found = try await stored(try await store.session(hash))
        guard let found else { return nil }
        _ = try await stored(try await store.endSession(found.id, of: found.owner.record.id))
        return session(found)
    }
}

// MARK: - Renewals

extension Operators {
    /// Whether the password alone signs in whole.
    func isFullWithPassword(_ record: Operator) -> Bool {
        !record.hasSecondFactor && !needsSecondFactor(record.roles)
    }

    /// Verifies the password of an Operator who has a session; wrong ones count as wrong sign-ins.
    ///
    /// - Returns: The attempt, to be forgiven.
    /// - Throws: As ``signIn(address:password:by:)``.
    func verifyOwn(
        _ password: String,
        of person: StoredOperator,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OperatorAttempt {
        let attempt = attempt(.name, person.name.key, by: caller)
        try await begin(attempt)
        let place = try await enter(caller, for: attempt)
        guard try await verify(password, person.password, place) != .wrong, maySignInWithPassword(person.record) else {
            throw try await failed(person.record.id)
        }
        return attempt
    }

    /// Gives a session a new value, and makes a change with it.
    ///
    /// - Throws: ``OperatorRefusal/noSession`` when it has ended meanwhile, or the change is not possible any more.
    func renew(
        _ value: String,
        of found: StoredOperatorSession,
        with change: SessionChange,
        forgiving attempt: OperatorAttempt? = nil,
        isFull: Bool? = nil
    ) async throws(EngineError) -> OpenedSession {
        let new = SessionValue.make(random)
        let renewal = SessionRenewal(
            former: SecretHash(of: value),
            value: SecretHash(of: new),
            at: clock.now(),
            isFull: isFull ?? found.isFull
        )
        let renewed = try await stored(try await store.renew(renewal, with: change, forgiving: attempt))
        guard let renewed else { throw .operators(.noSession) }
        return OpenedSession(value: new, session: session(renewed))
    }

    /// Gives a session a new value for a code.
    private func renew(
        _ value: String,
        of found: StoredOperatorSession,
        withCode code: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        let owner = found.owner
        // Somebody with passkeys alone has recovery codes too.
        guard owner.record.hasSecondFactor else { throw .operators(.noSession) }
        let secondFactor = try secondFactor(of: owner)
        let attempt = attempt(.code, owner.record.id.description, by: caller)
        try await begin(attempt)
        let typed = code.filter { !$0.isWhitespace }
        let change: SessionChange
        if typed.count == 6, typed.allSatisfy(\.isNumber) {
            guard let step = secondFactor?.step(of: typed, at: clock.now().rawValue) else {
                throw try await failed(owner.record.id)
            }
            change = .code(step: step)
        } else {
            change = .recoveryCode(RecoveryCode.hash(of: typed))
        }
        do throws(EngineError) {
            return try await renew(value, of: found, with: change, forgiving: attempt, isFull: true)
        } catch {
            guard error == .operators(.noSession) else { throw error }
            // The code was used before, here or on another node, or there is no such recovery code.
            throw try await failed(owner.record.id)
        }
    }

    /// Opens the second factor of an Operator; `nil` without one.
    ///
    /// - Throws: ``EngineError/store(_:)`` when the master key does not open it.
    private func secondFactor(of person: StoredOperator) throws(EngineError) -> OneTimeCode? {
        guard let sealed = person.secondFactor else { return nil }
        guard let secret = vault.open(sealed, purpose: .secondFactor(person.record.id)) else {
            throw .store(.failed("The second factor of an Operator cannot be decrypted with this master key."))
        }
        return OneTimeCode(secret: secret)
    }
}

extension String {
    /// The purpose under which the secret of a second factor is sealed.
    static func secondFactor(_ id: OperatorID) -> String { "operator-second-factor \(id)" }
}
