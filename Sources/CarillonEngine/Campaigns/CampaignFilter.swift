package import CarillonModel
package import CarillonOperatorModel

/// A filter of Campaigns; missing conditions match all.
package struct CampaignFilter: Hashable, Sendable {
    /// In this state.
    package var state: Campaign.State?
    /// Created at this time or later.
    package var createdFrom: Timestamp?
    /// Created before this time.
    package var createdUntil: Timestamp?
    /// With a firing, past or future, planned for this time or later.
    package var dueFrom: Timestamp?
    /// With a firing planned before this time; the same one as for ``dueFrom``.
    package var dueUntil: Timestamp?
    /// In one of these states; empty for any.
    package var states: Set<Campaign.State> = []
    /// With this text in its name, or in a title or body of its message, in any case.
    package var text: String?

    package init() {}

    /// Whether it matches every Campaign.
    var isEmpty: Bool { self == CampaignFilter() }

    /// Whether a Campaign, and all older ones, were created before the range.
    func isBefore(_ campaign: Campaign) -> Bool {
        createdFrom.map { campaign.createdAt < $0 } ?? false
    }

    func matches(_ campaign: Campaign) -> Bool {
        guard state == nil || campaign.state == state, !isBefore(campaign) else { return false }
        guard states.isEmpty || states.contains(campaign.state) else { return false }
        if let createdUntil, campaign.createdAt >= createdUntil { return false }
        if let text, !campaign.contains(text.lowercased()) { return false }
        guard dueFrom != nil || dueUntil != nil else { return true }
        let span =
            (dueFrom ?? Timestamp(rawValue: 0))..<max(dueUntil ?? .init(rawValue: .max), dueFrom ?? .init(rawValue: 0))
        return campaign.isPlanned(in: span)
    }
}

extension Campaign {
    /// Whether its name, or a title or body of its message, contains a text in lower case.
    fileprivate func contains(_ text: String) -> Bool {
        let texts = [name] + message.content.values.flatMap { [$0.title, $0.body] }
        return texts.contains { $0?.lowercased().contains(text) ?? false }
    }

    /// Whether one of its firings is planned in a span; none is for a draft without a time.
    fileprivate func isPlanned(in span: Range<Timestamp>) -> Bool {
        guard schedule != nil || pace != nil else {
            let time = sendAt ?? startedAt ?? (state.isUnsent ? nil : createdAt)
            return time.map(span.contains) ?? false
        }
        guard schedule != nil || !state.isUnsent || sendAt != nil,
            let plan = FiringPlan(self, acceptedAt: startedAt ?? createdAt)
        else { return false }
        // The first that is not over before the span; in local time one is due in the first zone a day earlier.
        var next = plan.first(at: span.lowerBound.advanced(by: .milliseconds(-1)))
        for _ in 0..<Schedule.maximumFiringCount {
            guard let firing = next, firing.dueAt < span.upperBound else { return false }
            if span.contains(firing.dueAt) { return true }
            next = plan.next(after: firing)
        }
        return false
    }
}

extension Campaigns {
    /// Maximum number of Campaigns that are read for one page of a filtered list.
    private static let maximumLook = 1_000
    private static let lookStep = 200

    /// Returns matching Campaigns, newest first.
    ///
    /// - Parameters:
    ///   - app: Of one App; `nil` for all.
    ///   - id: Only older ones than this.
    ///   - limit: 1 through 500; other values are clamped.
    ///   - filter: The filter.
    /// - Returns: A page; it may be short, even empty, before the last.
    /// - Throws: ``EngineError/store(_:)``.
    package func list(
        app: AppID?,
        after id: CampaignID?,
        limit: Int,
        _ filter: CampaignFilter
    ) async throws(EngineError) -> Page<Campaign> {
        guard !filter.isEmpty else { return try await list(app: app, after: id, limit: limit) }
        let limit = min(max(1, limit), Self.maximumPage)
        var (found, last, looked): ([Campaign], CampaignID?, Int) = ([], id ?? filter.firstCursor, 0)
        while looked < Self.maximumLook {
            let step = try await list(app: app, after: last, limit: Self.lookStep)
            for campaign in step.items {
                guard !filter.isBefore(campaign) else { return Page(items: found, nextCursor: nil) }
                if filter.matches(campaign) { found.append(campaign) }
                last = campaign.id
                guard found.count < limit else { return Page(items: found, nextCursor: campaign.id.description) }
            }
            looked += step.items.count
            guard step.nextCursor != nil else { return Page(items: found, nextCursor: nil) }
        }
        return Page(items: found, nextCursor: last?.description)
    }
}

extension CampaignFilter {
    /// The start of a list: ids are ordered by time of creation.
    fileprivate var firstCursor: CampaignID? {
        guard let createdUntil, createdUntil.rawValue < CampaignID(rawValue: .max).milliseconds else { return nil }
        return CampaignID(milliseconds: createdUntil.rawValue, sequence: 0)
    }
}
