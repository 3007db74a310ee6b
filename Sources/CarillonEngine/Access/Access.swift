package import CarillonModel
package import CarillonOperatorModel

/// The caller: what an API key allows, and for which App.
package struct Principal: Hashable, Sendable {
    package var key: APIKeyID
    /// The App it belongs to; `nil` for a key of the server.
    package var app: AppID?
    package var scopes: Set<APIKeyScope>
    /// When the key expires; `nil` when it does not.
    package var expiresAt: Timestamp?
    /// The maximum number of Devices of one of its Campaigns; `nil` for no limit.
    package var recipientsPerCampaign: Int?
    /// The maximum number of Devices of an hour's Campaigns; `nil` for no limit.
    package var recipientsPerHour: Int?

    package init(key: APIKeyID, app: AppID?, scopes: Set<APIKeyScope>, expiresAt: Timestamp? = nil) {
        self.key = key
        self.app = app
        self.scopes = scopes
        self.expiresAt = expiresAt
    }
}

/// Identifies callers, and creates and deletes API keys.
///
/// The store has only the SHA-256 of a secret. A lookup is cached for four seconds on this node; revoking a key ends it
/// here at once, and on other nodes within that time.
package struct Access: Sendable {
    private static let cacheLifetime = Duration.seconds(4)
    /// The resolution of the time at which a key was last used.
    private static let useInterval = Duration.seconds(3_600)

    private let keys: any APIKeyStore
    private let apps: any AppStore
    private let appKeys: AppKeyCache
    private let vault: Vault
    private let ids: IDSource
    private let clock: any WallClock
    private let random: RandomBytes
    private let principals: CachedLookup<SecretHash, APIKey>

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - keys: Stores API keys.
    ///   - apps: Stores Apps.
    ///   - appKeys: The cache that ``Apps`` invalidates when an App's keys are rotated.
    ///   - vault: Seals the first key's secret until it is used.
    ///   - ids: Generates ids.
    ///   - clock: Decides whether a key has expired.
    ///   - random: Generates secrets.
    ///   - instant: The monotonic clock of cached lookups.
    package init(
        keys: any APIKeyStore,
        apps: any AppStore,
        appKeys: AppKeyCache,
        vault: Vault,
        ids: IDSource,
        clock: any WallClock,
        random: RandomBytes = .system,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.keys = keys
        self.apps = apps
        self.appKeys = appKeys
        self.vault = vault
        self.ids = ids
        self.clock = clock
        self.random = random
        principals = CachedLookup(
            capacity: 10_000,
            lifetime: Self.cacheLifetime,
            missLifetime: .seconds(2),
            now: instant
        )
    }

    /// The key that a secret of `Authorization: Bearer` belongs to; `nil` when the key is unknown, revoked or expired.
    package func principal(bearer secret: String) async throws(EngineError) -> Principal? {
        guard secret.utf8.count <= 128, secret.hasPrefix("ck_") else { return nil }
        let hash = SecretHash(of: secret)
        let key = try await stored(
            try await principals.value(of: hash) { () async throws(StoreError) in try await usedKey(hash) }
        )
        guard let key else { return nil }
        if let expiry = key.expiresAt, expiry <= clock.now() { return nil }
        var principal = Principal(key: key.id, app: key.app, scopes: Set(key.scopes), expiresAt: key.expiresAt)
        principal.recipientsPerCampaign = key.recipientsPerCampaign
        principal.recipientsPerHour = key.recipientsPerHour
        return principal
    }

    /// Whether a secret of `Authorization: Bearer` belongs to a key, according to the cache.
    package func isKnown(bearer secret: String) -> Bool {
        secret.utf8.count <= 128 && principals.hasValue(of: SecretHash(of: secret))
    }

    /// Whether an App key belongs to an App, according to the cache.
    package func isKnown(appKey: String) -> Bool { appKeys.lookup.hasValue(of: appKey) }

    /// The App that an App key belongs to; `nil` when there is none.
    package func app(appKey: String) async throws(EngineError) -> AppID? {
        guard appKey.utf8.count <= 128, appKey.hasPrefix("ak_") else { return nil }
        return try await stored(
            try await appKeys.lookup.value(of: appKey) { () async throws(StoreError) in
                try await apps.app(keyHash: SecretHash(of: appKey), at: clock.now())
            }
        )
    }

    /// Creates an API key; its secret is returned only here.
    ///
    /// - Parameters:
    ///   - app: The App it belongs to; `nil` for a key of the server.
    ///   - request: The key's name, scope and expiry.
    ///   - maker: The key of the caller, which the new one must not outlive; `nil` for the server itself.
    ///   - repeatable: Stores the answer for a repeated request.
    /// - Returns: The key with its secret.
    /// - Throws: ``EngineError/notFound(_:)`` when its App does not exist, ``EngineError/invalid(_:)`` when it would
    ///   have expired already or outlives the caller's key.
    package func createKey(
        app: AppID? = nil,
        _ request: APIKeyRequest,
        by maker: Principal? = nil,
        for repeatable: IdempotentRequest<APIKeySecret>? = nil
    ) async throws(EngineError) -> APIKeySecret {
        if let expiry = request.expiresAt, expiry <= clock.now() {
            throw .invalid(FieldError(field: "expiresAt", problem: "must be in the future"))
        }
        if let limit = maker?.expiresAt, request.expiresAt.map({ $0 > limit }) ?? true {
            let problem = "must be given and not be after \(limit), when the key that makes it expires"
            throw .invalid(FieldError(field: "expiresAt", problem: problem))
        }
        let new = newKey(app, request)
        let isKept = try await stored(try await keys.insert(new.stored, for: repeatable?.map { new.shown }))
        guard isKept else { throw .notFound(.app) }
        return new.shown
    }

    /// Returns keys in order of creation.
    ///
    /// - Parameters:
    ///   - app: The keys' App; `nil` for all keys.
    ///   - after: The last one of the page before.
    ///   - limit: 1 through 1,000.
    /// - Returns: The page; empty when there are none.
    /// - Throws: ``EngineError/store(_:)``.
    package func keys(app: AppID?, after: APIKeyID?, limit: Int) async throws(EngineError) -> Page<APIKey> {
        let limit = min(max(1, limit), 1_000)
        let found = try await stored(try await keys.keys(app: app, after: after, limit: limit + 1))
        return Page(found, limit: limit) { $0.id.description }
    }

    /// Deletes a key; it stops working at once.
    ///
    /// - Parameters:
    ///   - id: The key.
    ///   - app: Only if it belongs to this App; `nil` for any key.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such key, ``EngineError/conflict(_:)`` when nobody could
    ///   administer the server without it.
    package func revokeKey(_ id: APIKeyID, within app: AppID?) async throws(EngineError) {
        let now = clock.now()
        let deletion = try await stored(try await keys.delete(id, app: app, now: now))
        principals.invalidate { _, key in key.id == id }
        switch deletion {
        case .deleted: break
        case .unknown: throw .notFound(.key)
        case .isLastAdministrator:
            throw .conflict(
                "The key is the server's last one with the scope admin. Create another one first, without app: POST /v1/keys."
            )
        }
    }

    /// Returns the server's first key, with all scopes, while it is unused; creates it when there is no key at all.
    ///
    /// Each start returns the same key until it is used, so a failed start or lost output does not lock the operator
    /// out. After its first use, its secret is deleted.
    ///
    /// - Returns: `nil` when it was used, or other keys exist.
    /// - Throws: ``EngineError/store(_:)``, also when the master key does not open it.
    package func firstKey() async throws(EngineError) -> APIKeySecret? {
        let new = newKey(nil, APIKeyRequest(name: "first", scopes: APIKeyScope.allCases))
        let sealed = try vault.sealed(Array(new.shown.secret.utf8), purpose: .firstKey(new.shown.key.id))
        let unused = try await stored(try await keys.insertFirst(new.stored, sealedSecret: sealed))
        guard let unused else { return nil }
        guard let secret = vault.open(unused.sealedSecret, purpose: .firstKey(unused.key.id)) else {
            throw .store(.failed("The first API key cannot be decrypted with this master key."))
        }
        return APIKeySecret(key: unused.key, secret: String(decoding: secret, as: UTF8.self))
    }

    // MARK: - Private

    /// Returns the key of a secret and records its use, at most once an hour, so that reads cause few writes.
    private func usedKey(_ hash: SecretHash) async throws(StoreError) -> APIKey? {
        guard var key = try await keys.key(secretHash: hash) else { return nil }
        let now = clock.now()
        if let expiry = key.expiresAt, expiry <= now { return key }
        if let last = key.lastUsedAt {
            guard last < now.advanced(by: .zero - Self.useInterval) else { return key }
            // A request must not fail because its use cannot be recorded.
            try? await keys.markUsed(key.id, at: now)
        } else {
            try await keys.markUsed(key.id, at: now)
        }
        key.lastUsedAt = now
        return key
    }

    private func newKey(_ app: AppID?, _ request: APIKeyRequest) -> (stored: StoredAPIKey, shown: APIKeySecret) {
        let secret = Secret.text(prefix: "ck", random: random)
        let key = APIKey(id: ids.next(), app: app, request: request, createdAt: clock.now())
        return (StoredAPIKey(key: key, secretHash: SecretHash(of: secret)), APIKeySecret(key: key, secret: secret))
    }
}

extension String {
    /// The purpose under which the first key's secret is sealed.
    static func firstKey(_ id: APIKeyID) -> String { "first-api-key \(id)" }
}

/// Cached lookups of App keys; ``Access`` reads it, ``Apps`` invalidates it.
package final class AppKeyCache: Sendable {
    let lookup = CachedLookup<String, AppID>(capacity: 10_000, lifetime: .seconds(10), missLifetime: .seconds(2))

    package init() {}
}
