package import CarillonModel
package import CarillonOperatorModel

/// Replaces an App's secrets while the former ones stay valid for a time.
extension Apps {
    /// The maximum number of former keys of a kind that are accepted besides the App's own.
    package static let formerKeyLimit = 3

    /// Generates new keys of the given kinds; the others stay.
    ///
    /// The former ones are accepted until their overlap ends. New pushes have receipts of a new receipt key, on other
    /// nodes within ten seconds; earlier receipts stay valid for the overlap.
    ///
    /// - Parameters:
    ///   - id: The App.
    ///   - rotation: The kinds, and how long the former ones are accepted.
    /// - Returns: The new keys, which are returned only here.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/conflict(_:)`` when too many
    ///   former keys of a kind are still accepted.
    package func rotateKeys(_ id: AppID, _ rotation: AppKeyRotation) async throws(EngineError) -> RotatedAppKeys {
        let now = clock.now()
        let kinds = Set(rotation.keys)
        let appKey = kinds.contains(.appKey) ? Secret.text(prefix: "ak", random: random) : nil
        let identitySecret = kinds.contains(.identitySecret) ? Secret.text(prefix: "is", random: random) : nil
        var new = NewAppSecrets()
        new.keyHash = appKey.map(SecretHash.init(of:))
        if let identitySecret {
            new.identitySecret = try vault.sealed(Array(identitySecret.utf8), purpose: .identitySecret(id))
        }
        if kinds.contains(.receiptKey) {
            new.receiptKey = try vault.sealed(random(ReceiptKey.byteCount), purpose: .receiptKey(id))
        }
        for kind in kinds {
            let hours = rotation.overlapHours ?? kind.standardOverlapHours
            if hours > 0 { new.ends[kind] = now.advanced(by: .seconds(3_600 * hours)) }
        }
        let secrets = new
        let change = try await stored(try await store.rotate(id, secrets, limit: Self.formerKeyLimit, at: now))
        invalidateKeys(of: id)
        switch change {
        case .changed(let app?):
            return RotatedAppKeys(app: shown(app), appKey: appKey, identitySecret: identitySecret)
        case .changed(nil), .unknown: throw .notFound(.app)
        case .tooMany(let kind):
            throw .conflict(
                """
                \(Self.formerKeyLimit) former keys of the kind \(kind.rawValue) are taken still. End them first: DELETE \
                /v1/apps/\(id)/former-keys/\(kind.rawValue)
                """
            )
        }
    }

    /// Deletes all former keys of a kind; other nodes accept them for up to ten seconds.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func endFormerKeys(_ kind: AppKeyKind, of id: AppID) async throws(EngineError) -> App {
        let app = try await stored(try await store.endFormerKeys(kind, of: id))
        invalidateKeys(of: id)
        guard let app else { throw .notFound(.app) }
        return shown(app)
    }

    /// The keys that verify receipts of an App: its own first, then the former ones that are still accepted.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    func receiptKeys(for id: AppID, at now: Timestamp) async throws(EngineError) -> [ReceiptKey] {
        let facts = try await facts(id)
        return [facts.receiptKey] + facts.formerReceiptKeys.filter { $0.endsAt > now }.map(\.key)
    }

    /// Returns an App without expired former keys.
    func shown(_ app: App) -> App {
        var app = app
        let now = clock.now()
        app.formerKeys = app.formerKeys?.filter { $0.endsAt > now }.sorted { $0.endsAt < $1.endsAt }
        if app.formerKeys?.isEmpty == true { app.formerKeys = nil }
        return app
    }
}
