import CarillonBytes
import CarillonModel
package import CarillonOperatorModel

extension Operators {
    /// Asks for a passkey of whoever comes.
    ///
    /// - Parameters:
    ///   - value: The value of the browser's cookie, which need not be of a session.
    ///   - party: The console.
    /// - Returns: What the page asks.
    /// - Throws: ``EngineError/store(_:)`` while nothing can be sealed.
    package func passkeyRequest(
        forBrowser value: String,
        _ party: PasskeyParty
    ) throws(EngineError) -> PasskeyRequest {
        let challenge = PasskeyChallenge(at: clock.now(), random)
        return PasskeyRequest(
            options: PasskeyOptions.assertion(challenge, party, []).text,
            sealed: try challenge.sealed(.signIn, for: value, vault)
        )
    }

    /// Asks for a passkey of who is signed in, or has given the password.
    ///
    /// - Returns: What the page asks; `nil` when the Operator has no passkey for this console.
    package func passkeyRequest(
        proving session: OperatorSession,
        _ value: String,
        _ party: PasskeyParty
    ) async throws(EngineError) -> PasskeyRequest? {
        guard session.owner.passkeys > 0 else { return nil }
        let known = try await storedPasskeys(of: session.owner.id).filter { $0.party == party.id }
        guard !known.isEmpty else { return nil }
        let challenge = PasskeyChallenge(at: clock.now(), random)
        return PasskeyRequest(
            options: PasskeyOptions.assertion(challenge, party, known).text,
            sealed: try challenge.sealed(.proof, for: value, vault)
        )
    }

    /// Asks for a new passkey; nothing is stored.
    ///
    /// - Throws: ``OperatorRefusal/freshAuthenticationRequired``, ``OperatorRefusal/incomplete`` while a code or a passkey is
    ///   missing, ``EngineError/conflict(_:)`` at the maximum number.
    package func beginPasskey(
        _ session: OperatorSession,
        _ value: String,
        _ party: PasskeyParty
    ) async throws(EngineError) -> PasskeyRequest {
        guard session.stage != .secondFactor else { throw .operators(.incomplete) }
        try session.requireFresh(at: clock.now(), options.freshness)
        let known = try await storedPasskeys(of: session.owner.id)
        guard known.count < OperatorLimits.passkeys else {
            throw .conflict("The Operator has \(OperatorLimits.passkeys) passkeys.")
        }
        let challenge = PasskeyChallenge(at: clock.now(), random)
        let user = PasskeyOptions.User(
            id: Base64URL.encode(Self.userHandle(session.owner.id)),
            name: session.owner.address,
            displayName: session.owner.displayName
        )
        return PasskeyRequest(
            options: PasskeyOptions.registration(challenge, party, user, besides: known).text,
            sealed: try challenge.sealed(.registration, for: value, vault)
        )
    }

    /// Registers a passkey, which is a second factor and signs in alone; all other sessions end.
    ///
    /// - Parameters:
    ///   - value: The value of a session of stage ``OperatorSession/Stage/enrolment`` or `full`.
    ///   - name: What the Operator calls it, 1 through 64 characters.
    ///   - proof: The browser's answer.
    /// - Returns: The session, now whole, with a new value, and ten recovery codes if the Operator had none.
    /// - Throws: ``OperatorRefusal/wrongCredentials(of:)`` for an answer that is not as it must be,
    ///   ``OperatorRefusal/freshAuthenticationRequired``, ``OperatorRefusal/noSession``, ``EngineError/conflict(_:)`` for a
    ///   passkey that is registered, ``EngineError/invalid(_:)`` for `name`.
    package func registerPasskey(
        _ value: String,
        name: String,
        _ proof: PasskeyProof
    ) async throws(EngineError) -> NewRecoveryCodes {
        let (found, shown) = try await validSession(value)
        guard shown.stage != .secondFactor else { throw .operators(.incomplete) }
        try shown.requireFresh(at: clock.now(), options.freshness)
        try Self.check(passkeyName: name)
        let owner = found.owner.record
        guard
            let asked = PasskeyChallenge.open(proof.sealed, .registration, of: value, vault, at: clock.now()),
            let (credential, data) = PasskeyAnswer(proof.answer)?.registered(asked.text, proof.party)
        else { throw .operators(.wrongCredentials(of: owner.id)) }
        if try await stored(try await store.passkey(credential: credential.id)) != nil {
            throw .conflict("The passkey is registered.")
        }
        let id: OperatorPasskeyID = ids.next()
        let passkey = StoredPasskey(
            record: OperatorPasskey(id: id, name: name, isSynced: data.isSynced, createdAt: clock.now()),
            owner: owner.id,
            credentialID: credential.id,
            publicKey: credential.publicKey,
            party: proof.party.id,
            signCount: data.signCount
        )
        let codes = owner.recoveryCodes == 0 ? newCodes() : []
        let new = NewPasskey(
            passkey: passkey,
            challenge: asked.used,
            recoveryCodes: codes.map(RecoveryCode.hash(of:))
        )
        let opened = try await renew(value, of: found, with: .newPasskey(new), isFull: true)
        return NewRecoveryCodes(opened: opened, codes: codes)
    }

