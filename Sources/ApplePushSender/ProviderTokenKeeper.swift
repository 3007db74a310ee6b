import ApplePush
import CarillonEngine
import CarillonModel

/// The provider token of one key: minted once for all connections, kept across restarts, renewed at 50 minutes.
///
/// Of callers that come while it is being minted, here or on another node, all get the same one.
actor ProviderTokenKeeper {
    /// Why there is no token now.
    enum Problem: Error, Hashable {
        /// The key cannot sign, or the store cannot be reached.
        case store(StoreError)
        case badKey
        /// Apple refused the newest token as expired, and another may not be minted before a time.
        case stuck(until: Timestamp)
    }

    private let key: SigningKey
    private let store: any ProviderTokenStore
    private let clock: any WallClock
    private var lifetime: ProviderTokenLifetime?
    private var minting: Task<Result<ProviderToken, Problem>, Never>?

    init(key: SigningKey, store: any ProviderTokenStore, clock: any WallClock) {
        self.key = key
        self.store = store
        self.clock = clock
    }

    /// The token to send with now.
    func token() async throws(Problem) -> ProviderToken {
        if lifetime == nil {
            let kept = try await stored()
            if lifetime == nil { lifetime = ProviderTokenLifetime(stored: kept) }
        }
        let now = clock.now().rawValue / 1000
        switch lifetime?.decide(at: now) {
        case .use(let token): return token
        case .stuck(let until): throw .stuck(until: Timestamp(rawValue: until * 1000))
        case .mint: return try await startMinting(at: now)
        case .wait, nil:
            guard let minting else { throw .badKey }
            return try await minting.value.get()
        }
    }

    /// Notes that Apple refused a token as expired; a newer one than that is left alone.
    func refusedAsExpired(_ token: ProviderToken) {
        lifetime?.refusedAsExpired(token)
    }

    // MARK: - Private

    private func startMinting(at now: Int64) async throws(Problem) -> ProviderToken {
        let seen = lifetime?.latest
        let task = Task { await mint(at: now, seen: seen) }
        minting = task
        let result = await task.value
        minting = nil
        switch result {
        case .success(let token): lifetime?.minted(token)
        case .failure: lifetime?.mintingFailed()
        }
        return try result.get()
    }

    private func mint(at now: Int64, seen: ProviderToken?) async -> Result<ProviderToken, Problem> {
        guard let new = try? ProviderToken(signedWith: key, at: now) else { return .failure(.badKey) }
        do throws(StoreError) {
            let kept = try await store.replaceProviderToken(
                keyID: key.keyID,
                teamID: key.teamID,
                seen: seen.map { Timestamp(rawValue: $0.issuedAt * 1000) },
                with: StoredProviderToken(token: new.rawValue, issuedAt: Timestamp(rawValue: now * 1000))
            )
            return .success(ProviderToken(kept, keyID: key.keyID))
        } catch {
            return .failure(.store(error))
        }
    }

    private func stored() async throws(Problem) -> ProviderToken? {
        do throws(StoreError) {
            return try await store.providerToken(keyID: key.keyID, teamID: key.teamID)
                .map { ProviderToken($0, keyID: key.keyID) }
        } catch {
            throw .store(error)
        }
    }
}

extension ProviderToken {
    fileprivate init(_ stored: StoredProviderToken, keyID: String) {
        self.init(rawValue: stored.token, keyID: keyID, issuedAt: stored.issuedAt.rawValue / 1000)
    }
}
