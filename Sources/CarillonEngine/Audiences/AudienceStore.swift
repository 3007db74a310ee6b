package import CarillonModel
package import CarillonOperatorModel

/// What a Campaign's Audience is held against when it is accepted.
package protocol AudienceLookUp: Sendable {
    /// - Returns: `nil` when there is none, or it is another App's.
    func savedAudience(_ id: AudienceID, within app: AppID?) async throws(StoreError) -> SavedAudience?

    /// The tags and Campaigns that a rule names and an App does not have.
    func unknownNames(in rule: AudienceRule, app: AppID) async throws(StoreError) -> [AudienceTerm]
}

/// What became of a new Audience or a changed one.
package enum AudienceChange: Hashable, Sendable {
    case kept(SavedAudience)
    /// Another one of the App has the name.
    case nameTaken
    /// The App has as many as it may.
    case full
    /// There is no such Audience, or no such App.
    case missing
}

/// How many matching Devices were seen, of how many there may be.
package struct AudienceCount: Hashable, Sendable {
    /// Whether all Devices were looked at.
    package var isExact = true
    /// By what counts of a sample are multiplied.
    package var factor = 1.0
    /// How far the product may be off, in 95 of 100 cases.
    package var margin = 0.0
    package var devices = 0
    package var notifications = 0
    package var ads = 0
    package var nightAds = 0
    package var voip = 0
    /// By what Devices call their languages; the empty text for none.
    package var languages: [String: Int] = [:]

    package init() {}
}

/// What an estimate counts.
package struct AudienceCountQuestion: Sendable {
    package var app: AppID
    package var audience: Audience
    package var adRule: App.AdRule
    /// What `now` means in a rule.
    package var now: Timestamp
    /// A Device that registered before it is not sent to.
    package var oldestRegistration: Timestamp

    package init(app: AppID, audience: Audience, adRule: App.AdRule, now: Timestamp, oldestRegistration: Timestamp) {
        self.app = app
        self.audience = audience
        self.adRule = adRule
        self.now = now
        self.oldestRegistration = oldestRegistration
    }
}

/// Keeps saved Audiences, and counts Audiences.
package protocol AudienceStore: AudienceLookUp {
    /// Keeps a new one, unless the App has `limit` of them.
    func insert(
        _ audience: SavedAudience,
        limit: Int,
        for request: IdempotentRequest<SavedAudience>?
    ) async throws(StoreError) -> AudienceChange

    /// Those of an App, or of all, in the order of their ids, after one, at most so many.
    func audiences(app: AppID?, after id: AudienceID?, limit: Int) async throws(StoreError) -> [SavedAudience]

    /// Changes name or rule.
    func change(
        _ id: AudienceID,
        within app: AppID?,
        _ update: AudienceUpdate,
        at now: Timestamp
    ) async throws(StoreError) -> AudienceChange

    /// - Returns: False when there is none, or it is another App's.
    func deleteAudience(_ id: AudienceID, within app: AppID?) async throws(StoreError) -> Bool

    /// Counts the Devices of an Audience: all where that is quick, else a sample.
    func count(_ question: AudienceCountQuestion) async throws(StoreError) -> AudienceCount
}

extension AudienceStore {
    /// Keeps a new one that no request may ask for again, unless the App has `limit` of them.
    package func insert(_ audience: SavedAudience, limit: Int) async throws(StoreError) -> AudienceChange {
        try await insert(audience, limit: limit, for: nil)
    }
}
