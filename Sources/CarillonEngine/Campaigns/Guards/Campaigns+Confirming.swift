package import CarillonModel
package import CarillonOperatorModel

extension Campaigns {
    /// For how long a request for approval waits at most.
    static let longestApproval = Duration.seconds(72 * 3_600)
    private static let keyLength = TextLimit(1...64)

    /// Returns what has to be done before a Campaign of a size is sent.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - reach: How many Devices it reaches.
    ///   - author: Who would send it.
    /// - Returns: The step.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func guardStep(
        of campaign: Campaign,
        reach: Int,
        by author: CampaignAuthor? = nil
    ) async throws(EngineError) -> GuardStep {
        let guards = try await rules(of: campaign.app).sendGuards
        let isCorrection = try await isCorrection(campaign)
        let step = GuardStep(reach: reach, guards: guards, hasApprover: true, isCorrection: isCorrection)
        guard step.needsApproval, case .operator(let person)? = author else { return step }
        let others = try await stored(try await store.otherSenders(in: campaign.app, besides: person))
        return GuardStep(reach: reach, guards: guards, hasApprover: others > 0, isCorrection: isCorrection)
    }

    /// Confirms a draft: sends it, or begins its hold, or asks for approval, as the App's guards say.
    ///
    /// - Parameters:
    ///   - id: The draft.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - confirmation: What is confirmed.
    ///   - author: Who confirms.
    /// - Returns: What it led to.
    /// - Throws: ``EngineError/invalidFields(_:)`` for what stands in its way, ``EngineError/invalid(_:)`` for a wrong number,
    ///   ``OperatorRefusal/freshAuthenticationRequired``, ``EngineError/conflict(_:)`` when it is no draft; nothing is sent
    ///   then.
    package func confirm(
        _ id: CampaignID,
        within app: AppID?,
        _ confirmation: CampaignConfirmation,
        by author: CampaignAuthor
    ) async throws(EngineError) -> ConfirmationResult {
        let planned = try await current(id, within: app)
        let draft = planned.campaign
        if planned.guards.hasConfirmation(confirmation.key) { return .repeated(draft) }
        if let problem = Self.keyLength.problem(of: confirmation.key) { throw .wrong("key", problem) }
        guard draft.version == confirmation.version else {
            return .outdated(CampaignConflict(current: draft, yours: draft.atVersion(confirmation.version)))
        }
        guard draft.lifecycle.apply(.send) != .refused else {
            throw .conflict("The campaign is \(draft.state.rawValue), not a draft.")
        }
        let problems = try await problems(of: draft)
        guard problems.isEmpty else { throw .problems(problems) }
        let figures = try await figures(of: draft)
        let reach = figures.devices
        guard reach > 0 else { throw .wrong("audience", "must have a Device that can be reached") }
        let step = try await guardStep(of: draft, reach: reach, by: author)
        guard !GuardStep.differ(confirmation.reach, reach, step.guards) else {
            return .recount(reach: reach, step: step)
        }
        try await requireChecks(of: draft, figures, ticked: confirmation.ticked)
        guard !step.needsTyping || GuardStep.isTyped(confirmation.typed, confirmation.reach) else {
            throw .wrong("typed", "must be the number of Devices: \(confirmation.reach)")
        }
        guard !step.needsFresh || confirmation.isFresh else { throw .operators(.freshAuthenticationRequired) }
        var move = try move(of: planned, reach: reach, step, confirmation, by: author)
        move.audience = try await fixedAudience(of: draft)
        let change = try await found(try await store.move(move, at: clock.now()))
        guard !change.isOutdated else { return try await repeated(id, within: app, confirmation) }
        announce(change.after)
        return change.after.confirmed
    }

    /// The rule of the saved audience that a draft names, which stands in its place once it is sent; `nil` when it names
    /// none.
    func fixedAudience(of draft: Campaign) async throws(EngineError) -> Audience? {
        guard case .saved = draft.audience else { return nil }
        return try await store.resolved(draft.audience, app: draft.app)
    }

    // MARK: - Private

    /// A Campaign as it is now: a request that has expired is none any more, also before a dispatcher has written that.
    private func current(_ id: CampaignID, within app: AppID?) async throws(EngineError) -> PlannedCampaign {
        let planned = try await found(try await store.planned(id, within: app))
        guard planned.campaign.state == .needsApproval, let move = GuardedMove.due(planned, at: clock.now()) else {
            return planned
        }
        _ = try await stored(try await store.move(move, at: clock.now()))
        return try await found(try await store.planned(id, within: app))
    }

    /// The step of a confirmed draft.
    private func move(
        of planned: PlannedCampaign,
        reach: Int,
        _ step: GuardStep,
        _ confirmation: CampaignConfirmation,
        by author: CampaignAuthor
    ) throws(EngineError) -> GuardedMove {
        let now = clock.now()
        var (planned, guards) = (planned, planned.guards)
        try resolveTimes(&planned.campaign, at: now, sendsLate: true)
        guards.record(confirmation: confirmation.key)
        guards.isConfirmed = true
        guards.mayGoNow = step.mayGoNow
        if step.needsApproval {
            return request(of: planned, guards, reach: reach, by: author, at: now)
        }
        guard step.hold > .zero else {
            var move = GuardedMove(planned, .send, guards)
            (move.acceptedAt, move.launch) = (now, launch(planned.campaign, at: now))
            return move
        }
        var move = GuardedMove(planned, .hold, guards)
        move.until = now.advanced(by: step.hold)
        return move
    }

    /// The step of a draft for which somebody asks approval.
    func request(
        of planned: PlannedCampaign,
        _ guards: CampaignGuards,
        reach: Int,
        by author: CampaignAuthor?,
        at now: Timestamp
    ) -> GuardedMove {
        let approval = approval(of: planned.campaign, reach: reach, by: author, at: now)
        var guards = guards
        guards.approval = approval
        var move = GuardedMove(planned, .ask, guards)
        move.until = approval.expiresAt
        return move
    }

    /// A request that ends at the Campaign's time, or after three days.
    func approval(
        of campaign: Campaign,
        reach: Int,
        by author: CampaignAuthor?,
        at now: Timestamp
    ) -> CampaignApproval {
        let longest = now.advanced(by: Self.longestApproval)
        let first = FiringPlan(campaign, acceptedAt: now)?.first(at: now)?.dueAt ?? now
        return CampaignApproval(
            version: campaign.version,
            reach: reach,
            requestedBy: author,
            requestedAt: now,
            expiresAt: first > now ? min(first, longest) : longest
        )
    }

    /// The result for a draft that another request changed in the meantime.
    private func repeated(
        _ id: CampaignID,
        within app: AppID?,
        _ confirmation: CampaignConfirmation
    ) async throws(EngineError) -> ConfirmationResult {
        let planned = try await found(try await store.planned(id, within: app))
        if planned.guards.hasConfirmation(confirmation.key) { return .repeated(planned.campaign) }
        let current = planned.campaign
        guard current.version == confirmation.version else {
            return .outdated(CampaignConflict(current: current, yours: current.atVersion(confirmation.version)))
        }
        throw .conflict("The campaign was changed meanwhile; it is \(current.state.rawValue).")
    }
}

extension Campaign {
    /// The same at another version.
    fileprivate func atVersion(_ version: Int) -> Campaign {
        var campaign = self
        campaign.version = version
        return campaign
    }

    /// What a confirmation led to.
    fileprivate var confirmed: ConfirmationResult {
        switch state {
        case .held: .held(self)
        case .needsApproval: .waiting(self)
        case .draft, .refused, .expired, .scheduled, .sending, .paused, .cancelling, .cancelled, .sent: .sent(self)
        }
    }
}
