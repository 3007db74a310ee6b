import CarillonModel
package import CarillonOperatorModel

/// The people that a Campaign reaches now.
package struct ReachFigures: Hashable, Sendable {
    /// The Devices that get it, those included that get it later.
    package var devices = 0
    package var users = 0
    /// The Devices by language; the empty tag for none.
    package var languages: [String: Int] = [:]
    /// The Devices by time zone; the empty name for none.
    package var zones: [String: Int] = [:]
    /// Devices that the Audience matches and that do not get it, by reason.
    package var excluded: [String: Int] = [:]
    /// Devices that get it later, by reason.
    package var deferred: [String: Int] = [:]

    package init() {}
}

/// Everything that the review of a draft shows: what is sent is what was counted and checked here.
package struct CampaignReview: Hashable, Sendable {
    package var reach: ReachFigures
    package var checks: [CampaignCheck]

    package init(reach: ReachFigures, checks: [CampaignCheck]) {
        self.reach = reach
        self.checks = checks
    }
}

extension Campaigns {
    /// How long ago the same content counts as the same.
    static let repetition = Duration.seconds(86_400)
    /// How long ago a test send counts.
    static let testTime = Duration.seconds(7 * 86_400)
    /// How far back the usual size of Campaigns is looked for.
    static let usualSizeTime = Duration.seconds(90 * 86_400)

    /// Counts and checks a draft.
    ///
    /// - Parameter draft: The draft.
    /// - Returns: The exact reach, and what is found.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func review(of draft: Campaign) async throws(EngineError) -> CampaignReview {
        let reach = try await figures(of: draft)
        return CampaignReview(reach: reach, checks: try await checks(of: draft, reach))
    }

    /// Checks a draft, of which the reach is known.
    func checks(of draft: Campaign, _ reach: ReachFigures) async throws(EngineError) -> [CampaignCheck] {
        var facts = CampaignCheckFacts(now: clock.now())
        (facts.reach, facts.languages, facts.zones) = (reach.devices, reach.languages, reach.zones)
        facts.passed = reach.excluded[SkipReason.localTimePassed.rawValue] ?? 0
        facts.problems = try await problems(of: draft).filter { $0.field != "app" }
        facts.hasKey = try await rules(of: draft.app).missingPushKey == nil
        facts.isTested = try await wasTested(draft)
        facts.recent = try await repetitions(of: draft)
        let since = facts.now.advanced(by: .zero - Self.usualSizeTime)
        facts.largestReach = try await stored(
            try await store.largestReach(
                of: draft.app,
                since: OccurrenceID(milliseconds: since.rawValue, sequence: 0)
            )
        )
        return CampaignCheck.find(draft, facts)
    }

    // MARK: - Private

    /// Campaigns of the last day with the same content, to some of the same people.
    private func repetitions(of draft: Campaign) async throws(EngineError) -> [Campaign] {
        let since = clock.now().advanced(by: .zero - Self.repetition)
        let latest = try await stored(try await store.list(app: draft.app, after: nil, limit: Self.maximumPage))
        var found: [Campaign] = []
        for campaign in latest where campaign.id != draft.id && campaign.startedAt.map({ $0 >= since }) ?? false {
            guard campaign.message.says(draft.message), found.count < 10 else { continue }
            if try await overlap(campaign.audience, draft.audience, draft) { found.append(campaign) }
        }
        return found
    }

    /// Whether a test Device got what the draft says.
    private func wasTested(_ draft: Campaign) async throws(EngineError) -> Bool {
        let since = clock.now().advanced(by: .zero - Self.testTime)
        let messages = try await stored(
            try await store.testMessages(
                of: draft.app,
                since: CampaignID(milliseconds: since.rawValue, sequence: 0)
            )
        )
        return messages.contains { $0.shows(draft.message) }
    }

    /// Whether two Audiences have a Device in common; true where that cannot be told cheaply.
    private func overlap(_ one: Audience, _ other: Audience, _ draft: Campaign) async throws(EngineError) -> Bool {
        switch (one, other) {
        case (.users(let one), .users(let other)): return !Set(one).isDisjoint(with: other)
        case (.devices(let one), .devices(let other)): return !Set(one).isDisjoint(with: other)
        case (.rule(let one), .rule(let other)):
            var both = draft
            both.audience = .rule(.and([one, other]))
            do throws(EngineError) {
                return try await figures(of: both).devices > 0
            } catch {
                return true
            }
        default: return true
        }
    }
}
