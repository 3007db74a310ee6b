package import CarillonModel
package import CarillonOperatorModel

/// A passkey as it is stored.
package struct StoredPasskey: Hashable, Sendable {
    package var record: OperatorPasskey
    package var owner: OperatorID
    package var credentialID: [UInt8]
    /// The public key in COSE's form.
    package var publicKey: [UInt8]
    /// The host that the key was made for.
    package var party: String
    /// What the authenticator counted last; 0 for one that does not count.
    package var signCount: Int64

    package init(
        record: OperatorPasskey,
        owner: OperatorID,
        credentialID: [UInt8],
        publicKey: [UInt8],
        party: String,
        signCount: Int64
    ) {
        self.record = record
        self.owner = owner
        self.credentialID = credentialID
        self.publicKey = publicKey
        self.party = party
        self.signCount = signCount
    }
}

/// What was asked for once, and is answered once.
package struct UsedChallenge: Hashable, Sendable {
    package var hash: SecretHash
    /// From when on nobody accepts it anyway.
    package var expiresAt: Timestamp

    package init(hash: SecretHash, expiresAt: Timestamp) {
        self.hash = hash
        self.expiresAt = expiresAt
    }
}

/// A use of a passkey, whose signature was right.
package struct PasskeyUse: Hashable, Sendable {
    package var id: OperatorPasskeyID
    package var owner: OperatorID
    /// What the authenticator counts now.
    package var signCount: Int64
    package var challenge: UsedChallenge
    package var at: Timestamp

    package init(
        id: OperatorPasskeyID,
        owner: OperatorID,
        signCount: Int64,
        challenge: UsedChallenge,
        at: Timestamp
    ) {
        self.id = id
        self.owner = owner
        self.signCount = signCount
        self.challenge = challenge
        self.at = at
    }
}

/// A passkey to be registered.
package struct NewPasskey: Hashable, Sendable {
    package var passkey: StoredPasskey
    package var challenge: UsedChallenge
    /// Recovery codes for an Operator who has none; nothing changes for one who has some.
    package var recoveryCodes: [SecretHash]

    package init(passkey: StoredPasskey, challenge: UsedChallenge, recoveryCodes: [SecretHash]) {
        self.passkey = passkey
        self.challenge = challenge
        self.recoveryCodes = recoveryCodes
    }
}

/// Stores passkeys of Operators.
package protocol OperatorPasskeyStore: Sendable {
    /// Returns the passkey of a credential; `nil` when there is none.
    func passkey(credential id: [UInt8]) async throws(StoreError) -> StoredPasskey?

    /// Returns an Operator's passkeys, the oldest first.
    func passkeys(of id: OperatorID, limit: Int) async throws(StoreError) -> [StoredPasskey]

    /// Renames an Operator's passkey; false when there is none.
    func rename(
        _ passkey: OperatorPasskeyID,
        of id: OperatorID,
        to name: String
    ) async throws(StoreError) -> Bool

    /// Deletes an Operator's passkey for somebody else, and ends all sessions of the Operator.
    ///
    /// - Parameters:
    ///   - passkey: The passkey.
    ///   - id: The Operator.
    ///   - session: The session of who asks; `nil` for the server.
    /// - Returns: Whether there was such a passkey; `nil` when the session of who asks has ended.
    /// - Throws: ``StoreError``.
    func remove(
        _ passkey: OperatorPasskeyID,
        of id: OperatorID,
        by session: OperatorSessionID?
    ) async throws(StoreError) -> Bool?

    /// Signs in with a passkey: its use is recorded, and a new session is stored; the oldest one ends when there are more
    /// than `limit`.
    ///
    /// - Returns: The session; `nil` when the challenge was used before, the authenticator counts backwards, the passkey is
    ///   gone or the Operator is not active: nothing is written then.
    func signIn(
        with use: PasskeyUse,
        session: NewOperatorSession,
        forgiving attempt: OperatorAttempt,
        limit: Int
    ) async throws(StoreError) -> StoredOperatorSession?
}
