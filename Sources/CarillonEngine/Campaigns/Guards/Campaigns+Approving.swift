package import CarillonModel
package import CarillonOperatorModel

extension Campaigns {
    /// Approves a version of a Campaign, which begins its hold.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - version: The version that was shown.
    ///   - accepted: The number of Devices that was accepted instead of the one that approval was asked for; `nil` for
    ///     that one. It is needed when they differ by more than a tenth.
    ///   - person: Who approves; the caller checks that the Operator may send.
    /// - Returns: What it led to.
    /// - Throws: ``EngineError/conflict(_:)`` when it does not wait, or another version does;
    ///   ``EngineError/Refusal/ownApproval`` for who wrote a part of it or asked.
    package func approve(
        _ id: CampaignID,
        within app: AppID?,
        version: Int,
        reach accepted: Int?,
        by person: OperatorID
    ) async throws(EngineError) -> ApprovalResult {
        let (planned, now) = (try await waiting(id, within: app), clock.now())
        let campaign = planned.campaign
        guard !planned.guards.isOwn(of: .operator(person)) else { throw .refused(.ownApproval) }
        guard campaign.version == version, planned.guards.approval?.version == version else {
            throw .conflict("The campaign was changed meanwhile; it is at version \(campaign.version).")
        }
        let problems = try await problems(of: campaign)
        guard problems.isEmpty else { throw .problems(problems) }
        let (reach, rules) = (try await reach(of: campaign), try await rules(of: campaign.app).sendGuards)
        guard reach > 0 else { throw .wrong("audience", "must have a Device that can be reached") }
        var guards = planned.guards
        if GuardStep.isFar(guards.approval?.reach ?? 0, reach) {
            guard let accepted, !GuardStep.isFar(accepted, reach) else { return .recount(reach: reach) }
            guards.approval?.reach = reach
        }
        guards.end(.approved, by: .operator(person), at: now)
        guards.isConfirmed = true
        guard rules.hold > 0 else {
            let after = try await moved(.released(planned, .release, guards, at: now))
            return .sent(after)
        }
        var move = GuardedMove(planned, .hold, guards)
        move.until = now.advanced(by: .seconds(rules.hold))
        return .held(try await moved(move))
    }

    /// Whether an Operator may approve a Campaign: one who wrote no part of it and did not ask.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - person: The Operator; the caller checks that the Operator may send.
    /// - Returns: False also when it does not wait.
    /// - Throws: ``EngineError``.
    package func mayApprove(_ campaign: Campaign, _ person: OperatorID) async throws(EngineError) -> Bool {
        let planned = try await found(try await store.planned(campaign.id, within: campaign.app))
        return planned.isWaiting(at: clock.now()) && !planned.guards.isOwn(of: .operator(person))
    }

    /// Refuses to approve a Campaign.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - reason: Why, 1 through 500 characters.
    ///   - author: Who refuses.
    /// - Returns: The Campaign, `refused`, with the reason.
    /// - Throws: ``EngineError/conflict(_:)`` when it does not wait, ``EngineError/invalid(_:)`` for the reason.
    package func refuse(
        _ id: CampaignID,
        within app: AppID?,
        reason: String,
        by author: CampaignAuthor
    ) async throws(EngineError) -> Campaign {
        let hasText = reason.contains { !$0.isWhitespace }
        if let problem = TextLimit(CampaignApproval.reasonLength).problem(of: hasText ? reason : "") {
            throw .wrong("reason", problem)
        }
        let planned = try await waiting(id, within: app)
        var guards = planned.guards
        guards.end(.refused, by: author, at: clock.now(), reason: reason)
        return try await moved(GuardedMove(planned, .refuse, guards))
    }

    /// Takes a request for approval back.
    ///
    /// - Returns: The Campaign, a draft.
    /// - Throws: ``EngineError/conflict(_:)`` when it does not wait.
    package func withdraw(
        _ id: CampaignID,
        within app: AppID?,
        by author: CampaignAuthor
    ) async throws(EngineError) -> Campaign {
        let planned = try await waiting(id, within: app)
        var guards = planned.guards
        guards.end(.withdrawn, by: author, at: clock.now())
        return try await moved(GuardedMove(planned, .withdraw, guards))
    }

