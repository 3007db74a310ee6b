package import CarillonModel
package import CarillonOperatorModel

/// Which vendor APIs Apps have turned on, and who calls them.
///
/// The store has only the SHA-256 of a key and of a secret. A lookup is cached for ten seconds on this node: a change
/// applies here at once, and on other nodes within that time.
package struct VendorAPIs: Sendable {
    private let store: any VendorAPIStore
    private let clock: any WallClock
    private let random: RandomBytes
    private let lookup = CachedLookup<Key, StoredVendorAPI>(
        capacity: 10_000,
        lifetime: .seconds(10),
        missLifetime: .seconds(2)
    )

    private enum Key: Hashable, Sendable {
        case key(VendorAPI, SecretHash)
        case code(SecretHash)
    }

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores the keys' hashes.
    ///   - clock: The time of a change.
    ///   - random: Generates keys and secrets.
    package init(store: any VendorAPIStore, clock: any WallClock, random: RandomBytes = .system) {
        self.store = store
        self.clock = clock
        self.random = random
    }

    // MARK: Operators

    /// Turns an API on, or replaces its secret, and its key and settings if the request has them; the former ones are
    /// valid no longer then.
    ///
    /// Apps in people's hands have the key: only a key in the request replaces it.
    ///
    /// - Returns: What was generated, which is returned only here.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/conflict(_:)`` when another App
    ///   has the key or the app code, ``EngineError/invalid(_:)`` for what the API has not, or needs.
    package func turnOn(
        _ api: VendorAPI,
        app: AppID,
        _ request: VendorAPIRequest
    ) async throws(EngineError) -> VendorAPISecrets {
        try api.check(request)
        let former = try await CarillonEngine.stored(try await store.vendorAPIs(of: app))?.first { $0.api == api }
        let kept = request.key == nil ? former?.keyHash : nil
        let settings = request.coimotion ?? former?.coimotion
        if api == .coimotion, settings == nil { throw .wrong("coimotion", "is required") }
        let key = request.key ?? api.generatedKey(random)
        let secret = api.hasSecret ? request.secret ?? api.generatedSecret(random) : nil
        let stored = StoredVendorAPI(
            app: app,
            api: api,
            keyHash: kept ?? SecretHash(of: key),
            secretHash: secret.map { SecretHash(of: $0) },
            updatedAt: clock.now(),
            coimotion: settings
        )
        let change = try await CarillonEngine.stored(try await store.turnOn(stored))
        invalidate(api, app)
        switch change {
        case .on: break
        case .unknown: throw .notFound(.app)
        case .keyTaken: throw .conflict("Another App has this key.")
        case .codeTaken: throw .conflict("Another App has this app code.")
        }
        return VendorAPISecrets(
            vendorAPI: stored.record,
            key: request.key == nil && kept == nil ? key : nil,
            secret: request.secret == nil ? secret : nil
        )
    }

    /// Turns an API off; its calls are refused from now on, on other nodes within ten seconds.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when it is not on.
    package func turnOff(_ api: VendorAPI, app: AppID) async throws(EngineError) {
        let wasOn = try await stored(try await store.turnOff(api, app: app))
        invalidate(api, app)
        guard wasOn else { throw .notFound(.vendorAPI) }
    }

    /// Returns the APIs that are on, ordered by name.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func list(app: AppID) async throws(EngineError) -> VendorAPIList {
        let found = try await stored(try await store.vendorAPIs(of: app))
        guard let found else { throw .notFound(.app) }
        return VendorAPIList(vendorAPIs: found.map(\.record))
    }

    // MARK: Callers

    /// Returns the API that a caller's key turns to; `nil` when no App has the key.
    package func vendorAPI(_ api: VendorAPI, key: String) async throws(EngineError) -> StoredVendorAPI? {
        guard VendorAPIRequest.keyLengths.contains(key.utf8.count) else { return nil }
        let hash = SecretHash(of: key)
        return try await stored(
            try await lookup.value(of: .key(api, hash)) { () async throws(StoreError) in
                try await store.vendorAPI(api, keyHash: hash)
            }
        )
    }

    /// Returns COIMOTION's API that a caller's app code turns to; `nil` when no App has the code.
    package func coimotion(code: String) async throws(EngineError) -> StoredVendorAPI? {
        guard CoimotionSettings.codeLengths.contains(code.utf8.count) else { return nil }
        let hash = StoredVendorAPI.hash(ofCode: code)
        return try await stored(
            try await lookup.value(of: .code(hash)) { () async throws(StoreError) in
                try await store.coimotion(codeHash: hash)
            }
        )
    }

    /// Whether an app code belongs to an App, according to the cache.
    package func isKnown(code: String) -> Bool {
        CoimotionSettings.codeLengths.contains(code.utf8.count)
            && lookup.hasValue(of: .code(StoredVendorAPI.hash(ofCode: code)))
    }

    /// Whether a key belongs to an App, according to the cache.
    package func isKnown(_ api: VendorAPI, key: String) -> Bool {
        VendorAPIRequest.keyLengths.contains(key.utf8.count)
            && lookup.hasValue(of: .key(api, SecretHash(of: key)))
    }

    // MARK: Deletion

    /// Removes a deleted App's keys from the cache.
    func invalidateKeys(of app: AppID) { lookup.invalidate { _, stored in stored.app == app } }

    // MARK: - Private

    private func invalidate(_ api: VendorAPI, _ app: AppID) {
        lookup.invalidate { _, stored in stored.app == app && stored.api == api }
    }
}

