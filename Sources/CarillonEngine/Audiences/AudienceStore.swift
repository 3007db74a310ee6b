package import CarillonModel
package import CarillonOperatorModel

/// Lookups that validate a Campaign's Audience when it is accepted.
package protocol AudienceLookUp: Sendable {
    /// - Returns: `nil` when there is none, or it is another App's.
    func savedAudience(_ id: AudienceID, within app: AppID?) async throws(StoreError) -> SavedAudience?

    /// Returns the tags and Campaigns that a rule names and an App does not have.
    func unknownNames(in rule: AudienceRule, app: AppID) async throws(StoreError) -> [AudienceTerm]
}

/// The result of creating or changing an Audience.
package enum AudienceChange: Hashable, Sendable {
    case kept(SavedAudience)
    /// Another Audience of the App has the name.
    case nameTaken
    /// The App has the maximum number of Audiences.
    case full
    /// There is no such Audience, or no such App.
    case missing
    /// It was changed since it was read.
    case outdated(SavedAudience)
}

/// The number of matching Devices, counted or estimated.
package struct AudienceCount: Hashable, Sendable {
    /// Whether all Devices were counted.
    package var isExact = true
    /// The factor from the counts of a sample to estimates.
    package var factor = 1.0
    /// The relative error of the estimates, in 95 of 100 cases.
    package var margin = 0.0
    package var devices = 0
    package var notifications = 0
    package var ads = 0
    package var nightAds = 0
    package var voip = 0
    /// By the Devices' language; the empty string for none.
    package var languages: [String: Int] = [:]

    package init() {}
}

/// The request for an estimate.
package struct AudienceCountQuestion: Sendable {
    package var app: AppID
    package var audience: Audience
    package var adRule: App.AdRule
    /// The value of `now` in a rule.
    package var now: Timestamp
    /// Devices that registered earlier are not sent to.
    package var oldestRegistration: Timestamp

    package init(app: AppID, audience: Audience, adRule: App.AdRule, now: Timestamp, oldestRegistration: Timestamp) {
        self.app = app
        self.audience = audience
        self.adRule = adRule
        self.now = now
        self.oldestRegistration = oldestRegistration
    }
}

/// Stores Audiences, and counts their Devices.
package protocol AudienceStore: AudienceLookUp {
    /// Saves a new one, unless the App has `limit` of them.
    func insert(
        _ audience: SavedAudience,
        limit: Int,
        for request: IdempotentRequest<SavedAudience>?
    ) async throws(StoreError) -> AudienceChange

    /// Returns up to `limit` of an App, or of all, ordered by id, after one.
    func audiences(app: AppID?, after id: AudienceID?, limit: Int) async throws(StoreError) -> [SavedAudience]

    /// Changes name or rule.
    ///
    /// - Parameters:
    ///   - id: The Audience.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - update: The change.
    ///   - read: When the version that it was made from was changed; `nil` for any version.
    ///   - now: The time of the change.
    /// - Returns: The result.
    /// - Throws: ``StoreError``.
    func change(
        _ id: AudienceID,
        within app: AppID?,
        _ update: AudienceUpdate,
        ifChangedAt read: Timestamp?,
        at now: Timestamp
    ) async throws(StoreError) -> AudienceChange

    /// Stores a count with its time, unless the rule was changed meanwhile.
    ///
    /// - Returns: The Audience; `nil` when it is gone.
    func setCount(
        _ estimate: AudienceEstimate,
        of audience: SavedAudience,
        at now: Timestamp
    ) async throws(StoreError) -> SavedAudience?

    /// Deletes one that no draft is for.
    func deleteAudience(_ id: AudienceID, within app: AppID?) async throws(StoreError) -> AudienceDeletion

    /// Counts the Devices of an Audience: all of them where that is quick, otherwise a sample.
    func count(_ question: AudienceCountQuestion) async throws(StoreError) -> AudienceCount
}

/// The result of deleting a saved Audience.
package enum AudienceDeletion: Hashable, Sendable {
    case deleted
    /// There is none, or it is another App's.
    case missing
    /// These drafts are for it, and maybe more.
    case used([CampaignID])
}

extension AudienceStore {
    /// Changes name or rule of whatever version there is.
    package func change(
        _ id: AudienceID,
        within app: AppID?,
        _ update: AudienceUpdate,
        at now: Timestamp
    ) async throws(StoreError) -> AudienceChange {
        try await change(id, within: app, update, ifChangedAt: nil, at: now)
    }

    /// Saves a new one without an idempotency key, unless the App has `limit` of them.
    package func insert(_ audience: SavedAudience, limit: Int) async throws(StoreError) -> AudienceChange {
        try await insert(audience, limit: limit, for: nil)
    }
}
