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
    /// - Throws: ``EngineError/invalid(_:)`` as ``create(app:_:)``; ``EngineError/conflict(_:)`` when it is complete or
    ///   being cancelled, or when part of it has begun and the change concerns its audience or message.
    package func change(
        _ id: CampaignID,
        within app: AppID?,
        _ update: CampaignUpdate
    ) async throws(EngineError) -> Campaign {
        let now = clock.now()
        let before = try await found(try await store.planned(id, within: app))
        guard before.campaign.lifecycle.apply(.change(content: false, hasBegun: false)) != .refused else {
            throw .conflict("The campaign is \(before.campaign.state.rawValue).")
        }
        var planned = before
        update.apply(to: &planned.campaign)
        if update.changesContent {
            guard before.campaign.occurrence == nil else {
                throw .conflict("The campaign has begun: its audience and content cannot change.")
            }
            if update.audience != nil {
                planned.campaign.audience = try await store.resolved(
                    planned.campaign.audience,
                    app: planned.campaign.app
                )
            }
            try await resolveContent(of: &planned.campaign, update)
            try await check(planned.campaign, recipients: update.newRecipients)
        } else if case .some(.some) = update.validFor {
            try await check(planned.campaign)
        }
        if update.changesTimes, before.campaign.occurrence != nil, before.campaign.schedule == nil {
            try checkBegun(before.campaign, update)
        } else if update.changesTimes {
            planned.acceptedAt = now
            try resolveTimes(&planned.campaign, at: now, sendsLate: update.sendAt == nil || update.sendsLate == true)
            planned.next = before.campaign.state == .draft ? nil : planned.plan?.first(at: now)
        }
        if case .some(.some(let key)) = update.statisticsID {
            try await checkStatistics(key, app: planned.campaign.app)
        }
        planned.campaign.updatedAt = now
        let changed = PlannedChange(planned, from: before, update, list: ids.next())
        let change = try await found(try await store.change(changed, at: now))
        guard !change.isOutdated else {
            throw .conflict("The campaign was changed meanwhile; it is \(change.after.state.rawValue).")
        }
        announce(change.after)
        return change.after
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
