package import CarillonModel
package import CarillonOperatorModel
import Foundation

extension Campaigns {
    /// How many days ahead a Campaign may be scheduled, including the whole last day.
    static let longestPlan = 60

    // MARK: - Checking

    /// How many days ahead a recurrence may begin.
    static let furthestBegin = 366

    /// How long ago a time may be that means now: clocks differ, and requests take time.
    static let clockTolerance = Duration.seconds(300)

    /// Checks a Campaign's times, and sets the first day of a repeating schedule.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - now: The wall clock.
    ///   - sendsLate: Whether a past `sendAt` means now, however long ago it is.
    /// - Throws: ``EngineError/invalid(_:)`` with the first problem.
    func resolveTimes(_ campaign: inout Campaign, at now: Timestamp, sendsLate: Bool) throws(EngineError) {
        if let sendAt = campaign.sendAt {
            guard sendAt <= now.advanced(by: Self.longestWait) else {
                throw .wrong("sendAt", "must be at most 60 days ahead")
            }
            guard sendsLate || sendAt >= now.advanced(by: .zero - Self.clockTolerance) else {
                throw .wrong("sendAt", "must not be past: leave it out to send now, or set sendsLate")
            }
        }
        guard var schedule = campaign.schedule else { return }
        switch campaign.pace {
        case .groups: throw .wrong("pace.groups", "must be missing: there is a schedule")
        case .over where schedule.isLocal:
            throw .wrong("pace.over", "must be missing: each Device has its own time")
        case .over, .perMinute, nil: break
        }
        guard zones.isZone(schedule.zone), let clock = LocalClock(named: schedule.zone) else {
            throw .wrong("schedule.zone", "must be an IANA time zone")
        }
        let today = clock.day(at: now)
        let last = today.advanced(by: Self.longestPlan)
        if case .at(let times) = schedule.recurrence {
            guard times.allSatisfy({ $0.day <= last }) else {
                throw .wrong("schedule.at", "must be at most 60 days ahead")
            }
        } else {
            guard schedule.from.map({ $0 <= today.advanced(by: Self.furthestBegin) }) ?? true else {
                throw .wrong("schedule.from", "must be at most \(Self.furthestBegin) days ahead")
            }
            // Days that are over in every zone need not be looked at.
            schedule.from = max(schedule.from ?? today, today.advanced(by: -2))
        }
        campaign.schedule = schedule
        guard FiringPlan(campaign, acceptedAt: now)?.first(at: now) != nil else {
            throw .wrong("schedule", "must have a time that is still to come")
        }
    }

