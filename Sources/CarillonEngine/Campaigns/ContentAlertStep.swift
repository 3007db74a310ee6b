package import CarillonModel
package import CarillonOperatorModel

/// The step of an alert about new rows of a content set that a Campaign covers: both are committed, or neither is.
///
/// So a node that dies notifies nobody twice, and nobody is left out.
package struct ContentAlertStep: Hashable, Sendable {
    /// What of it the Campaign covers.
    package enum Progress: Hashable, Sendable {
        /// The followers of a new row up to a place; the claim is that of the node that has the run.
        case run(slot: Int64, claim: Int64, number: Int64, userHash: Int64, follow: Int64)
        /// As many rows of bundles, in order of Users and rows, up to one.
        case bundles(dueAt: Timestamp, through: UserID, row: String, rowCount: Int)
    }

    /// A row that a User is notified of later.
    package struct Bundled: Hashable, Sendable {
        package var user: UserID
        package var row: String
        package var dueAt: Timestamp

        package init(user: UserID, row: String, dueAt: Timestamp) {
            self.user = user
            self.row = row
            self.dueAt = dueAt
        }
    }

    package var set: String
    package var table: String
    package var progress: Progress
    package var bundled: [Bundled]

    package init(set: String, table: String, progress: Progress, bundled: [Bundled] = []) {
        self.set = set
        self.table = table
        self.progress = progress
        self.bundled = bundled
    }
}

extension Campaigns {
    /// The names of the placeholders `{{recipient.NAME}}` in a request's texts.
    ///
    /// - Throws: As ``create(app:_:for:)`` for a template that is not there.
    package func recipientPlaces(
        of request: CampaignRequest,
        app: AppID
    ) async throws(EngineError) -> RecipientPlaces {
        let (request, rules) = try await resolved(request, for: app)
        let now = clock.now()
        let campaign = Campaign(id: ids.next(), app: app, request: request, state: .draft, createdAt: now)
        return ContentCheck(campaign, rules, occurrence: ids.next(), at: now, by: sender).recipientPlaces
    }

    /// Accepts a Campaign as a step of an alert.
    ///
    /// - Throws: As ``create(app:_:for:)``; ``EngineError/store(_:)`` when another node has done the step.
    package func create(
        app: AppID,
        _ request: CampaignRequest,
        advancing step: ContentAlertStep
    ) async throws(EngineError) -> Campaign {
        try await accept(app: app, request, isTest: false, for: nil, advancing: step)
    }
}
