package import CarillonModel
package import CarillonOperatorModel

extension Campaigns {
    // MARK: - Pausing

    /// Pauses a Campaign: no new batch is sent, no firing begins; sent batches are awaited and counted.
    ///
    /// Pausing again changes nothing.
    ///
    /// - Throws: ``EngineError/conflict(_:)`` when it is neither scheduled nor being sent.
    package func pause(_ id: CampaignID, within app: AppID?) async throws(EngineError) -> Campaign {
        let campaign = try await campaign(id, within: app)
        guard campaign.lifecycle.apply(.pause) != .refused else {
            throw .conflict("The campaign is \(campaign.state.rawValue).")
        }
        signals.stop(id)
        do throws(EngineError) {
            let change = try await found(try await store.pause(id, within: app, at: clock.now()))
            guard change.after.state == .paused else {
                throw EngineError.conflict("The campaign is \(change.after.state.rawValue).")
            }
            signals.confirmStop(id)
            announce(change.after)
            return change.after
        } catch {
            signals.allow(id)
            throw error
        }
    }

    /// Continues a paused Campaign; of the firings during the pause only the last begins.
    ///
    /// - Throws: ``EngineError/conflict(_:)`` when it is not paused.
    package func resume(_ id: CampaignID, within app: AppID?) async throws(EngineError) -> Campaign {
        let change = try await found(try await store.resume(id, within: app, at: clock.now()))
        guard change.before.lifecycle.apply(.resume) != .refused else {
            throw .conflict("The campaign is \(change.before.state.rawValue), not paused.")
        }
        signals.allow(id)
        announce(change.after)
        return change.after
    }

    // MARK: - Changing

    /// Changes a Campaign that is not complete.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: The App of the caller's key; `nil` for a key of the server.
    ///   - update: The change, with the version that it was made from, if any.
    ///   - caller: Who makes it; `nil` for the server itself.
    /// - Returns: The Campaign; a draft again when it was confirmed or waited for approval.
    /// - Throws: ``EngineError/invalid(_:)`` as ``create(app:_:for:by:)``; ``EngineError/conflict(_:)`` when it is complete or
    ///   being cancelled, when another version is stored, or when part of it has begun and the change concerns its audience
    ///   or message.
    package func change(
        _ id: CampaignID,
        within app: AppID?,
        _ update: CampaignUpdate,
        by caller: CampaignCaller? = nil
    ) async throws(EngineError) -> Campaign {
        switch try await save(id, within: app, update, by: caller, isPart: false) {
        case .saved(let campaign): return campaign
        case .outdated(let conflict):
            let (state, version) = (conflict.current.state.rawValue, conflict.current.version)
            throw .conflict("The campaign was changed meanwhile; it is \(state), at version \(version).")
        }
    }

    /// Saves a change.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - update: The change.
    ///   - state: The state that it was made from; `nil` for any.
    ///   - caller: Who makes it; `nil` for the server itself.
    ///   - isPart: Whether a draft may be incomplete afterwards.
    /// - Returns: The Campaign, or both versions.
    /// - Throws: As ``change(_:within:_:by:)``.
    func save(
        _ id: CampaignID,
        within app: AppID?,
        _ update: CampaignUpdate,
        from state: Campaign.State? = nil,
        by caller: CampaignCaller?,
        isPart: Bool
    ) async throws(EngineError) -> DraftSaving {
        let now = clock.now()
        let before = try await found(try await store.planned(id, within: app))
        var planned = before
        update.apply(to: &planned.campaign)
        let current = before.campaign.timed(at: now)
        if let state, state != current.state {
            return .outdated(CampaignConflict(current: current, yours: planned.campaign))
        }
        guard before.campaign.lifecycle.apply(.change(content: false, hasBegun: false)) != .refused else {
            throw .conflict("The campaign is \(before.campaign.state.rawValue).")
        }
        if let version = update.version, version != before.campaign.version {
            return .outdated(CampaignConflict(current: before.campaign, yours: planned.campaign))
        }
        let voids = try await voids(before, by: caller)
        let isDraft = voids || before.campaign.state == .draft
        try Self.check(update, of: before, isDraft: isDraft)
        try Self.checkBegun(update, of: before, by: caller)
        try await apply(update, to: &planned.campaign, isPart: isPart && isDraft)
        try resolveTimes(of: &planned, from: before, update, isDraft: isDraft, isPart: isPart, at: now)
        if case .some(.some(let key)) = update.statisticsID {
            try await checkStatistics(key, app: planned.campaign.app)
        }
        if let caller, !isDraft { try await checkRecipients(of: planned.campaign, from: before.campaign, caller) }
        planned.record(caller?.author, voids: voids, at: now)
        var changed = PlannedChange(planned, from: before, update, list: ids.next())
        changed.voids = voids
        let change = try await found(try await store.change(changed, at: now))
        guard !change.isOutdated else {
            // The saved Audience that it was to have may have been deleted at this moment.
            if case .saved = planned.campaign.audience {
                _ = try await store.resolved(planned.campaign.audience, app: planned.campaign.app)
            }
            return .outdated(CampaignConflict(current: change.after, yours: planned.campaign))
        }
        announce(change.after)
        return .saved(change.after)
    }

    // MARK: - Private

