import CarillonBytes
import CarillonModel
package import CarillonOperatorModel

/// What an Operator chooses on the account page; only what is given changes.
package struct OperatorPreferences: Hashable, Sendable {
    /// A new value of a preference that may be without one.
    package enum Choice: Hashable, Sendable {
        case unchanged
        /// As the browser or the App says.
        case automatic
        case value(String)
    }

    package var displayName: String?
    /// One of ``OperatorPreferences/languages``.
    package var language = Choice.unchanged
    /// The name of an IANA time zone.
    package var zone = Choice.unchanged
    package var theme: Operator.Theme?

    /// The languages of the console.
    package static let languages = ["en", "ja", "ko", "zh-Hant"]

    package init() {}
}

/// A second factor that is being set up: shown once, to be confirmed by its first code.
package struct SecondFactorEnrolment: Hashable, Sendable {
    /// The secret in base 32, to be typed into an authenticator.
    package var secret: String
    /// The same as an `otpauth:` URL, for a QR code.
    package var url: String
    /// The secret sealed for this session, which the form carries until it is confirmed; nothing is stored before.
    package var sealed: String

    package init(secret: String, url: String, sealed: String) {
        self.secret = secret
        self.url = url
        self.sealed = sealed
    }
}

/// A session with new recovery codes, which are shown once.
package struct NewRecoveryCodes: Hashable, Sendable {
    package var opened: OpenedSession
    package var codes: [String]

    package init(opened: OpenedSession, codes: [String]) {
        self.opened = opened
        self.codes = codes
    }
}

extension Operators {
    /// The maximum number of sessions in a list.
    static let listedSessions = 100

    /// Changes what the Operator chooses.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` for `displayName`, `language` or `zone`.
    package func setPreferences(
        _ preferences: OperatorPreferences,
        of session: OperatorSession
    ) async throws(EngineError) -> OperatorChange<Operator> {
        guard session.stage == .full else { throw .operators(.incomplete) }
        if let name = preferences.displayName, try Self.checkedName(name) == nil {
            throw .wrong("displayName", "must have 1 through 64 characters")
        }
        if case .value(let language) = preferences.language, !OperatorPreferences.languages.contains(language) {
            throw .wrong("language", "must be one of \(OperatorPreferences.languages.joined(separator: ", "))")
        }
        if case .value(let zone) = preferences.zone, LocalClock(named: zone) == nil {
            throw .wrong("zone", "must be an IANA time zone")
        }
        return try changed(
            session.owner.id,
            try await stored(try await store.setPreferences(preferences, of: session.owner.id))
        )
    }

    /// Changes the password and ends all other sessions.
    ///
    /// - Parameters:
    ///   - value: The value of a session of stage ``OperatorSession/Stage/full``.
    ///   - old: The password of now, whether the session is fresh or not.
    ///   - new: 15 through 128 characters.
    ///   - caller: Where the request comes from.
    /// - Returns: The session with a new value.
    /// - Throws: As ``signIn(address:password:by:)``; ``EngineError/invalid(_:)`` for `newPassword`.
    package func changePassword(
        _ value: String,
        from old: String,
        to new: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        let (found, shown) = try await validSession(value)
        guard shown.stage == .full else { throw .operators(.incomplete) }
        guard let former = found.owner.password else { throw .operators(.noSession) }
        // Before the password of now: a refused new one is no wrong attempt.
        try await check(new: new, names: found.owner.names, field: "newPassword")
        let attempt = try await verifyOwn(old, of: found.owner, by: caller)
        let place = try await enter(caller, for: attempt)
        let hash = try await hash(new: new, names: found.owner.names, field: "newPassword", place)
        return try await renew(value, of: found, with: .password(hash, former: former), forgiving: attempt)
    }

    // MARK: Second factor

    /// Begins to set up a second factor; nothing is stored.
    ///
    /// - Throws: ``OperatorRefusal/freshAuthenticationRequired``, ``OperatorRefusal/incomplete`` while a code of the former
    ///   one is missing.
    package func beginSecondFactor(_ session: OperatorSession) throws(EngineError) -> SecondFactorEnrolment {
        guard session.stage != .secondFactor else { throw .operators(.incomplete) }
        try session.requireFresh(at: clock.now(), options.freshness)
        let secret = random(OneTimeCode.secretByteCount)
        let sealed = try vault.sealed(secret, purpose: .enrolment(session.id))
        return enrolment(secret, Base64URL.encode(sealed), session.owner)
    }

    /// Returns a second factor that is being set up, to show its page again; `nil` when it is not of this session.
    package func secondFactor(sealed: String, of session: OperatorSession) -> SecondFactorEnrolment? {
        secret(sealed, session.id).map { enrolment($0, sealed, session.owner) }
    }