    /// Returns how a Campaign begins when it is accepted or sent now.
    func launch(_ campaign: Campaign, at now: Timestamp) -> Launch {
        guard let plan = FiringPlan(campaign, acceptedAt: now), let first = plan.first(at: now) else {
            return Launch(occurrence: nil, next: nil)
        }
        guard campaign.schedule == nil, first.dueAt <= now else { return Launch(occurrence: nil, next: first) }
        return Launch(occurrence: ids.next(), next: plan.next(after: first))
    }

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
        if update.changesTimes {
            guard before.campaign.occurrence == nil || before.campaign.schedule != nil else {
                throw .conflict("The campaign has begun: its time and pace cannot change.")
            }
            planned.acceptedAt = now
            try resolveTimes(&planned.campaign, at: now, sendsLate: update.sendAt == nil || update.sendsLate == true)
            planned.next = before.campaign.state == .draft ? nil : planned.plan?.first(at: now)
        }
        if case .some(.some(let key)) = update.statisticsID {
            try await checkStatistics(key, app: planned.campaign.app)
        }
        planned.campaign.updatedAt = now
        let changed = PlannedChange(planned, from: before, update)
        let change = try await found(try await store.change(changed, at: now))
        guard !change.isOutdated else {
            throw .conflict("The campaign was changed meanwhile; it is \(change.after.state.rawValue).")
        }
        announce(change.after)
        return change.after
    }

    // MARK: - Occurrences

    /// Returns a Campaign's Occurrences in the order of their times: those that have begun, with counts, and future
    /// ones.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: The App of the caller's key; `nil` for a key of the server.
    ///   - cursor: The cursor of the page before; `nil` for the first.
    ///   - limit: 1 through 500; other values are clamped.
    /// - Returns: A page.
    /// - Throws: ``EngineError/invalid(_:)`` for an invalid cursor.
    package func occurrences(
        _ id: CampaignID,
        within app: AppID?,
        cursor: String?,
        limit: Int
    ) async throws(EngineError) -> Page<Occurrence> {
        let last = cursor.flatMap(Firing.init(cursor:))
        guard cursor == nil || last != nil else { throw .wrong("cursor", "must be the nextCursor of a page") }
        let planned = try await found(try await store.planned(id, within: app))
        let limit = min(max(1, limit), Self.maximumPage)
        let kept = try await stored(try await store.occurrences(of: planned.campaign, after: last, limit: limit + 1))
        let keptPlaces = Set(kept.map(\.0.place))
        let isGrouped = planned.campaign.isGrouped
        let coming = planned.coming(limit: Schedule.maximumFiringCount)
            .filter { firing in last.map { firing.place > $0.place } ?? true && !keptPlaces.contains(firing.place) }
            .prefix(limit + 1)
            .map { ($0, Occurrence(at: $0.wall, group: isGrouped ? Int($0.part) + 1 : nil, plannedAt: $0.dueAt)) }
        let all = (kept + coming).sorted { $0.0.place < $1.0.place }
        let page = all.prefix(limit)
        return Page(items: page.map(\.1), nextCursor: all.count > limit ? page.last?.0.cursor : nil)
    }

    /// Cancels one Occurrence, begun or not.
    ///
    /// - Parameters:
    ///   - name: Its id, its planned local time, or the number of a group.
    ///   - id: Its Campaign.
    ///   - app: The App of the caller's key; `nil` for a key of the server.
    /// - Returns: The Occurrence, `cancelled` or `cancelling`.
    /// - Throws: ``EngineError/notFound(_:)`` when there is none; ``EngineError/conflict(_:)`` when it is complete.
    package func cancelOccurrence(
        _ name: String,
        of id: CampaignID,
        within app: AppID?
    ) async throws(EngineError) -> Occurrence {
        let planned = try await found(try await store.planned(id, within: app))
        guard let firing = try await firing(name, of: planned) else { throw .notFound(.occurrence) }
        let isNext = planned.next.map { $0.place == firing.place } ?? false
        let next = isNext ? planned.plan?.next(after: firing) : planned.next
        let occurrence: OccurrenceID = ids.next()
        let cancelled = try await stored(
            try await store.cancel(firing, of: planned, next: next, as: occurrence, at: clock.now())
        )
        guard let (_, occurrence) = cancelled else { throw .conflict("The occurrence is over, or has just changed.") }
        if occurrence.state == .cancelling, let id = occurrence.id { signals.stop(id) }
        signals.announceWork()
        signals.announceChange(of: id)
        return occurrence
    }

    private func firing(_ name: String, of planned: PlannedCampaign) async throws(EngineError) -> Firing? {
        let wall = WallTime(name)
        let part = planned.campaign.isGrouped ? Int64(name).map { $0 - 1 } : nil
        func isNamed(_ firing: Firing) -> Bool {
            wall.map { firing.wall == $0 } ?? part.map { firing.part == $0 } ?? false
        }
        if let id = OccurrenceID(name) {
            return try await stored(try await store.firing(of: id, in: planned.campaign))
        }
        // Those of the time, or from the group on.
        let before = Firing(
            slot: wall.map { Int64($0.minutes) } ?? 0,
            part: wall == nil ? (part ?? 0) - 1 : -1,
            dueAt: Timestamp(rawValue: 0)
        )
        let kept = try await stored(try await store.occurrences(of: planned.campaign, after: before, limit: 1))
        if let known = kept.first?.0, isNamed(known) { return known }
        return planned.coming(limit: Schedule.maximumFiringCount).first(where: isNamed)
    }
}

extension PlannedCampaign {
    /// The future firings; none for a complete Campaign, all for a draft.
    fileprivate func coming(limit: Int) -> [Firing] {
        let isDraft = campaign.state == .draft
        return plan?.planned(from: isDraft ? plan?.first(at: acceptedAt) : next, limit: limit) ?? []
    }
}

extension Campaign {
    /// Whether its Occurrences are groups.
    package var isGrouped: Bool { if case .groups = pace { true } else { false } }
}

extension Schedule {
    /// How many future firings are looked at: as many as on 83 days with 24 times; a schedule may have no end.
    static let maximumFiringCount = 2_000
}

extension Firing {
    /// Its position among the firings of its Campaign.
    struct Place: Hashable, Comparable {
        var slot: Int64
        var part: Int64

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.slot, lhs.part) < (rhs.slot, rhs.part) }
    }

    var place: Place { Place(slot: slot, part: part) }

    var cursor: String { String(slot, radix: 36) + "." + String(part, radix: 36) }

    /// Parses a page's cursor; `nil` when it is invalid.
    init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, cursor.utf8.count <= 30, let slot = Int64(parts[0], radix: 36), slot >= 0,
            let part = Int64(parts[1], radix: 36), part >= 0
        else { return nil }
        self.init(slot: slot, part: part, dueAt: Timestamp(rawValue: 0))
    }
}

extension LocalClock {
    /// The clock of an IANA time zone; `nil` when the name is unknown.
    init?(named name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.init(zone: zone)
    }
}

extension EngineError {
    static func wrong(_ field: String, _ problem: String) -> EngineError {
        .invalid(FieldError(field: field, problem: problem))
    }
}
