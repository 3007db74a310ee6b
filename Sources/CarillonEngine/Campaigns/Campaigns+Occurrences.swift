package import CarillonModel
package import CarillonOperatorModel

extension Campaigns {
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

    /// The firing that a caller names, begun or to come; `nil` when there is none.
    private func firing(_ name: String, of planned: PlannedCampaign) async throws(EngineError) -> Firing? {
        if let id = OccurrenceID(name) {
            return try await stored(try await store.firing(of: id, in: planned.campaign))
        }
        guard let place = planned.campaign.place(named: name) else { return nil }
        let before = Firing(slot: place.slot, part: place.part - 1, dueAt: Timestamp(rawValue: 0))
        let kept = try await stored(try await store.occurrences(of: planned.campaign, after: before, limit: 1))
        if let known = kept.first?.0, known.place == place { return known }
        return planned.coming(limit: Schedule.maximumFiringCount).first { $0.place == place }
    }
}

extension PlannedCampaign {
    /// The future firings; none for a complete Campaign, all for a draft.
    fileprivate func coming(limit: Int) -> [Firing] {
        let isDraft = campaign.state.isUnsent
        return plan?.planned(from: isDraft ? plan?.first(at: acceptedAt) : next, limit: limit) ?? []
    }
}

extension Campaign {
    /// Whether its Occurrences are groups.
    package var isGrouped: Bool { if case .groups = pace { true } else { false } }

    /// The place of the firing at a local time, or of the group of a number.
    fileprivate func place(named name: String) -> Firing.Place? {
        if let wall = WallTime(name) { return Firing.Place(slot: Int64(wall.minutes), part: 0) }
        guard isGrouped, let group = Int64(name), group > 0 else { return nil }
        return Firing.Place(slot: 0, part: group - 1)
    }
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