    /// Sets up the second factor, which replaces a former one, and makes new recovery codes; all other sessions end.
    ///
    /// - Parameters:
    ///   - value: The value of a session of stage ``OperatorSession/Stage/enrolment`` or `full`.
    ///   - sealed: What ``beginSecondFactor(_:)`` sealed.
    ///   - code: The authenticator's first code.
    ///   - caller: Where the request comes from.
    /// - Returns: The session, now whole, with a new value, and ten recovery codes.
    /// - Throws: ``OperatorRefusal/wrongCredentials(of:)`` for a wrong code, ``OperatorRefusal/tooMany(retryAfter:)``,
    ///   ``OperatorRefusal/freshAuthenticationRequired``, ``OperatorRefusal/noSession``.
    package func confirmSecondFactor(
        _ value: String,
        sealed: String,
        code: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> NewRecoveryCodes {
        let (found, shown) = try await validSession(value)
        guard shown.stage != .secondFactor else { throw .operators(.incomplete) }
        try shown.requireFresh(at: clock.now(), options.freshness)
        guard let secret = secret(sealed, shown.id) else { throw .operators(.noSession) }
        let id = shown.owner.id
        let attempt = attempt(.code, id.description, by: caller)
        try await begin(attempt)
        let typed = code.filter { !$0.isWhitespace }
        guard let step = OneTimeCode(secret: secret).step(of: typed, at: clock.now().rawValue) else {
            throw try await failed(id)
        }
        let codes = newCodes()
        let change = SessionChange.secondFactor(
            sealed: try vault.sealed(secret, purpose: .secondFactor(id)),
            step: step,
            recoveryCodes: codes.map(RecoveryCode.hash(of:))
        )
        let opened = try await renew(value, of: found, with: change, forgiving: attempt, isFull: true)
        return NewRecoveryCodes(opened: opened, codes: codes)
    }

    /// Removes the second factor; all other sessions end.
    ///
    /// - Returns: The session with a new value.
    /// - Throws: ``OperatorRefusal/secondFactorRequired`` when the role needs one,
    ///   ``OperatorRefusal/freshAuthenticationRequired``.
    package func removeSecondFactor(
        _ value: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        let found = try await freshSession(value)
        guard mayKeepOnly(found, hasAuthenticator: false, passkeys: found.owner.record.passkeys) else {
            throw .operators(.secondFactorRequired)
        }
        return try await renew(value, of: found, with: .noSecondFactor)
    }

    /// Replaces the recovery codes.
    ///
    /// - Returns: The session with a new value, and ten recovery codes.
    /// - Throws: ``OperatorRefusal/freshAuthenticationRequired``, ``EngineError/conflict(_:)`` without a second factor.
    package func newRecoveryCodes(
        _ value: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> NewRecoveryCodes {
        let found = try await freshSession(value)
        guard found.owner.record.hasSecondFactor else { throw .conflict("The Operator has no second factor.") }
        let codes = newCodes()
        let change = SessionChange.recoveryCodes(codes.map(RecoveryCode.hash(of:)))
        return NewRecoveryCodes(opened: try await renew(value, of: found, with: change), codes: codes)
    }

    // MARK: Sessions

    /// Returns the Operator's own sessions, the latest first; at most 100.
    package func sessions(of session: OperatorSession) async throws(EngineError) -> [OperatorSessionRecord] {
        try await validRecords(of: session.owner.id)
    }

    /// Ends one of the Operator's own sessions.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the Operator has no such session.
    package func endSession(_ id: OperatorSessionID, of session: OperatorSession) async throws(EngineError) {
        let hasEnded = try await stored(try await store.endSession(id, of: session.owner.id))
        guard hasEnded else { throw .notFound(.operatorSession) }
    }

    /// Ends all other sessions of the Operator.
    ///
    /// - Returns: How many ended.
    /// - Throws: ``EngineError/store(_:)``.
    @discardableResult
    package func endOtherSessions(of session: OperatorSession) async throws(EngineError) -> Int {
        try await stored(try await store.endSessions(of: session.owner.id, except: session.id))
    }

    /// The sessions of an Operator that have not expired.
    func validRecords(of id: OperatorID) async throws(EngineError) -> [OperatorSessionRecord] {
        let found = try await stored(try await store.sessions(of: id, limit: Self.listedSessions))
        let now = clock.now()
        return found.filter { record in
            now < record.createdAt.advanced(by: options.lifetime) && now < record.usedAt.advanced(by: options.idleTime)
        }
    }

    // MARK: - Private

    /// A whole session with a fresh authentication.
    func freshSession(_ value: String) async throws(EngineError) -> StoredOperatorSession {
        let (found, shown) = try await validSession(value)
        guard shown.stage == .full else { throw .operators(.incomplete) }
        try shown.requireFresh(at: clock.now(), options.freshness)
        return found
    }

    private func enrolment(_ secret: [UInt8], _ sealed: String, _ owner: Operator) -> SecondFactorEnrolment {
        let code = OneTimeCode(secret: secret)
        return SecondFactorEnrolment(secret: code.text, url: code.url(account: owner.address), sealed: sealed)
    }

    private func secret(_ sealed: String, _ session: OperatorSessionID) -> [UInt8]? {
        guard sealed.utf8.count <= 512, let bytes = Base64URL.decode(sealed.utf8) else { return nil }
        return vault.open(bytes, purpose: .enrolment(session))
    }

    func newCodes() -> [String] { (0..<RecoveryCode.count).map { _ in RecoveryCode.make(random) } }
}

extension String {
    /// The purpose under which the secret of a second factor is sealed that is being set up.
    fileprivate static func enrolment(_ session: OperatorSessionID) -> String { "operator-enrolment \(session)" }
}
