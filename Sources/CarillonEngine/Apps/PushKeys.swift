import CarillonBytes
package import CarillonModel
package import CarillonOperatorModel
import Crypto
import Logging

/// Push keys: checked at APNs, and replaced without a time in which nothing can be sent.
package struct PushKeys: Sendable {
    /// For how long a check is not repeated by the daily round.
    package static let interval = Duration.seconds(20 * 3_600)
    private static let pageSize = 100

    private let store: any PushKeyStore
    private let apps: Apps
    private let sender: any Sender
    private let vault: Vault
    private let clock: any WallClock
    private let logger: Logger

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores the keys.
    ///   - apps: The Apps, whose cached keys are invalidated.
    ///   - sender: Asks APNs.
    ///   - context: Opens keys, the wall clock and the log.
    package init(store: any PushKeyStore, apps: Apps, sender: any Sender, context: EngineContext) {
        self.store = store
        self.apps = apps
        self.sender = sender
        vault = context.vault
        clock = context.clock
        logger = context.logger
    }

    /// Returns what is known of an App's push key; the key itself is never returned.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, or it has none.
    package func record(of app: AppID) async throws(EngineError) -> PushKey {
        let keys = try await keys(of: app)
        guard let inUse = keys.inUse else { throw .notFound(.pushKey) }
        var record = PushKey(
            keyID: inUse.keyID,
            teamID: inUse.teamID,
            topic: keys.topic,
            updatedAt: inUse.addedAt
        )
        let name = providerKey(inUse, app)
        record.fingerprint = name.map { Hexadecimal.encode($0.publicKeyHash) }
        record.addedBy = inUse.addedBy
        if let name { record.lastUsedAt = try await stored(try await store.lastToken(of: name)) }
        record.check = inUse.check
        record.candidate = keys.candidate.map { candidate in
            var shown = PushKeyCandidate(
                keyID: candidate.keyID,
                teamID: candidate.teamID,
                addedAt: candidate.addedAt
            )
            shown.fingerprint = providerKey(candidate, app).map { Hexadecimal.encode($0.publicKeyHash) }
            (shown.addedBy, shown.check) = (candidate.addedBy, candidate.check)
            return shown
        }
        return record
    }

    /// The last check of the key in use; `nil` when it was never checked.
    package func lastCheck(of app: AppID) async throws(EngineError) -> PushKeyCheck? {
        try await keys(of: app).inUse?.check
    }

    /// Sets a push key.
    ///
    /// With ``PushKeyRequest/whenHealthy`` the key in use stays until a check finds the new one healthy; the first check
    /// is made here. An App without a key uses it at once.
    ///
    /// - Parameters:
    ///   - request: The key.
    ///   - app: The App.
    ///   - author: The Operator or the API key that adds it.
    /// - Returns: The App.
    /// - Throws: ``EngineError/invalid(_:)`` when it is not a P-256 private key, ``EngineError/notFound(_:)`` when there
    ///   is no such App.
    package func set(_ request: PushKeyRequest, of app: AppID, by author: String?) async throws(EngineError) -> App {
        let fileKeyID = request.fileName.flatMap(Self.keyID)
        guard request.whenHealthy else {
            let changed = try await apps.setPushKey(app, request)
            let time = try await keys(of: app).inUse?.addedAt
            if let time {
                try await stored(
                    try await store.note(addedBy: author, fileKeyID: fileKeyID, ofKeyAddedAt: time, app: app)
                )
            }
            return changed
        }
        try Apps.check(request)
        let key = KeptPushKey(
            keyID: request.keyID,
            teamID: request.teamID,
            sealedPrivateKey: try vault.sealed(Array(request.privateKey.utf8), purpose: .pushKey(app)),
            addedAt: clock.now(),
            addedBy: author,
            fileKeyID: fileKeyID
        )
        let isInUse = try await stored(try await store.add(key, to: app))
        guard isInUse != nil else { throw .notFound(.app) }
        apps.invalidateKeys(of: app)
        _ = try await check(app)
        return try await apps.app(app)
    }

    /// Checks the key in use and the candidate, which replaces the other one when it is healthy.
    ///
    /// - Returns: What is known afterwards.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, or it has no key.
    package func check(_ app: AppID) async throws(EngineError) -> PushKey {
        let keys = try await keys(of: app)
        guard let inUse = keys.inUse else { throw .notFound(.pushKey) }
        if let candidate = keys.candidate {
            let found = await ask(candidate, keys, app, isInUse: false)
            try await stored(try await store.save(found, of: candidate, isInUse: false, app: app))
            if found.state == .healthy, try await stored(try await store.promote(candidate, of: app)) {
                apps.invalidateKeys(of: app)
                return try await record(of: app)
            }
        }
        let found = await ask(inUse, keys, app, isInUse: true)
        try await stored(try await store.save(found, of: inUse, isInUse: true, app: app))
        return try await record(of: app)
    }

    /// Uses the candidate although no check found it healthy.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is none.
    package func promote(_ app: AppID) async throws(EngineError) -> PushKey {
        guard let candidate = try await keys(of: app).candidate else { throw .notFound(.pushKey) }
        let isDone = try await stored(try await store.promote(candidate, of: app))
        apps.invalidateKeys(of: app)
        guard isDone else { throw .notFound(.pushKey) }
        return try await record(of: app)
    }

    /// Deletes the candidate; the key in use stays.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is none.
    package func discardCandidate(of app: AppID) async throws(EngineError) {
        _ = try await keys(of: app)
        guard try await stored(try await store.dropCandidate(of: app)) else { throw .notFound(.pushKey) }
    }

    /// Checks all keys in use that were not checked for most of a day.
    ///
    /// A failure is logged, and the next round repeats it.
    package func checkDue() async {
        let time = clock.now().advanced(by: .zero - Self.interval)
        var last: AppID?
        do throws(EngineError) {
            while !Task.isCancelled {
                let (after, limit) = (last, Self.pageSize)
                let due = try await stored(
                    try await store.appsToCheck(before: time, after: after, limit: limit)
                )
                for app in due { await checkOne(app) }
                guard due.count == limit else { return }
                last = due.last
            }
        } catch {
            logger.warning("Push keys cannot be checked", metadata: ["carillon.error": "\(error)"])
        }
    }

    // MARK: - Private

    private func checkOne(_ app: AppID) async {
        do throws(EngineError) {
            let key = try await check(app)
            guard let check = key.check, check.state != .healthy else { return }
            logger.warning(
                "APNs does not accept a push key",
                metadata: [
                    "carillon.app": "\(app)", "carillon.key": "\(key.keyID)",
                    "carillon.state": "\(check.state.rawValue)",
                ]
            )
        } catch {
            logger.warning(
                "A push key cannot be checked",
                metadata: ["carillon.app": "\(app)", "carillon.error": "\(error)"]
            )
        }
    }

    private func keys(of app: AppID) async throws(EngineError) -> AppPushKeys {
        let keys = try await stored(try await store.keys(of: app))
        guard let keys else { throw .notFound(.app) }
        return keys
    }

    private func ask(_ key: KeptPushKey, _ keys: AppPushKeys, _ app: AppID, isInUse: Bool) async -> PushKeyCheck {
        let pem = vault.open(key.sealedPrivateKey, purpose: .pushKey(app)) ?? []
        let account = PushAccount(
            app: app,
            topic: keys.topic,
            keyID: key.keyID,
            teamID: key.teamID,
            privateKey: String(decoding: pem, as: UTF8.self)
        )
        let found = PushKeyCheck(
            checkedAt: clock.now(),
            environments: await sender.checkKey(account, isInUse: isInUse)
        )
        return found.judged(for: key, beside: isInUse ? nil : keys.inUse)
    }

    /// What names the key's provider tokens; `nil` when the key cannot be opened.
    private func providerKey(_ key: KeptPushKey, _ app: AppID) -> ProviderKey? {
        guard let pem = vault.open(key.sealedPrivateKey, purpose: .pushKey(app)),
            let opened = try? P256.Signing.PrivateKey(pemRepresentation: String(decoding: pem, as: UTF8.self))
        else { return nil }
        return ProviderKey(
            keyID: key.keyID,
            teamID: key.teamID,
            publicKeyHash: Array(SHA256.hash(data: opened.publicKey.rawRepresentation))
        )
    }

    /// The key's id in a file's name.
    private static func keyID(inName name: String) -> String? {
        name.firstMatch(of: /AuthKey_([A-Z0-9]{10})\.p8/).map { String($0.1) }
    }
}

extension PushKeyCheck {
    /// The same check, with what else is known of the key: APNs answers a wrong team and a wrong key id alike.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - other: Another key of the App.
    /// - Returns: The check with the cause, where something tells it.
    package func judged(for key: KeptPushKey, beside other: KeptPushKey?) -> PushKeyCheck {
        let found = environments.map { environment in
            guard environment.state == .wrongTeamOrKeyID else { return environment }
            var judged = environment
            judged.state = Self.cause(of: key, beside: other)
            return judged
        }
        return PushKeyCheck(checkedAt: checkedAt, environments: found)
    }

    private static func cause(of key: KeptPushKey, beside other: KeptPushKey?) -> State {
        switch key.check?.state {
        case .healthy, .revoked: return .revoked
        default: break
        }
        // The file's name has the key's id, so that the team's is left.
        if let named = key.fileKeyID { return named == key.keyID ? .wrongTeam : .wrongKeyID }
        // Of the other key it is known that APNs accepts its team.
        guard let other, other.check?.state == .healthy else { return .wrongTeamOrKeyID }
        return other.teamID == key.teamID ? .wrongKeyID : .wrongTeam
    }
}