    /// Signs in with a passkey alone.
    ///
    /// - Parameters:
    ///   - proof: The browser's answer to ``passkeyRequest(forBrowser:_:)``.
    ///   - value: The value of the browser's cookie.
    ///   - caller: Where the request comes from.
    /// - Returns: A new session of stage ``OperatorSession/Stage/full``.
    /// - Throws: ``OperatorRefusal/wrongCredentials(of:)``, ``OperatorRefusal/tooMany(retryAfter:)``.
    package func signIn(
        with proof: PasskeyProof,
        browser value: String,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        guard let asked = PasskeyChallenge.open(proof.sealed, .signIn, of: value, vault, at: clock.now()),
            let answer = PasskeyAnswer(proof.answer)
        else { throw .operators(.wrongCredentials(of: nil)) }
        let attempt = attempt(.passkey, Base64URL.encode(answer.credentialID), by: caller)
        try await begin(attempt)
        let passkey = try await stored(try await store.passkey(credential: answer.credentialID))
        guard let passkey, let use = use(passkey, answer, asked, proof.party) else {
            throw try await failed(passkey?.owner)
        }
        let opened = SessionValue.make(random)
        let found = try await stored(
            try await store.signIn(
                with: use,
                session: newSession(opened, isFull: true, .passkey, by: caller),
                forgiving: attempt,
                limit: options.sessionLimit
            )
        )
        guard let found else { throw try await failed(passkey.owner) }
        return OpenedSession(value: opened, session: session(found))
    }

    /// Gives a session a new value for a passkey of its owner.
    func renew(
        _ value: String,
        of found: StoredOperatorSession,
        withPasskey proof: PasskeyProof,
        by caller: OperatorCaller
    ) async throws(EngineError) -> OpenedSession {
        let owner = found.owner.record.id
        guard let asked = PasskeyChallenge.open(proof.sealed, .proof, of: value, vault, at: clock.now()),
            let answer = PasskeyAnswer(proof.answer)
        else { throw .operators(.wrongCredentials(of: owner)) }
        let attempt = attempt(.passkey, Base64URL.encode(answer.credentialID), by: caller)
        try await begin(attempt)
        let passkey = try await stored(try await store.passkey(credential: answer.credentialID))
        guard let passkey, passkey.owner == owner, let use = use(passkey, answer, asked, proof.party) else {
            throw try await failed(owner)
        }
        do throws(EngineError) {
            return try await renew(value, of: found, with: .passkey(use), forgiving: attempt, isFull: true)
        } catch {
            guard error == .operators(.noSession) else { throw error }
            // It was answered before, or the authenticator counts backwards: there is a copy of it.
            throw try await failed(owner)
        }
    }

    // MARK: The account's own

    /// Returns the Operator's own passkeys and accounts at identity providers.
    package func signIns(of session: OperatorSession) async throws(EngineError) -> OperatorSignIns {
        try await listedSignIns(of: session.owner.id)
    }

    /// Renames one of the Operator's own passkeys.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/invalid(_:)`` for `name`.
    package func renamePasskey(
        _ id: OperatorPasskeyID,
        to name: String,
        of session: OperatorSession
    ) async throws(EngineError) {
        guard session.stage == .full else { throw .operators(.incomplete) }
        try Self.check(passkeyName: name)
        let isRenamed = try await stored(try await store.rename(id, of: session.owner.id, to: name))
        guard isRenamed else { throw .notFound(.operatorPasskey) }
    }

    /// Removes one of the Operator's own passkeys; all other sessions end.
    ///
    /// - Returns: The session with a new value.
    /// - Throws: ``EngineError/notFound(_:)``, ``OperatorRefusal/secondFactorRequired`` for the last second factor of a role
    ///   that needs one, ``OperatorRefusal/freshAuthenticationRequired``.
    package func removePasskey(_ value: String, _ id: OperatorPasskeyID) async throws(EngineError) -> OpenedSession {
        let found = try await freshSession(value)
        let known = try await storedPasskeys(of: found.owner.record.id)
        guard known.contains(where: { $0.record.id == id }) else { throw .notFound(.operatorPasskey) }
        guard mayKeepOnly(found, hasAuthenticator: found.owner.record.hasAuthenticator, passkeys: known.count - 1)
        else { throw .operators(.secondFactorRequired) }
        return try await renew(value, of: found, with: .noPasskey(id))
    }

    /// Whether the role allows an Operator to have no more than some second factors.
    func mayKeepOnly(_ found: StoredOperatorSession, hasAuthenticator: Bool, passkeys: Int) -> Bool {
        hasAuthenticator || passkeys > 0 || !needsSecondFactor(found.owner.record.roles)
            // Who comes from an identity provider or a proxy has the factors of that one.
            || found.method != .passkey && isWhole(found.method)
    }

    // MARK: - Private

    private func storedPasskeys(of id: OperatorID) async throws(EngineError) -> [StoredPasskey] {
        try await stored(try await store.passkeys(of: id, limit: OperatorLimits.passkeys))
    }

    private static func userHandle(_ id: OperatorID) -> [UInt8] { Array(id.description.utf8) }

    private func use(
        _ passkey: StoredPasskey,
        _ answer: PasskeyAnswer,
        _ asked: PasskeyChallenge,
        _ party: PasskeyParty
    ) -> PasskeyUse? {
        guard passkey.party == party.id, let key = PasskeyPublicKey(cose: passkey.publicKey),
            let data = answer.asserted(asked.text, party, by: key, of: Self.userHandle(passkey.owner))
        else { return nil }
        return PasskeyUse(
            id: passkey.record.id,
            owner: passkey.owner,
            signCount: data.signCount,
            challenge: asked.used,
            at: clock.now()
        )
    }

    private static func check(passkeyName name: String) throws(EngineError) {
        guard name.contains(where: { !$0.isWhitespace }) else {
            throw .wrong("name", "must have 1 through \(OperatorLimits.passkeyNames.upperBound) characters")
        }
        if let problem = TextLimit(OperatorLimits.passkeyNames).problem(of: name, allowsLineBreaks: false) {
            throw .wrong("name", problem)
        }
    }
}
