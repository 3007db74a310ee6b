package import CarillonModel
package import CarillonOperatorModel

/// The operations on Campaigns for operators and back ends.
///
/// Changes are durable when a call returns. `within` is the App of the caller's key, `nil` for a key of the server;
/// Campaigns of other Apps are not found.
package struct Campaigns: Sendable {
    /// How long failed attempts are retried by default.
    static let usualRetryTime = Duration.seconds(CampaignRequest.usualRetryTime)
    /// How far ahead a Campaign may be scheduled.
    static let longestWait = Duration.seconds(60 * 86_400)
    /// Maximum number of rows of a page.
    static let maximumPage = 500

    let store: any CampaignStore
    let sender: any Sender
    let ids: IDSource
    let clock: any WallClock
    let signals: CampaignSignals
    let timer: any DispatchClock
    /// Counts the Devices that a Campaign reaches; `nil` where nobody asks.
    let counter: (any CampaignReach)?
    let zones = ZoneNights()
    /// Shared by all who follow a Campaign.
    let progressReads = ProgressReads()
    /// Shared by all who look at exact counts.
    let exactCounts = ExactCounts()

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores Campaigns.
    ///   - sender: Renders messages, so that one that is too large is refused at once.
    ///   - ids: Generates ids.
    ///   - clock: The wall clock.
    ///   - signals: Shared with the dispatcher of this process.
    ///   - timer: The monotonic clock of waits.
    ///   - reach: Counts the Devices that a Campaign reaches.
    package init(
        store: any CampaignStore,
        sender: any Sender,
        ids: IDSource,
        clock: any WallClock,
        signals: CampaignSignals,
        timer: any DispatchClock = SystemDispatchClock(),
        reach: (any CampaignReach)? = nil
    ) {
        self.store = store
        self.sender = sender
        self.ids = ids
        self.clock = clock
        self.signals = signals
        self.timer = timer
        counter = reach
    }

    /// Accepts a Campaign: a draft, one for later, or one that begins now.
    ///
    /// One of an API key waits for approval where the App's guards say so.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - request: The request.
    ///   - repeatable: Stores the answer for a repeated request.
    ///   - caller: Who makes it; `nil` for the server itself, which nothing limits.
    /// - Returns: The Campaign.
    /// - Throws: ``EngineError/invalid(_:)`` when a payload exceeds the push service's limit, the time is too far
    ///   ahead, or the App has no push key and it is not a draft; ``EngineError/notFound(_:)`` when there is no such
    ///   App; ``EngineError/Refusal/tooManyRecipients(_:)`` when the key may not reach so many Devices.
    package func create(
        app: AppID,
        _ request: CampaignRequest,
        for repeatable: IdempotentRequest<Campaign>? = nil,
        by caller: CampaignCaller? = nil
    ) async throws(EngineError) -> Campaign {
        try await accept(app: app, request, isTest: false, for: repeatable, by: caller)
    }

    /// Sends a message of a User to a User: delivered like a Campaign, but left out of lists.
    ///
    /// - Throws: As ``create(app:_:for:)``.
    package func sendUserMessage(app: AppID, _ request: CampaignRequest) async throws(EngineError) {
        _ = try await accept(app: app, request, isTest: false, kind: .userMessage, for: nil)
    }

    /// Sends a message to one Device; lists and counts of other Campaigns leave it out.
    ///
    /// - Throws: As ``create(app:_:for:)``; ``EngineError/invalid(_:)`` when the App has no such Device.
    package func test(
        app: AppID,
        _ request: TestSendRequest,
        for repeatable: IdempotentRequest<Campaign>? = nil,
        by caller: CampaignCaller? = nil
    ) async throws(EngineError) -> Campaign {
        guard try await stored(try await store.sample(request.device, of: app)) != nil else {
            throw .wrong("device", "must be a Device of the App")
        }
        var campaign = CampaignRequest(audience: .devices([request.device]), message: request.message)
        (campaign.isAd, campaign.adWording) = (request.isAd, request.adWording)
        campaign.channel = request.channel
        campaign.template = request.template
        campaign.values = request.values
        campaign.recipientValues = request.recipientValues ?? TemplateValues([:])
        // A test is a recipient of the hour as any other.
        if let caller { try await charge(1, caller) }
        // Somebody waits for a test message.
        campaign.isTransactional = true
        return try await accept(app: app, campaign, isTest: true, for: repeatable)
    }

    /// Sends a draft.
    ///
    /// - Parameters:
    ///   - id: The draft.
    ///   - app: The App of the caller's key; `nil` for a key of the server.
    ///   - caller: Who sends it; `nil` for the server itself, which nothing limits.
    /// - Returns: The Campaign; it waits for approval where the App's guards say so.
    /// - Throws: ``EngineError/conflict(_:)`` when it is none, ``EngineError/invalid(_:)`` when it is incomplete or the App has
    ///   no push key, ``EngineError/Refusal/tooManyRecipients(_:)`` when the key may not reach so many Devices.
    package func send(
        _ id: CampaignID,
        within app: AppID?,
        by caller: CampaignCaller? = nil
    ) async throws(EngineError) -> Campaign {
        let now = clock.now()
        var planned = try await found(try await store.planned(id, within: app))
        guard planned.campaign.lifecycle.apply(.send) != .refused else {
            throw .conflict("The campaign is \(planned.campaign.state.rawValue), not a draft.")
        }
        if planned.campaign.undecided != nil { throw .problems(try await problems(of: planned.campaign)) }
        // Who sends a draft after its time means now.
        try resolveTimes(&planned.campaign, at: now, sendsLate: true)
        // The App may have changed since the draft was made.
        try await check(planned.campaign)
        let rules = try await rules(of: planned.campaign.app)
        if let problem = rules.missingPushKey { throw .invalid(problem) }
        let reach = try await approvalReach(of: planned.campaign, caller, rules.sendGuards)
        var move = GuardedMove(planned, .send, planned.guards)
        if let reach {
            move = request(of: planned, planned.guards, reach: reach, by: caller?.author, at: now)
        } else {
            (move.acceptedAt, move.launch) = (now, launch(planned.campaign, at: now))
        }
        move.audience = try await fixedAudience(of: planned.campaign)
        let change = try await found(try await store.move(move, at: now))
        guard !change.isOutdated else {
            throw .conflict("The campaign was changed meanwhile; it is \(change.after.state.rawValue).")
        }
        announce(change.after)
        return change.after
    }

    /// Deletes a draft, or one that was refused or has expired.
    ///
    /// - Throws: ``EngineError/conflict(_:)`` when it is none: what was sent stays in the counts.
    package func delete(_ id: CampaignID, within app: AppID?) async throws(EngineError) {
        let before = try await found(try await store.deleteDraft(id, within: app))
        guard before.isDeletable else {
            throw .conflict("The campaign is \(before.state.rawValue): only drafts can be deleted.")
        }
    }

    /// Cancels a Campaign.
    ///
    /// Sent notifications cannot be revoked. Cancelling again changes nothing.
    ///
    /// - Returns: The Campaign, `cancelled`, or `cancelling` until all sent batches are answered.
    /// - Throws: ``EngineError/conflict(_:)`` when it is sent.
    package func cancel(_ id: CampaignID, within app: AppID?) async throws(EngineError) -> Campaign {
        // Signal first, then write the store: a dispatcher may stop early, but none continues late.
        let campaign = try await campaign(id, within: app)
        guard campaign.lifecycle.apply(.cancel) != .refused else { throw .conflict("The campaign is sent.") }
        signals.stop(id)
        do throws(EngineError) {
            let change = try await found(try await store.cancel(id, within: app, at: clock.now()))
            if change.after.state == .cancelling { signals.confirmStop(id) } else { signals.allow(id) }
            guard change.after.state != .sent else { throw EngineError.conflict("The campaign is sent.") }
            announce(change.after)
            return change.after
        } catch {
            signals.allow(id)
            throw error
        }
    }

    package func campaign(_ id: CampaignID, within app: AppID?) async throws(EngineError) -> Campaign {
        try await found(try await store.campaign(id, within: app)).timed(at: clock.now())
    }

    /// Returns Campaigns, newest first, without test sends.
    ///
    /// - Parameters:
    ///   - app: Of one App; `nil` for all.
    ///   - id: Only older ones than this.
    ///   - limit: 1 through 500; other values are clamped.
    /// - Returns: A page, whose cursor is the last Campaign's id.
    /// - Throws: ``EngineError/store(_:)``.
    package func list(app: AppID?, after id: CampaignID?, limit: Int) async throws(EngineError) -> Page<Campaign> {
        let limit = min(max(1, limit), Self.maximumPage)
        let found = try await stored(try await store.list(app: app, after: id, limit: limit + 1))
        return Page(try await shown(found), limit: limit) { $0.id.description }
    }

    // MARK: - Private

    func accept(
        app: AppID,
        _ request: CampaignRequest,
        isTest: Bool,
        kind: CampaignKind = .campaign,
        for repeatable: IdempotentRequest<Campaign>?,
        by caller: CampaignCaller? = nil,
        advancing step: ContentAlertStep? = nil
    ) async throws(EngineError) -> Campaign {
        let now = clock.now()
        let examined = try await examine(try await resolved(request, for: app), app: app, at: now)
        guard examined.problems.isEmpty else { throw .problems(examined.problems) }
        let request = examined.request
        var campaign = examined.campaign
        // Somebody waits for a call and for a test; what is sent after the pause would be of no use.
        if examined.rules.isSendingPaused, !request.draft, isTest || campaign.channel == .voip {
            throw .conflict("All sending of the App is paused: calls and tests are refused until it is resumed.")
        }
        campaign.createdBy = caller?.author
        var launch = Launch(occurrence: nil, next: nil)
        if !request.draft {
            let reach = try await approvalReach(of: campaign, caller, examined.rules.sendGuards)
            launch = begin(&campaign, reach: reach, by: caller, at: now)
        }
        let new = NewCampaign(
            campaign: campaign,
            retryFor: request.retryFor.map { .seconds($0) } ?? Self.usualRetryTime,
            isTest: isTest,
            kind: kind,
            inbox: InboxPlacement(request, isTest: isTest),
            recipients: request.recipients ?? [],
            occurrence: launch.occurrence,
            next: launch.next,
            step: step
        )
        let kept = try await stored(try await store.insert(new, for: repeatable))
        guard let kept else {
            // Its saved Audience was deleted at this moment, or the App.
            _ = try await store.resolved(campaign.audience, app: app)
            throw .notFound(.app)
        }
        announce(kept)
        return kept
    }

    /// Sets the state of a new Campaign that is no draft.
    ///
    /// - Returns: How it begins, or when its request for approval ends.
    private func begin(
        _ campaign: inout Campaign,
        reach: Int?,
        by caller: CampaignCaller?,
        at now: Timestamp
    ) -> Launch {
        guard let reach else {
            let launch = launch(campaign, at: now)
            campaign.state = launch.occurrence == nil ? .scheduled : .sending
            return launch
        }
        let approval = approval(of: campaign, reach: reach, by: caller?.author, at: now)
        (campaign.state, campaign.approval) = (.needsApproval, approval)
        return Launch(occurrence: nil, next: Firing(slot: 0, dueAt: approval.expiresAt))
    }

    func announce(_ campaign: Campaign) {
        switch campaign.state {
        // A dispatcher has to know when a hold or a request ends.
        case .needsApproval, .held, .scheduled, .sending, .cancelling: signals.announceWork()
        case .draft, .refused, .expired, .paused, .cancelled, .sent: break
        }
        signals.announceChange(of: campaign.id)
    }

    func found<Value>(_ call: @autoclosure () async throws(StoreError) -> Value?) async throws(EngineError) -> Value {
        guard let value = try await stored(try await call()) else { throw .notFound(.campaign) }
        return value
    }
}
