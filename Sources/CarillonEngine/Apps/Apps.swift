package import CarillonModel
package import CarillonOperatorModel
import Crypto

/// Customer applications and their secrets.
package struct Apps: Sendable {
    private static let cacheLifetime = Duration.seconds(10)

    let store: any AppStore
    let vault: Vault
    private let appKeys: AppKeyCache
    private let ids: IDSource
    let clock: any WallClock
    let signals: CampaignSignals
    let random: RandomBytes
    private let knownFacts = CachedLookup<AppID, AppFacts>(capacity: 10_000, lifetime: cacheLifetime)
    private let accounts = CachedLookup<AppID, PushAccount>(capacity: 10_000, lifetime: cacheLifetime)

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores Apps.
    ///   - vault: Seals their secrets.
    ///   - appKeys: The cache of ``Access``, invalidated when keys are rotated.
    ///   - ids: Generates ids.
    ///   - clock: The time of creation.
    ///   - signals: Shared with the dispatcher of this process.
    ///   - random: Generates secrets.
    package init(
        store: any AppStore,
        vault: Vault,
        appKeys: AppKeyCache,
        ids: IDSource,
        clock: any WallClock,
        signals: CampaignSignals = CampaignSignals(),
        random: RandomBytes = .system
    ) {
        self.store = store
        self.vault = vault
        self.appKeys = appKeys
        self.ids = ids
        self.clock = clock
        self.signals = signals
        self.random = random
    }

    /// Creates an App; its secrets are returned only here.
    package func create(
        _ request: AppRequest,
        for repeatable: IdempotentRequest<AppSecrets>? = nil
    ) async throws(EngineError) -> AppSecrets {
        try Self.check(request.sendingRules)
        let app = App(id: ids.next(), request: request, createdAt: clock.now())
        let appKey = Secret.text(prefix: "ak", random: random)
        let identitySecret = Secret.text(prefix: "is", random: random)
        let secrets = SealedAppSecrets(
            keyHash: SecretHash(of: appKey),
            identitySecret: try vault.sealed(Array(identitySecret.utf8), purpose: .identitySecret(app.id)),
            receiptKey: try vault.sealed(random(ReceiptKey.byteCount), purpose: .receiptKey(app.id))
        )
        let shown = AppSecrets(app: app, appKey: appKey, identitySecret: identitySecret)
        try await stored(try await store.insert(StoredApp(app: app, secrets: secrets), for: repeatable?.map { shown }))
        return shown
    }

    /// Returns an App.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is none.
    package func app(_ id: AppID) async throws(EngineError) -> App {
        let app = try await stored(try await store.app(id))
        guard let app else { throw .notFound(.app) }
        return shown(app)
    }

    /// Returns Apps in order of creation.
    ///
    /// - Parameters:
    ///   - after: The last one of the page before.
    ///   - limit: 1 through 1,000.
    /// - Returns: The page; empty when there are none.
    /// - Throws: ``EngineError/store(_:)``.
    package func list(after: AppID?, limit: Int) async throws(EngineError) -> Page<App> {
        let limit = min(max(1, limit), 1_000)
        let found = try await stored(try await store.apps(after: after, limit: limit + 1))
        return Page(found.map(shown), limit: limit) { $0.id.description }
    }

    /// Changes an App's settings; later pushes use the new dialect, on other nodes within ten seconds.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func update(_ id: AppID, _ change: AppUpdate) async throws(EngineError) -> App {
        if let rules = change.sendingRules { try Self.check(rules) }
        let app = try await stored(try await store.update(id, change))
        knownFacts.invalidate { app, _ in app == id }
        guard let app else { throw .notFound(.app) }
        return shown(app)
    }

    private static func check(_ rules: SendingRules) throws(EngineError) {
        guard let zone = rules.quietHours?.zone, LocalClock(named: zone) == nil else { return }
        throw .wrong("sendingRules.quietHours.zone", "must be an IANA time zone")
    }

    /// Returns the payload keys that an App's phones understand; cached.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func dialect(of id: AppID) async throws(EngineError) -> App.Dialect {
        try await facts(id).dialect
    }

    /// Sets the team's push key.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` when it is not a P-256 private key, ``EngineError/notFound(_:)`` when
    ///   there is no such App.
    package func setPushKey(_ id: AppID, _ request: PushKeyRequest) async throws(EngineError) -> App {
        try Self.check(request)
        let sealed = try vault.sealed(Array(request.privateKey.utf8), purpose: .pushKey(id))
        let now = clock.now()
        let app = try await stored(
            try await store.setPushKey(
                id,
                keyID: request.keyID,
                teamID: request.teamID,
                sealedPrivateKey: sealed,
                at: now
            )
        )
        accounts.invalidate { app, _ in app == id }
        guard let app else { throw .notFound(.app) }
        return shown(app)
    }

    /// Checks that a request has a private key of P-256.
    static func check(_ request: PushKeyRequest) throws(EngineError) {
        if let problem = PushKeyText.problem(of: request.privateKey) ?? problem(ofKey: request.privateKey) {
            throw .wrong("privateKey", problem)
        }
    }

    /// What is wrong with a private key in PEM; `nil` when it is of P-256.
    private static func problem(ofKey pem: String) -> String? {
        if (try? P256.Signing.PrivateKey(pemRepresentation: pem)) != nil { return nil }
        let isOtherCurve =
            (try? P384.Signing.PrivateKey(pemRepresentation: pem)) != nil
            || (try? P521.Signing.PrivateKey(pemRepresentation: pem)) != nil
        return isOtherCurve
            ? "is a private key, but not of the curve P-256: \(PushKeyText.advice)"
            : "is damaged, or a key of another kind than P-256: \(PushKeyText.advice)"
    }

    /// Returns which push key an App has; the key itself is never returned.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, or it has none.
    package func pushKeyRecord(_ id: AppID) async throws(EngineError) -> PushKey {
        _ = try await app(id)
        let key = try await stored(try await store.pushKey(id))
        guard let key else { throw .notFound(.pushKey) }
        return PushKey(keyID: key.keyID, teamID: key.teamID, topic: key.topic, updatedAt: key.updatedAt)
    }

    /// Returns the key that makes and verifies an App's receipts.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func receiptKey(for id: AppID) async throws(EngineError) -> ReceiptKey {
        try await facts(id).receiptKey
    }

    /// How an App's Users are claimed.
    ///
    /// - Throws: ``EngineError/notFound(_:)``.
    package func identity(of id: AppID) async throws(EngineError) -> App.Identity { try await facts(id).identity }

    /// Returns the data of an App that registrations and events need; cached.
    func facts(_ id: AppID) async throws(EngineError) -> AppFacts {
        let facts = try await stored(
            try await knownFacts.value(of: id) { () async throws(StoreError) in try await openFacts(id) }
        )
        guard let facts else { throw .notFound(.app) }
        return facts
    }

    private func openFacts(_ id: AppID) async throws(StoreError) -> AppFacts? {
        guard let stored = try await store.storedApp(id) else { return nil }
        guard let identity = vault.open(stored.secrets.identitySecret, purpose: .identitySecret(id)),
            let receipt = vault.open(stored.secrets.receiptKey, purpose: .receiptKey(id)),
            let receiptKey = ReceiptKey(receipt)
        else { throw .failed("The App's secrets cannot be decrypted with this master key.") }
        let now = clock.now()
        let former = stored.secrets.former.filter { $0.key.endsAt > now }
        // Best effort: the next lookup finds them again.
        if former.count < stored.secrets.former.count { try? await store.dropFormerKeys(of: id, endedAt: now) }
        var facts = AppFacts(
            identity: stored.app.identity,
            dialect: stored.app.dialect,
            adRule: stored.app.adRule,
            tokensPerUser: stored.app.tokensPerUser,
            tokenLifetimeDays: stored.app.tokenLifetimeDays,
            identityKey: SymmetricKey(data: identity),
            receiptKey: receiptKey
        )
        for secret in former {
            facts.add(secret, opened: secret.sealed.flatMap { vault.open($0, purpose: secret.key.kind.purpose(id)) })
        }
        return facts
    }

    /// Invalidates cached lookups that depend on an App's keys.
    func invalidateKeys(of id: AppID) {
        accounts.invalidate { app, _ in app == id }
        appKeys.lookup.invalidate { _, app in app == id }
        knownFacts.invalidate { app, _ in app == id }
    }
}

