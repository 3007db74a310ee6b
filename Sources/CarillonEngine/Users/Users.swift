package import CarillonModel
package import CarillonOperatorModel

/// The people that Devices belong to.
package struct Users: Sendable {
    /// How long invalid tokens are listed.
    package static let invalidTokenTime = Duration.seconds(30 * 86_400)

    let store: any UserStore
    let apps: Apps
    private let clock: any WallClock

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores the data of Users.
    ///   - apps: Checks that an App exists.
    ///   - clock: The time of an erasure.
    package init(store: any UserStore, apps: Apps, clock: any WallClock) {
        self.store = store
        self.apps = apps
        self.clock = clock
    }

    /// Returns a User with tags, attributes and tokens.
    ///
    /// - Parameters:
    ///   - user: The User.
    ///   - app: The App.
    ///   - showsTokens: Whether the caller may see tokens.
    /// - Returns: The User.
    /// - Throws: ``EngineError/notFound(_:)`` when the User is unknown.
    package func user(_ user: UserID, app: AppID, showsTokens: Bool) async throws(EngineError) -> UserRecord {
        let facts = try await apps.facts(app)
        let oldest = facts.oldestRegistration(at: clock.now())
        let found = try await stored(try await store.user(user, app: app))
        guard var record = found else { throw .notFound(.user) }
        for index in record.contacts.indices {
            if !showsTokens { record.contacts[index].token = nil }
            let contact = record.contacts[index]
            if contact.tokenState == .active, contact.registeredAt < oldest {
                record.contacts[index].tokenState = .expired
            }
        }
        return record
    }

    /// Returns the Users that have Devices, ordered by the bytes of their ids.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - prefix: Only those whose ids begin so; `nil` for all.
    ///   - after: The last one of the page before.
    ///   - limit: 1 through 200; other values are clamped.
    /// - Returns: The page; empty when there are none.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func list(
        app: AppID,
        prefix: String?,
        after: UserID?,
        limit: Int
    ) async throws(EngineError) -> Page<ListedUser> {
        _ = try await apps.facts(app)
        let limit = min(max(1, limit), 200)
        let found = try await stored(
            try await store.users(app: app, prefix: prefix ?? "", after: after, limit: limit + 1)
        )
        return Page(found, limit: limit) { $0.user.cursor }
    }

    /// Steps through the App's Campaigns and Occurrences that the request of an erasure waits for.
    private static let erasureSteps = 20

    /// Erases a User from every table.
    ///
    /// When it returns, devices, tokens, tags, attributes and inboxes are erased, including data of Devices that were
    /// deleted before. Campaigns that name the User, messages from and to the User, events and deliveries are erased
    /// too, unless searching them takes longer than a request may: then ``continueErasures()`` erases the rest in
    /// steps. Totals stay. An interrupted erasure continues by itself, and when it is requested again.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the User is unknown.
    package func erase(_ user: UserID, app: AppID) async throws(EngineError) {
        _ = try await apps.facts(app)
        guard try await stored(try await isKnown(user, app: app)) else { throw .notFound(.user) }
        let now = clock.now()
        let pending = try await stored(try await store.beginErasure(of: user, app: app, at: now))
        if try await stored(try await advance(pending, steps: Self.erasureSteps, at: now)) {
            try await stored(try await store.eraseProfile(of: user, app: app))
        }
    }

    /// Continues an erasure by some steps: first the Devices, so that they get nothing meanwhile.
    ///
    /// - Returns: Whether there is more to do.
    private func advance(_ pending: PendingErasure, steps: Int, at now: Timestamp) async throws(StoreError) -> Bool {
        let (user, app) = (pending.user, pending.app)
        while try await store.removeSomeDevices(of: user, app: app, at: now) {}
        var left = steps
        var campaign = pending.lastCampaign
        var areCampaignsDone = pending.areCampaignsDone
        while !areCampaignsDone {
            guard left > 0 else { return true }
            campaign = try await store.redactCampaigns(for: pending, after: campaign, at: now)
            areCampaignsDone = campaign == nil
            left -= 1
        }
        var occurrence = pending.lastOccurrence
        while left > 0 {
            occurrence = try await store.eraseDeliveries(for: pending, after: occurrence)
            guard occurrence != nil else { return try await !store.eraseRest(of: pending) }
            left -= 1
        }
        return true
    }

    /// Returns whether ``continueErasures()`` has anything to do.
    package func hasPendingErasures() async throws(StoreError) -> Bool {
        try await !store.pendingErasures(limit: 1).isEmpty
    }

    /// Continues pending erasures, each by one step.
    ///
    /// - Returns: Whether there is more to do.
    /// - Throws: ``StoreError`` when a step failed and no other had more to do.
    package func continueErasures() async throws(StoreError) -> Bool {
        let now = clock.now()
        var hasMore = false
        var failure: StoreError?
        for pending in try await store.pendingErasures(limit: 100) {
            do throws(StoreError) {
                // Do both in order even where one step suffices.
                let isUnfinished = try await advance(pending, steps: pending.areCampaignsDone ? 1 : 2, at: now)
                hasMore = hasMore || isUnfinished
            } catch {
                failure = error
            }
        }
        if let failure, !hasMore { throw failure }
        return hasMore
    }

    /// Returns tokens that the push service refused in the last thirty days, newest first.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - campaign: Only refusals of this Campaign; `nil` for all.
    ///   - from: From this time on; `nil` for all that is listed.
    ///   - until: Before this time; `nil` for all.
    ///   - after: The last one of the page before.
    ///   - limit: 1 through 100.
    ///   - showsTokens: Whether the caller may see tokens.
    /// - Returns: The page; empty when there are none.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func invalidTokens(
        app: AppID,
        campaign: CampaignID? = nil,
        from: Timestamp? = nil,
        until: Timestamp? = nil,
        after: InvalidTokenQuery.Position? = nil,
        limit: Int = 25,
        showsTokens: Bool
    ) async throws(EngineError) -> Page<InvalidToken> {
        _ = try await apps.facts(app)
        let now = clock.now()
        let oldest = now.advanced(by: .seconds(-Self.invalidTokenTime.components.seconds))
        let limit = min(max(1, limit), 100)
        let query = InvalidTokenQuery(
            campaign: campaign,
            from: max(from ?? oldest, oldest),
            until: until ?? Timestamp(rawValue: .max),
            after: after,
            limit: limit + 1
        )
        let found = try await stored(try await store.invalidTokens(app: app, query))
        let next = found.count > limit ? found[limit - 1].position.text : nil
        let items = found.prefix(limit).map { listed in
            var entry = listed.entry
            if !showsTokens { entry.token = nil }
            return entry
        }
        return Page(items: items, nextCursor: next)
    }

    /// Deletes some of the invalid tokens that are not listed any more.
    ///
    /// - Returns: Whether there may be more.
    package func removeOldInvalidTokens() async throws(StoreError) -> Bool {
        let oldest = clock.now().advanced(by: .seconds(-Self.invalidTokenTime.components.seconds))
        return try await store.removeInvalidTokens(before: oldest)
    }
}

extension InvalidTokenQuery.Position {
    /// The text of a page's cursor; it contains only what the page shows.
    package var text: String { "\(at.rawValue).\(device.rawValue).\(pushType.rawValue)" }

    /// Parses ``text``; `nil` when it is invalid.
    package init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let at = Int64(parts[0]), let device = Int64(parts[1]),
            let pushType = PushType(rawValue: String(parts[2]))
        else { return nil }
        self.init(at: Timestamp(rawValue: at), device: DeviceNumber(rawValue: device), pushType: pushType)
    }
}

extension UserID {
    /// The text of a page's cursor: an id may have any characters.
    package var cursor: String { TextCursor.cursor(of: rawValue) }

    /// Parses a page's cursor; `nil` when it is invalid.
    package init?(cursor: String) {
        guard let text = TextCursor.text(of: cursor) else { return nil }
        self.init(rawValue: text)
    }
}
