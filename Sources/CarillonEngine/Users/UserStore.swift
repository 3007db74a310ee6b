package import CarillonModel
package import CarillonOperatorModel

/// A filter of invalid tokens; newest first.
package struct InvalidTokenQuery: Hashable, Sendable {
    /// A position in the list.
    package struct Position: Hashable, Sendable {
        package var at: Timestamp
        package var device: DeviceNumber
        package var pushType: PushType

        package init(at: Timestamp, device: DeviceNumber, pushType: PushType) {
            self.at = at
            self.device = device
            self.pushType = pushType
        }
    }

    package var campaign: CampaignID?
    /// From this time on.
    package var from: Timestamp
    /// Before this time.
    package var until: Timestamp
    /// The last one of the page before.
    package var after: Position?
    package var limit: Int

    package init(campaign: CampaignID? = nil, from: Timestamp, until: Timestamp, after: Position? = nil, limit: Int) {
        self.campaign = campaign
        self.from = from
        self.until = until
        self.after = after
        self.limit = limit
    }
}

/// An invalid token with its position in the list.
package struct ListedInvalidToken: Hashable, Sendable {
    package var position: InvalidTokenQuery.Position
    package var entry: InvalidToken

    package init(position: InvalidTokenQuery.Position, entry: InvalidToken) {
        self.position = position
        self.entry = entry
    }
}

/// A User whose erasure is not complete.
package struct PendingErasure: Hashable, Sendable {
    package var app: AppID
    package var user: UserID
    /// When it was requested; a repeated request is another erasure, which begins anew.
    package var requestedAt: Timestamp
    /// The last Campaign that was searched for the User; `nil` when none was.
    package var lastCampaign: CampaignID?
    /// Whether all Campaigns were searched.
    package var areCampaignsDone: Bool
    /// The last Occurrence that was searched; `nil` when none was.
    package var lastOccurrence: OccurrenceID?

    package init(
        app: AppID,
        user: UserID,
        requestedAt: Timestamp,
        lastCampaign: CampaignID? = nil,
        areCampaignsDone: Bool = false,
        lastOccurrence: OccurrenceID? = nil
    ) {
        self.app = app
        self.user = user
        self.requestedAt = requestedAt
        self.lastCampaign = lastCampaign
        self.areCampaignsDone = areCampaignsDone
        self.lastOccurrence = lastOccurrence
    }
}

/// Stores and erases the data of Users.
package protocol UserStore: UserExportStore {
    /// Returns a User with tags, attributes and tokens; `nil` when the User is unknown.
    func user(_ user: UserID, app: AppID) async throws(StoreError) -> UserRecord?

    /// Returns whether there is anything to erase, including the rest of an interrupted erasure, except Campaigns that
    /// name the User.
    func hasTraces(of user: UserID, app: AppID) async throws(StoreError) -> Bool

    /// Returns whether a Campaign or a saved Audience names a User, or the User sent a message.
    ///
    /// It does a few short reads, and returns true when these did not decide.
    func isNamed(_ user: UserID, app: AppID) async throws(StoreError) -> Bool

    /// Removes a User and their Devices from the lists and rules of some Campaigns, and redacts messages that were for
    /// nobody else and those that the User wrote and received.
    ///
    /// A Campaign without remaining recipients is cancelled. A step writes for a few milliseconds at most.
    ///
    /// - Parameters:
    ///   - erasure: The erasure, whose progress is recorded; the User's Devices are removed already.
    ///   - campaign: The last Campaign that is done; `nil` at first.
    ///   - now: The wall clock.
    /// - Returns: The last Campaign that was searched; `nil` when there are no more.
    /// - Throws: ``StoreError``.
    func redactCampaigns(
        for erasure: PendingErasure,
        after campaign: CampaignID?,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignID?

    /// Deletes some Devices of a User with their tokens; their numbers stay recorded as the User's.
    ///
    /// - Returns: Whether there are more.
    func removeSomeDevices(of user: UserID, app: AppID, at: Timestamp) async throws(StoreError) -> Bool

    /// Erases a User's deliveries in some Occurrences; totals stay, except for retries, which are cancelled.
    ///
    /// The work of a step is bounded.
    ///
    /// - Parameters:
    ///   - erasure: The erasure, whose progress is recorded.
    ///   - occurrence: The last Occurrence that is done; `nil` at first.
    /// - Returns: The last Occurrence that was searched; `nil` when there are no more.
    /// - Throws: ``StoreError``.
    func eraseDeliveries(
        for erasure: PendingErasure,
        after occurrence: OccurrenceID?
    ) async throws(StoreError) -> OccurrenceID?

    /// Records that a User is to be erased, so that another process can continue; ``eraseRest(of:)`` completes it.
    ///
    /// - Returns: The erasure. An earlier one of the same User neither completes it nor records its progress.
    func beginErasure(of user: UserID, app: AppID, at: Timestamp) async throws(StoreError) -> PendingErasure

    /// Returns Users whose erasure is not complete, oldest request first.
    func pendingErasures(limit: Int) async throws(StoreError) -> [PendingErasure]

    /// Erases a User's inboxes, tags and attributes, but not yet the rows by which the rest is found.
    func eraseProfile(of user: UserID, app: AppID) async throws(StoreError)

    /// Erases the rest of a User, in steps, and last the numbers of their Devices.
    ///
    /// - Returns: Whether that completed the erasure: not when it was requested again meanwhile, or another node
    ///   completed it.
    func eraseRest(of erasure: PendingErasure) async throws(StoreError) -> Bool

    /// Returns invalid tokens, newest first.
    func invalidTokens(app: AppID, _ query: InvalidTokenQuery) async throws(StoreError) -> [ListedInvalidToken]

    /// Deletes some invalid tokens of before a time.
    ///
    /// - Returns: Whether there may be more.
    func removeInvalidTokens(before time: Timestamp) async throws(StoreError) -> Bool
}
