import Crypto

/// The keys that Apple knows, and the provider tokens it has seen signed by them.
struct SigningKeys: Sendable {
    /// How many verified provider tokens are remembered, so that a client that mints without end costs no memory.
    static let rememberedTokens = 10_000

    /// Grows with every change of a key: what was verified before must be verified anew.
    private(set) var generation = 1
    /// Changes of provider tokens, by the address they came from.
    var sources = ProviderTokenSources()
    /// How many different provider tokens were in order since the start or the last reset.
    private(set) var distinctTokens = 0
    private var keys: [String: SigningKey] = [:]
    private var verified: [[UInt8]: Remembered] = [:]
    private var lastSerial = 0
    /// Tokens that were last verified in an earlier state of the keys are not counted yet.
    private var countedSince = 1

    var all: [SigningKey] { keys.values.sorted { $0.keyID < $1.keyID } }

    /// Everything that was found good is looked at again, as after a change of the rules.
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

    /// Counts distinct tokens anew.
    ///
    /// A token stays the one it was: a connection that goes on with it has not changed its token.
    mutating func resetCount() {
        distinctTokens = 0
        countedSince = generation + 1
        generation += 1
    }

    /// Verifies a provider token; one that was seen before is known by its bytes.
    ///
    /// - Throws: `InvalidProviderToken` when it has no proper form, its key is unknown or another team's, or the
    ///   signature does not hold.
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
        /// The state of the keys in which it was verified.
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

    /// Stands in for the public key of a key nobody told us about.
    private static let stranger = P256.Signing.PrivateKey().publicKey
}