    /// Returns the Campaigns that wait for approval, newest first.
    ///
    /// - Parameters:
    ///   - app: Of one App; `nil` for all.
    ///   - id: Only older ones than this.
    ///   - limit: 1 through 500; other values are clamped.
    /// - Returns: A page; one whose time has just ended may still be listed, as `expired`.
    /// - Throws: ``EngineError/store(_:)``.
    package func waiting(
        app: AppID?,
        after id: CampaignID?,
        limit: Int
    ) async throws(EngineError) -> Page<Campaign> {
        let limit = min(max(1, limit), Self.maximumPage)
        let found = try await stored(try await store.waiting(app: app, after: id, limit: limit + 1))
        let now = clock.now()
        return Page(found.map { $0.timed(at: now) }, limit: limit) { $0.id.description }
    }

    // MARK: - Holding

    /// Takes a confirmation back while it is held.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - author: Who takes it back.
    /// - Returns: The Campaign, a draft of which nothing was sent.
    /// - Throws: ``EngineError/conflict(_:)`` when the hold is over.
    package func undo(
        _ id: CampaignID,
        within app: AppID?,
        by author: CampaignAuthor
    ) async throws(EngineError) -> Campaign {
        let planned = try await held(id, within: app)
        var guards = planned.guards
        guards.end(.voided, by: author, at: clock.now())
        (guards.isConfirmed, guards.mayGoNow) = (nil, nil)
        return try await moved(GuardedMove(planned, .undo, guards))
    }

    /// Ends a hold at once.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - caller: Who ends it; a key ends the holds of its own Campaigns alone.
    /// - Returns: The Campaign, scheduled.
    /// - Throws: ``EngineError/conflict(_:)`` when it is not held, or so large that the hold has to pass, or another's;
    ///   ``EngineError/Refusal/tooManyRecipients(_:)`` when the key may not reach so many Devices.
    package func sendNow(
        _ id: CampaignID,
        within app: AppID?,
        by caller: CampaignCaller
    ) async throws(EngineError) -> Campaign {
        let planned = try await held(id, within: app)
        guard caller.isOperator || planned.guards.createdBy == caller.author else {
            throw .conflict("A key can only end the hold of a campaign that it made itself.")
        }
        guard planned.guards.mayGoNow == true else {
            throw .conflict("The campaign reaches more Devices than approveAbove: the hold has to pass.")
        }
        _ = try await approvalReach(of: planned.campaign, caller, try await rules(of: planned.campaign.app).sendGuards)
        return try await moved(.released(planned, .release, planned.guards, at: clock.now()))
    }

    // MARK: - Private

    private func waiting(_ id: CampaignID, within app: AppID?) async throws(EngineError) -> PlannedCampaign {
        let planned = try await found(try await store.planned(id, within: app))
        let state = planned.campaign.timed(at: clock.now()).state
        guard state == .needsApproval else {
            throw .conflict("The campaign is \(state.rawValue): it does not wait for approval.")
        }
        return planned
    }

    private func held(_ id: CampaignID, within app: AppID?) async throws(EngineError) -> PlannedCampaign {
        let planned = try await found(try await store.planned(id, within: app))
        guard planned.campaign.state == .held else {
            throw .conflict("The campaign is \(planned.campaign.state.rawValue), not held.")
        }
        return planned
    }

    private func moved(_ move: GuardedMove?) async throws(EngineError) -> Campaign {
        guard let move else { throw .conflict("The schedule's time zone is not known on this node.") }
        let change = try await found(try await store.move(move, at: clock.now()))
        guard !change.isOutdated else {
            throw .conflict("The campaign was changed meanwhile; it is \(change.after.state.rawValue).")
        }
        announce(change.after)
        return change.after
    }
}

extension CampaignGuards {
    /// Whether somebody wrote a part of it, or asked for its approval.
    fileprivate func isOwn(of author: CampaignAuthor) -> Bool {
        editors?.contains(author) == true || approval?.requestedBy == author
    }
}

extension PlannedCampaign {
    /// Whether it waits for approval.
    fileprivate func isWaiting(at now: Timestamp) -> Bool { campaign.timed(at: now).state == .needsApproval }
}

extension Campaign {
    /// The Campaign as it is at a time: a request that nobody decided has expired, also before a dispatcher writes that.
    func timed(at now: Timestamp) -> Campaign {
        guard state == .needsApproval, let approval, approval.expiresAt <= now else { return self }
        var campaign = self
        campaign.state = .expired
        campaign.approval?.outcome = .expired
        campaign.approval?.decidedAt = approval.expiresAt
        return campaign
    }
}
