package import CarillonModel
package import CarillonOperatorModel

/// A column with values that the vault sealed.
///
/// The list is complete, since the rotation of the master key goes through it; a test compares it with the schema.
package enum SealedColumn: String, Hashable, Sendable, CaseIterable {
    case identitySecrets = "app_secrets.identity_secret"
    case receiptKeys = "app_secrets.receipt_key"
    case formerAppSecrets = "former_app_secrets.sealed"
    case pushKeys = "push_keys.private_key"
    case pushKeyCandidates = "push_key_candidates.private_key"
    case providerTokens = "provider_tokens.token"
    case contentSourceSecrets = "content_sources.secret"
    case webhookSecrets = "webhooks.secret"
    case formerWebhookSecrets = "webhooks.former_secret"
    case userMessageSecrets = "user_message_rules.secret"
    case firstKey = "api_keys.sealed_secret"
    case auditKeys = "audit_keys.sealed"
    case secondFactors = "operators.second_factor"
    /// The check values themselves, which change last.
    case checks = "master_key_checks.sealed"
}

/// The row of a sealed value, by its key.
package enum SealedPlace: Hashable, Sendable {
    case app(AppID)
    case formerAppSecret(AppID, AppKeyKind, number: Int64)
    case providerToken(ProviderKey)
    case webhook(AppID, WebhookID)
    case contentSource(AppID, set: String, name: String)
    case apiKey(APIKeyID)
    case person(OperatorID)
    /// A value that the server has once.
    case server
}

/// A sealed value with its row.
package struct SealedValue: Hashable, Sendable {
    package var place: SealedPlace
    package var sealed: [UInt8]

    package init(place: SealedPlace, sealed: [UInt8]) {
        self.place = place
        self.sealed = sealed
    }
}

/// Reads and replaces sealed values.
package protocol SealedValueStore: Sendable {
    /// Returns values of a column ordered by key; never of ``SealedColumn/checks``.
    ///
    ///   - Parameters:
    ///   - column: The column.
    ///   - last: The last one of the page before.
    ///   - limit: The maximum number of values.
    /// - Returns: The page; empty after the last one.
    /// - Throws: ``StoreError``.
    func sealedValues(
        of column: SealedColumn,
        after last: SealedPlace?,
        limit: Int
    ) async throws(StoreError) -> [SealedValue]

    /// Replaces values in one transaction; a value that changed meanwhile stays.
    func replace(
        _ values: [(former: SealedValue, sealed: [UInt8])],
        of column: SealedColumn
    ) async throws(StoreError)
}

extension String {
    /// The purpose of the secret of a content set's source.
    package static func contentSource(_ app: AppID, set: String, name: String) -> String {
        "content-source \(app) \(set) \(name)"
    }
}

extension SealedColumn {
    /// The purpose under which a row's value is sealed; `nil` for a row of another column.
    func purpose(_ place: SealedPlace) -> String? {
        switch (self, place) {
        case (.identitySecrets, .app(let app)): .identitySecret(app)
        case (.receiptKeys, .app(let app)): .receiptKey(app)
        case (.pushKeys, .app(let app)), (.pushKeyCandidates, .app(let app)): .pushKey(app)
        case (.userMessageSecrets, .app(let app)): UserMessages.purpose(app)
        case (.formerAppSecrets, .formerAppSecret(let app, let kind, _)): kind.purpose(app)
        case (.providerTokens, .providerToken(let key)): key.purpose
        case (.webhookSecrets, .webhook(_, let id)), (.formerWebhookSecrets, .webhook(_, let id)):
            WebhookPost.purpose(id)
        case (.contentSourceSecrets, .contentSource(let app, let set, let name)):
            .contentSource(app, set: set, name: name)
        case (.firstKey, .apiKey(let id)): .firstKey(id)
        case (.auditKeys, .server): AuditPseudonyms.purpose
        case (.secondFactors, .person(let id)): .secondFactor(id)
        default: nil
        }
    }
}
