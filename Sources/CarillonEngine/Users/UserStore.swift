package import CarillonModel
package import CarillonOperatorModel

/// Which refused tokens are asked for; newest first.
package struct InvalidTokenQuery: Hashable, Sendable {
    /// Where one stands in the list.
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
    /// From when on.
    package var from: Timestamp
    /// Before when.
    package var to: Timestamp
    /// The last one of the page before.
    package var after: Position?
    package var limit: Int

    package init(campaign: CampaignID? = nil, from: Timestamp, to: Timestamp, after: Position? = nil, limit: Int) {
        self.campaign = campaign
        self.from = from
        self.to = to
        self.after = after
        self.limit = limit
    }
}

/// A refused token, and where it stands in the list.
package struct ListedInvalidToken: Hashable, Sendable {
    package var position: InvalidTokenQuery.Position
    package var entry: InvalidToken

    package init(position: InvalidTokenQuery.Position, entry: InvalidToken) {
        self.position = position
        self.entry = entry
    }
}

/// A User whose erasure is not over.
package struct PendingErasure: Hashable, Sendable {
    package var app: AppID
    package var user: UserID
    /// When it was asked for; asked for again, it is another one, which has all to do anew.
    package var requestedAt: Timestamp
    /// The last Campaign that was looked through for names; `nil` when none was.
    package var lastCampaign: CampaignID?
    /// Whether all Campaigns are looked through.
    package var areCampaignsDone: Bool
    /// The last Occurrence that was looked through; `nil` when none was.
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

/// Keeps what belongs to Users, and forgets it.
package protocol UserStore: UserExportStore {
    /// A User with tags, attributes and tokens; `nil` when nothing is known of them.
    func user(_ user: UserID, app: AppID) async throws(StoreError) -> UserRecord?

    /// Whether there is anything to erase, what a cut off erasure left included, but for Campaigns that name the User.
    func hasTraces(of user: UserID, app: AppID) async throws(StoreError) -> Bool

    /// Whether a Campaign or a saved Audience names a User, or a User sent a message: looked for in some short
    /// reads; true when these were not enough to tell.
    func isNamed(_ user: UserID, app: AppID) async throws(StoreError) -> Bool

    /// Takes a User and their Devices out of the lists and rules of some Campaigns, and takes away what was said to
    /// nobody else and the messages that the User wrote and got.
    ///
    /// A Campaign that is for nobody any more is cancelled. A step writes no more than a few milliseconds at once.
    ///
    /// - Parameters:
    ///   - erasure: Of whom; their Devices are removed already. How far it is, is noted.
    ///   - campaign: The last Campaign that is done; `nil` at first.
    ///   - now: The wall clock.
    /// - Returns: The last Campaign that was looked at; `nil` when there are no more.
    /// - Throws: ``StoreError``.
    func redactCampaigns(
        for erasure: PendingErasure,
        after campaign: CampaignID?,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignID?

    /// Deletes some Devices of a User with their tokens; their numbers stay known as the User's.
    ///
    /// - Returns: Whether there are more.
    func removeSomeDevices(of user: UserID, app: AppID, at: Timestamp) async throws(StoreError) -> Bool

    /// Erases what became of notifications to a User, in some Occurrences. Totals stay, but for what was to be tried
    /// again: it is not any more.
    ///
    /// The work of a step has a bound, however many Occurrences there are.
    ///
    /// - Parameters:
    ///   - erasure: Of whom. How far it is, is noted.
    ///   - occurrence: The last Occurrence that is done; `nil` at first.
    /// - Returns: The last Occurrence that was looked at; `nil` when there are no more.
    /// - Throws: ``StoreError``.
    func eraseDeliveries(
        for erasure: PendingErasure,
        after occurrence: OccurrenceID?
    ) async throws(StoreError) -> OccurrenceID?

    /// Records that a User is to be erased, so that it goes on when the process ends; ``eraseRest(of:)`` ends it.
    ///
    /// - Returns: The erasure. One that was under way neither ends it nor says how far it is.
    func beginErasure(of user: UserID, app: AppID, at: Timestamp) async throws(StoreError) -> PendingErasure

    /// Users whose erasure is not over, the ones that wait for longest first.
    func pendingErasures(limit: Int) async throws(StoreError) -> [PendingErasure]

    /// Erases a User's inboxes, tags and attributes, and not yet by what the rest is found.
    func eraseProfile(of user: UserID, app: AppID) async throws(StoreError)

    /// Erases all else of a User, in steps, and at last which numbers their Devices had.
    ///
    /// - Returns: Whether that ended the erasure: not when it was asked for again meanwhile, or somebody else ended it.
    func eraseRest(of erasure: PendingErasure) async throws(StoreError) -> Bool

    /// Refused tokens, newest first.
    func invalidTokens(app: AppID, _ query: InvalidTokenQuery) async throws(StoreError) -> [ListedInvalidToken]

    /// Forgets some refused tokens of before a time.
    ///
    /// - Returns: Whether there may be more.
    func removeInvalidTokens(before time: Timestamp) async throws(StoreError) -> Bool
}
