import Crypto

/// The known keys, and the provider tokens that were verified with them.
struct SigningKeys: Sendable {
    /// Maximum number of cached provider tokens, to bound memory when a client creates new ones without end.
    static let rememberedTokens = 10_000

    /// Increases with every change of a key, which invalidates cached results.
    private(set) var generation = 1
    /// Changes of provider tokens by address.
    var sources = ProviderTokenSources()
    /// Number of different valid provider tokens since the start or the last reset.
    private(set) var distinctTokens = 0
    private var keys: [String: SigningKey] = [:]
    private var verified: [[UInt8]: Remembered] = [:]
    private var lastSerial = 0
    /// Tokens whose last verification is from an earlier generation are not counted yet.
    private var countedSince = 1

    var all: [SigningKey] { keys.values.sorted { $0.keyID < $1.keyID } }

    /// Invalidates all cached results, as after a change of the rules.
    mutating func reconsider() {
        generation += 1
    }

    mutating func add(_ key: SigningKey) {
        keys[key.keyID] = key
        generation += 1
    }

    /// - Returns: Whether there was such a key.
    mutating func revoke(keyID: String) -> Bool {
        generation += 1
        return keys.removeValue(forKey: keyID) != nil
    }

    /// Resets the count of distinct tokens.
    ///
    /// Serial numbers stay: a connection that continues with its token has not changed it.
    mutating func resetCount() {
        distinctTokens = 0
        countedSince = generation + 1
        generation += 1
    }

    /// Verifies a provider token; a token that was verified before is recognised by its bytes.
    ///
    /// - Throws: `InvalidProviderToken` when it is malformed, its key is unknown or another team's, or the signature is
    ///   invalid.
    mutating func verify(_ jwt: ArraySlice<UInt8>, mode: ProviderTokenMode) throws(Rejection) -> ProviderToken {
        let bytes = Array(jwt)
        let known = verified[bytes]
        if let known, known.generation == generation {
            return known.token
        }
        let unverified = try UnverifiedProviderToken(jwt)
        let key = try key(for: unverified, mode: mode)
        let serial = known?.token.serial ?? nextSerial()
        if (known?.generation ?? 0) < countedSince { distinctTokens += 1 }
        let token = ProviderToken(serial: serial, key: key, issuedAt: unverified.issuedAt)
        verified[bytes] = Remembered(token: token, generation: generation)
        return token
    }

    // MARK: - Private

    private struct Remembered {
        var token: ProviderToken
        /// The generation of the keys in which it was verified.
        var generation: Int
    }

    private mutating func nextSerial() -> Int {
        if verified.count >= Self.rememberedTokens {
            verified.removeAll(keepingCapacity: true)
        }
        lastSerial += 1
        return lastSerial
    }

    private func key(
        for token: UnverifiedProviderToken,
        mode: ProviderTokenMode
    ) throws(Rejection) -> SigningKey {
        if let key = keys[token.keyID] {
            guard key.teamID == token.teamID, token.isSigned(by: key.publicKey) else {
                throw Rejection(.invalidProviderToken)
            }
            return key
        }
        guard mode == .anyKey else { throw Rejection(.invalidProviderToken) }
        return SigningKey(keyID: token.keyID, teamID: token.teamID, publicKey: Self.stranger)
    }

    /// The public key for an unknown key id.
    private static let stranger = P256.Signing.PrivateKey().publicKey
}
