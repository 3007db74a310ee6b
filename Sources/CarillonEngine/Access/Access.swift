package import CarillonModel
package import CarillonOperatorModel

/// Who speaks: what an API key may do, and for which App.
package struct Principal: Hashable, Sendable {
    package var key: APIKeyID
    /// The App it belongs to; `nil` for a key of the server.
    package var app: AppID?
    package var scopes: Set<APIKeyScope>
    /// When the key ends; `nil` when it does not.
    package var expiresAt: Timestamp?

    package init(key: APIKeyID, app: AppID?, scopes: Set<APIKeyScope>, expiresAt: Timestamp? = nil) {
        self.key = key
        self.app = app
        self.scopes = scopes
        self.expiresAt = expiresAt
    }
}

/// Tells who speaks, and hands keys out.
///
/// Of a secret the store has SHA-256 alone. What was looked up is trusted for ten seconds on this node; revoking here
/// ends it here at once, and on other nodes within that time.
package struct Access: Sendable {
    private static let cacheLifetime = Duration.seconds(10)
    /// How exactly it is known when a key was last used.
    private static let useInterval = Duration.seconds(3_600)

    private let keys: any APIKeyStore
    private let apps: any AppStore
    private let appKeys: AppKeyCache
    private let vault: Vault
    private let ids: IDSource
    private let clock: any WallClock
    private let random: RandomBytes
    private let principals = CachedLookup<SecretHash, APIKey>(
        capacity: 10_000,
        lifetime: cacheLifetime,
        missLifetime: .seconds(2)
    )

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - keys: Keeps API keys.
    ///   - apps: Keeps Apps.
    ///   - appKeys: What ``Apps`` throws away when an App's keys are rotated.
    ///   - vault: Seals the first key's secret until it is used.
    ///   - ids: Makes ids.
    ///   - clock: Tells whether a key has expired.
    ///   - random: Makes secrets.
    package init(
        keys: any APIKeyStore,
        apps: any AppStore,
        appKeys: AppKeyCache,
        vault: Vault,
        ids: IDSource,
        clock: any WallClock,
        random: RandomBytes = .system
    ) {
        self.keys = keys
        self.apps = apps
        self.appKeys = appKeys
        self.vault = vault
        self.ids = ids
        self.clock = clock
        self.random = random
    }

    /// Whom a secret of `Authorization: Bearer` belongs to; `nil` when the key is unknown, revoked or expired.
    package func principal(bearer secret: String) async throws(EngineError) -> Principal? {
        guard secret.utf8.count <= 128, secret.hasPrefix("ck_") else { return nil }
        let hash = SecretHash(of: secret)
        let key = try await stored(
            try await principals.value(of: hash) { () async throws(StoreError) in try await usedKey(hash) }
        )
        guard let key else { return nil }
        if let expiry = key.expiresAt, expiry <= clock.now() { return nil }
        return Principal(key: key.id, app: key.app, scopes: Set(key.scopes), expiresAt: key.expiresAt)
    }

    /// Whether a secret of `Authorization: Bearer` belongs to a key, as was found out a short time ago.
    package func isKnown(bearer secret: String) -> Bool {
        secret.utf8.count <= 128 && principals.hasValue(of: SecretHash(of: secret))
    }

    /// Whether an App key belongs to an App, as was found out a short time ago.
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

    /// Makes an API key; its secret is shown this once.
    ///
    /// - Parameters:
    ///   - request: What it may do.
    ///   - maker: Whose key asks for it; it makes none that outlives its own. `nil` for the server itself.
    ///   - repeatable: The request's answer is kept for a repetition.
    /// - Returns: The key with its secret.
    /// - Throws: ``EngineError/notFound(_:)`` when its App does not exist, ``EngineError/invalid(_:)`` when it would
    ///   have expired already or outlives its maker's.
    package func createKey(
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
        let new = newKey(request)
        let isKept = try await stored(try await keys.insert(new.stored, for: repeatable?.map { new.shown }))
        guard isKept else { throw .notFound(.app) }
        return new.shown
    }

    /// Keys in the order in which they were made.
    ///
    /// - Parameters:
    ///   - app: Whose; `nil` for all.
    ///   - after: The last one of the page before.
    ///   - limit: 1 through 1,000.
    /// - Returns: The page; empty when there are none.
    /// - Throws: ``EngineError/store(_:)``.
    package func keys(app: AppID?, after: APIKeyID?, limit: Int) async throws(EngineError) -> Page<APIKey> {
        let limit = min(max(1, limit), 1_000)
        let found = try await stored(try await keys.keys(app: app, after: after, limit: limit + 1))
        return Page(found, limit: limit) { $0.id.description }
    }

    /// Ends a key at once.
    ///
    /// - Parameters:
    ///   - id: Which.
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
                "The key is the server's last one with the scope admin. Make another one first, without app: POST /v1/keys."
            )
        }
    }

    /// The server's first key, which may do everything and was never used; made when there is no key at all.
    ///
    /// A start that fails, or whose output nobody saw, locks nobody out: the next one shows the same key. Once it was
    /// used, its secret is nowhere any more.
    ///
    /// - Returns: `nil` when it was used, or other keys were made without it.
    /// - Throws: ``EngineError/store(_:)``, also when the master key does not open it.
    package func firstKey() async throws(EngineError) -> APIKeySecret? {
        let new = newKey(APIKeyRequest(name: "first", scopes: APIKeyScope.allCases))
        let sealed = try vault.sealed(Array(new.shown.secret.utf8), purpose: .firstKey(new.shown.key.id))
        let unused = try await stored(try await keys.insertFirst(new.stored, sealedSecret: sealed))
        guard let unused else { return nil }
        guard let secret = vault.open(unused.sealedSecret, purpose: .firstKey(unused.key.id)) else {
            throw .store(.failed("The first API key cannot be decrypted with this master key."))
        }
        return APIKeySecret(key: unused.key, secret: String(decoding: secret, as: UTF8.self))
    }

    // MARK: - Private

    /// The key of a secret, noted as used; at most once an hour, so that reading costs no writes.
    private func usedKey(_ hash: SecretHash) async throws(StoreError) -> APIKey? {
        guard var key = try await keys.key(secretHash: hash) else { return nil }
        let now = clock.now()
        if let expiry = key.expiresAt, expiry <= now { return key }
        if let last = key.lastUsedAt {
            guard last < now.advanced(by: .zero - Self.useInterval) else { return key }
            // That a later use is noted is worth no refused request.
            try? await keys.markUsed(key.id, at: now)
        } else {
            try await keys.markUsed(key.id, at: now)
        }
        key.lastUsedAt = now
        return key
    }

    private func newKey(_ request: APIKeyRequest) -> (stored: StoredAPIKey, shown: APIKeySecret) {
        let secret = Secret.text(prefix: "ck", random: random)
        let key = APIKey(id: ids.next(), request: request, createdAt: clock.now())
        return (StoredAPIKey(key: key, secretHash: SecretHash(of: secret)), APIKeySecret(key: key, secret: secret))
    }
}

extension String {
    /// What the first key's secret is sealed for.
    static func firstKey(_ id: APIKeyID) -> String { "first-api-key \(id)" }
}

/// What App keys were looked up; shared by ``Access``, which asks it, and ``Apps``, which empties it.
package final class AppKeyCache: Sendable {
    let lookup = CachedLookup<String, AppID>(capacity: 10_000, lifetime: .seconds(10), missLifetime: .seconds(2))

    package init() {}
}