    /// Checks what depends on the state alone.
    private static func check(
        _ update: CampaignUpdate,
        of before: PlannedCampaign,
        isDraft: Bool
    ) throws(EngineError) {
        let hasBegun = before.campaign.occurrence != nil
        guard !update.changesContent || !hasBegun else {
            throw .conflict("The campaign has begun: its audience and content cannot change.")
        }
        guard isDraft || update.channel == nil && update.retryFor == nil else {
            throw .conflict("The campaign is no draft: its channel and its retry time cannot change.")
        }
        guard !hasBegun || update.schedule == nil || before.guards.approval?.outcome != .approved else {
            throw .conflict("The campaign was approved and has begun: its schedule cannot change.")
        }
    }

    /// Checks what a key may still change of what somebody confirmed and has begun: only a slower pace.
    private static func checkBegun(
        _ update: CampaignUpdate,
        of before: PlannedCampaign,
        by caller: CampaignCaller?
    ) throws(EngineError) {
        guard let caller, !caller.isOperator, before.guards.isConfirmed == true, before.campaign.occurrence != nil
        else { return }
        var isRefused = update.schedule != nil || update.sendAt != nil
        isRefused = isRefused || update.isTransactional != nil || update.nightPolicy != nil
        if let pace = update.pace { isRefused = isRefused || !before.campaign.isSlower(pace) }
        guard !isRefused else {
            throw .conflict("An Operator confirmed the campaign, and it has begun: a key can only slow it down.")
        }
    }

    /// Resolves and checks the content of a change.
    private func apply(
        _ update: CampaignUpdate,
        to campaign: inout Campaign,
        isPart: Bool
    ) async throws(EngineError) {
        guard update.changesContent else {
            if !isPart, case .some(.some) = update.validFor { try await check(campaign) }
            return
        }
        if update.audience != nil {
            let resolved = try await store.resolved(campaign.audience, app: campaign.app)
            // A part of a draft names the saved audience, which may change until it is sent.
            if !isPart { campaign.audience = resolved }
        }
        if !isPart || update.template != nil || update.values != nil {
            try await resolveContent(of: &campaign, update)
        } else if let wording = campaign.adWording, wording.position == nil {
            campaign.adWording?.position = try await rules(of: campaign.app).adWordPosition
        }
        if !isPart { try await check(campaign, recipients: update.newRecipients) }
    }

    /// Works the times of a changed Campaign out.
    private func resolveTimes(
        of planned: inout PlannedCampaign,
        from before: PlannedCampaign,
        _ update: CampaignUpdate,
        isDraft: Bool,
        isPart: Bool,
        at now: Timestamp
    ) throws(EngineError) {
        if isDraft { planned.next = nil }
        guard update.changesTimes else { return }
        guard before.campaign.occurrence == nil || before.campaign.schedule != nil else {
            return try checkBegun(before.campaign, update)
        }
        planned.acceptedAt = now
        if isPart, isDraft {
            // Only for the first day of a schedule: what is wrong is a problem of the draft.
            _ = timeProblems(resolving: &planned.campaign, at: now, sendsLate: true)
        } else {
            try resolveTimes(&planned.campaign, at: now, sendsLate: update.sendAt == nil || update.sendsLate == true)
        }
        if !isDraft { planned.next = planned.plan?.first(at: now) }
    }

    /// Whether a change makes a Campaign a draft again.
    ///
    /// What somebody confirmed or approved is one version. A key that is not guarded changes its own Campaigns as it likes.
    private func voids(_ before: PlannedCampaign, by caller: CampaignCaller?) async throws(EngineError) -> Bool {
        let campaign = before.campaign
        switch campaign.state {
        case .needsApproval, .refused, .expired, .held: return true
        case .scheduled, .paused: break
        case .draft, .sending, .cancelling, .cancelled, .sent: return false
        }
        guard campaign.occurrence == nil else { return false }
        if before.guards.isConfirmed == true { return true }
        switch caller?.author {
        case .operator: return true
        case .key, .vendorAPI: return try await rules(of: campaign.app).sendGuards.appliesToKeys
        case nil: return false
        }
    }

    /// Checks a change of the times of a Campaign without a schedule that has begun: its firings are decided, only how
    /// fast they are sent can still change.
    private func checkBegun(_ campaign: Campaign, _ update: CampaignUpdate) throws(EngineError) {
        guard update.sendAt == nil, update.schedule == nil else {
            throw .conflict("The campaign has begun: its time cannot change.")
        }
        if case .groups? = update.pace ?? nil { throw .conflict(Self.begunGroups) }
        guard !campaign.isGrouped else { throw .conflict(Self.begunGroups) }
    }

    private static let begunGroups = "The campaign has begun: it cannot be divided into groups, nor otherwise."
}

extension Campaign {
    /// Whether a pace is the Campaign's, or a slower one.
    fileprivate func isSlower(_ pace: Pace?) -> Bool {
        guard pace != self.pace else { return true }
        guard case .perMinute(let new)? = pace else { return false }
        switch self.pace {
        case nil: return true
        case .perMinute(let old): return new <= old
        default: return false
        }
    }
}

extension PlannedCampaign {
    /// Records a change: the next version, and who made it.
    fileprivate mutating func record(_ author: CampaignAuthor?, voids: Bool, at now: Timestamp) {
        campaign.updatedAt = now
        campaign.version += 1
        guards.undecided = campaign.undecided
        guards.record(author)
        guard voids else { return }
        guards.end(.voided, by: author, at: now)
        (guards.isConfirmed, guards.mayGoNow) = (nil, nil)
    }
}
