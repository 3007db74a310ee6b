import CarillonModel
package import CarillonOperatorModel

/// The people that a Campaign reaches now.
package struct ReachFigures: Hashable, Sendable {
    /// The Devices that get it, those included that get it later.
    package var devices = 0
    /// Exact up to a million Users, and within about one percent above that.
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
    /// Campaigns whose people are compared with those of a draft, and how long that takes at most; whoever is beyond counts
    /// as the same people.
    static let mostCompared = 10
    static let comparisonTime = Duration.seconds(2)
    /// How far back the usual size of Campaigns is looked for.
    static let usualSizeTime = Duration.seconds(90 * 86_400)

    /// Counts and checks a draft.
    ///
    /// - Parameter draft: The draft.
    /// - Returns: The exact reach, of the last seconds, and what is found.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func review(of draft: Campaign) async throws(EngineError) -> CampaignReview {
        let reach = try await sharedCount(of: draft, isFresh: false).figures
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
        let latest = try await stored(try await store.latest(app: draft.app, limit: Self.maximumPage))
        var (found, compared): ([Campaign], Int) = ([], 0)
        let end = timer.now() + Self.comparisonTime
        for campaign in latest where campaign.id != draft.id && campaign.startedAt.map({ $0 >= since }) ?? false {
            guard found.count < 10 else { break }
            guard campaign.message.says(draft.message) else { continue }
            var overlaps = overlap(campaign.audience, draft.audience)
            if overlaps == nil, compared < Self.mostCompared, timer.now() < end {
                compared += 1
                overlaps = try await haveDevice(campaign.audience, draft)
            }
            if overlaps ?? true { found.append(campaign) }
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

    /// Whether two Audiences have a Device in common; `nil` where that has to be counted.
    private func overlap(_ one: Audience, _ other: Audience) -> Bool? {
        switch (one, other) {
        case (.users(let one), .users(let other)): !Set(one).isDisjoint(with: other)
        case (.devices(let one), .devices(let other)): !Set(one).isDisjoint(with: other)
        case (.rule, .rule): nil
        default: true
        }
    }

    /// Whether a draft and a rule have a Device in common; true where a sample cannot tell.
    private func haveDevice(_ audience: Audience, _ draft: Campaign) async throws(EngineError) -> Bool {
        guard case .rule(let one) = audience, case .rule(let other) = draft.audience else { return true }
        var both = draft
        both.audience = .rule(.and([one, other]))
        do throws(EngineError) {
            let estimate = try await estimate(of: both, isExact: false)
            return estimate.reach > 0 || !estimate.isExact
        } catch {
            return true
        }
    }
}
