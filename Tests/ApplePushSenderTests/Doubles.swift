import CarillonEngine
import CarillonModel
import NIOConcurrencyHelpers

final class MovedClock: WallClock {
    private let time = NIOLockedValueBox(Timestamp(rawValue: 1_800_000_000_000))

    func now() -> Timestamp { time.withLockedValue { $0 } }

    func now(plus seconds: Int64) -> Timestamp { Timestamp(rawValue: now().rawValue + seconds * 1000) }

    func advance(seconds: Int64) {
        time.withLockedValue { $0 = Timestamp(rawValue: $0.rawValue + seconds * 1000) }
    }
}

/// Stores tokens like the store: of several writers one wins.
final class KeptTokens: ProviderTokenStore {
    private struct State {
        var tokens: [ProviderKey: StoredProviderToken] = [:]
        var writes = 0
        var failure: StoreError?
    }

    private let state = NIOLockedValueBox(State())

    var writes: Int { state.withLockedValue { $0.writes } }
    var failure: StoreError? {
        get { state.withLockedValue { $0.failure } }
        set { state.withLockedValue { $0.failure = newValue } }
    }

    /// All stored tokens, whichever keys signed them.
    var all: [StoredProviderToken] { state.withLockedValue { Array($0.tokens.values) } }

    /// Saves a token for a key, whoever signed it.
    func put(_ token: StoredProviderToken, of key: ProviderKey) { state.withLockedValue { $0.tokens[key] = token } }

    func providerToken(of key: ProviderKey) async throws(StoreError) -> StoredProviderToken? {
        if let failure { throw failure }
        return state.withLockedValue { $0.tokens[key] }
    }

    func replaceProviderToken(
        of key: ProviderKey,
        seen: Timestamp?,
        with new: StoredProviderToken
    ) async throws(StoreError) -> StoredProviderToken {
        if let failure { throw failure }
        return state.withLockedValue { state in
            if let kept = state.tokens[key], kept.issuedAt != seen { return kept }
            state.tokens[key] = new
            state.writes += 1
            return new
        }
    }
}

/// Apps' accounts, set by a test.
final class SaidAccounts: PushAccounts {
    private let accounts = NIOLockedValueBox<[AppID: PushAccount]>([:])

    func set(_ account: PushAccount) { accounts.withLockedValue { $0[account.app] = account } }

    func account(for app: AppID) async throws(StoreError) -> PushAccount? {
        accounts.withLockedValue { $0[app] }
    }
}
