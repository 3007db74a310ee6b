import ApplePush
import CarillonEngine
import CarillonModel
import Crypto
import Foundation

/// The provider token of one key: created once for all connections, stored across restarts, renewed at 50 minutes.
///
/// Concurrent callers, also on other nodes, all get the same one.
actor ProviderTokenCoordinator {
    /// Why there is no token.
    enum Problem: Error, Hashable {
        /// The key cannot sign, or the store does not answer.
        case store(StoreError)
        case badKey
        /// Apple refused the newest token as expired, and another must not be created before a time.
        case stuck(until: Timestamp)
    }

    private let key: SigningKey
    /// The key's id in the store.
    private let name: ProviderKey
    private let store: any ProviderTokenStore
    private let clock: any WallClock
    private var lifetime: ProviderTokenRenewal?
    private var minting: Task<Result<ProviderToken, Problem>, Never>?

    init(key: SigningKey, store: any ProviderTokenStore, clock: any WallClock) {
        self.key = key
        name = ProviderKey(
            keyID: key.keyID,
            teamID: key.teamID,
            publicKeyHash: Array(SHA256.hash(data: key.publicKey.rawRepresentation))
        )
        self.store = store
        self.clock = clock
    }

    /// The current token.
    func token() async throws(Problem) -> ProviderToken {
        if lifetime == nil {
            let kept = try await stored()
            if lifetime == nil { lifetime = ProviderTokenRenewal(stored: kept) }
        }
        let now = clock.now().date
        switch lifetime?.decide(at: now) {
        case .use(let token): return token
        case .stuck(let until): throw .stuck(until: Timestamp(until))
        case .mint: return try await startMinting(at: now)
        case .wait, nil:
            guard let minting else { throw .badKey }
            return try await minting.value.get()
        }
    }

    /// Records that Apple refused a token as expired; ignored when there is a newer one.
    func refusedAsExpired(_ token: ProviderToken) {
        lifetime?.refusedAsExpired(token)
    }

    // MARK: - Private

    private func startMinting(at now: Date) async throws(Problem) -> ProviderToken {
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

    private func mint(at now: Date, seen: ProviderToken?) async -> Result<ProviderToken, Problem> {
        guard let new = try? ProviderToken(signedWith: key, at: now) else { return .failure(.badKey) }
        let minted = StoredProviderToken(token: new.rawValue, issuedAt: Timestamp(new.issuedAt))
        do throws(StoreError) {
            let last = seen.map { Timestamp($0.issuedAt) }
            let kept = try await save(minted, seen: last)
            if kept.isSigned(by: key) { return .success(kept) }
            return .success(try await save(minted, seen: Timestamp(kept.issuedAt)))
        } catch {
            return .failure(.store(error))
        }
    }

    private func save(_ token: StoredProviderToken, seen: Timestamp?) async throws(StoreError) -> ProviderToken {
        ProviderToken(try await store.replaceProviderToken(of: name, seen: seen, with: token), keyID: key.keyID)
    }

    /// The stored token, if this key has signed it: another key's token would be refused.
    private func stored() async throws(Problem) -> ProviderToken? {
        do throws(StoreError) {
            let kept = try await store.providerToken(of: name).map { ProviderToken($0, keyID: key.keyID) }
            return kept.flatMap { $0.isSigned(by: key) ? $0 : nil }
        } catch {
            throw .store(error)
        }
    }
}

extension ProviderToken {
    fileprivate init(_ stored: StoredProviderToken, keyID: String) {
        self.init(rawValue: stored.token, keyID: keyID, issuedAt: stored.issuedAt.date)
    }
}