extension StoredVendorAPI {
    /// Whether a secret is this API's; compared in constant time.
    package func accepts(secret: String) -> Bool {
        secret.utf8.count <= VendorAPIRequest.secretLengths.upperBound && secretHash == SecretHash(of: secret)
    }

    /// Whether a key is this API's; compared in constant time.
    package func accepts(key: String) -> Bool {
        key.utf8.count <= VendorAPIRequest.keyLengths.upperBound && keyHash == SecretHash(of: key)
    }
}

extension VendorAPI {
    private static let alphanumerics = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// Whether calls of back ends have a secret.
    fileprivate var hasSecret: Bool {
        switch self {
        case .toast, .corepush: true
        case .coimotion: false
        }
    }

    /// Checks that a request has nothing that the API has not.
    fileprivate func check(_ request: VendorAPIRequest) throws(EngineError) {
        if request.secret != nil, !hasSecret { throw .wrong("secret", "must be left out: \(rawValue) has no secret") }
        if request.coimotion != nil, self != .coimotion {
            throw .wrong("coimotion", "must be left out: \(rawValue) has no app code")
        }
    }

    /// A key in the vendor's form: 16 letters and digits for TOAST Push, 32 hexadecimal digits for CORE PUSH, those with
    /// hyphens as in a UUID for COIMOTION.
    fileprivate func generatedKey(_ random: RandomBytes) -> String {
        let hexadecimals = Array("0123456789abcdef".utf8)
        switch self {
        case .toast: return Self.text(16, of: Self.alphanumerics, random)
        case .corepush: return Self.text(32, of: hexadecimals, random)
        case .coimotion: return [8, 4, 4, 4, 12].map { Self.text($0, of: hexadecimals, random) }.joined(separator: "-")
        }
    }

    /// A secret of letters and digits: eight in TOAST Push's form; CORE PUSH has none, so ours is long.
    fileprivate func generatedSecret(_ random: RandomBytes) -> String {
        switch self {
        case .toast: Self.text(8, of: Self.alphanumerics, random)
        case .corepush, .coimotion: Self.text(32, of: Self.alphanumerics, random)
        }
    }

    /// Letters of uniform probability: bytes beyond a multiple of their number are discarded.
    private static func text(_ length: Int, of letters: [UInt8], _ random: RandomBytes) -> String {
        var text: [UInt8] = []
        let bound = 256 / letters.count * letters.count
        while text.count < length {
            for byte in random(2 * length) where Int(byte) < bound && text.count < length {
                text.append(letters[Int(byte) % letters.count])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