extension AppFacts {
    /// Adds a former secret, unless it could not be opened.
    fileprivate mutating func add(_ secret: FormerAppSecret, opened: [UInt8]?) {
        guard let opened else { return }
        let end = secret.key.endsAt
        switch secret.key.kind {
        case .appKey: break
        case .identitySecret: formerIdentityKeys.append(FormerKey(key: SymmetricKey(data: opened), endsAt: end))
        case .receiptKey:
            if let key = ReceiptKey(opened) { formerReceiptKeys.append(FormerKey(key: key, endsAt: end)) }
        }
    }
}

extension AppKeyKind {
    /// The purpose under which a secret of the kind is sealed.
    func purpose(_ app: AppID) -> String {
        switch self {
        case .appKey: "app-key \(app)"
        case .identitySecret: .identitySecret(app)
        case .receiptKey: .receiptKey(app)
        }
    }
}

extension Apps: PushAccounts {
    package func account(for id: AppID) async throws(StoreError) -> PushAccount? {
        try await accounts.value(of: id) { () async throws(StoreError) -> PushAccount? in
            guard let key = try await store.pushKey(id) else { return nil }
            let pem = vault.open(key.sealedPrivateKey, purpose: .pushKey(id)) ?? []
            return PushAccount(
                app: id,
                topic: key.topic,
                keyID: key.keyID,
                teamID: key.teamID,
                privateKey: String(decoding: pem, as: UTF8.self)
            )
        }
    }
}

/// The purposes of sealed secrets: each is bound to its place.
extension String {
    static func identitySecret(_ app: AppID) -> String { "app-identity-secret \(app)" }
    static func receiptKey(_ app: AppID) -> String { "app-receipt-key \(app)" }
    static func pushKey(_ app: AppID) -> String { "app-push-key \(app)" }
}
