package import CarillonModel
package import CarillonOperatorModel

/// A count with Devices to be shown.
package struct CountedReach: Sendable {
    package var estimate: ReachEstimate
    /// Some of the Devices that are reached.
    package var sample: [DeviceNumber]
}

extension Campaigns {
    /// After how long a count that need not be exact ends.
    private static let sampleTime = Duration.milliseconds(900)
    /// How many parts a sample has at least.
    private static let fewestParts = 5
    private static let largestPart: Int64 = 50_000
    /// How many Devices are counted in one part.
    private static let smallest: Int64 = 20_000

    /// Counts whom a Campaign would reach if it were sent as it is, with the rules that sending applies.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign, such as a draft; what it does not say yet skips nobody.
    ///   - isExact: Whether all Devices are counted, however long it takes; otherwise a count that takes longer than a
    ///     second is of a random part of them.
    /// - Returns: The estimate.
    /// - Throws: ``EngineError/invalid(_:)`` when the audience names what the App does not have.
    package func estimate(of campaign: Campaign, isExact: Bool) async throws(EngineError) -> ReachEstimate {
        try await counted(campaign, isExact: isExact).estimate
    }

    /// Counts whom a request would reach if it were sent, without saving anything.
    ///
    /// - Parameters:
    ///   - request: The request; a draft may have no message yet, but has an audience.
    ///   - app: The App.
    ///   - isExact: As for ``estimate(of:isExact:)``.
    /// - Returns: The estimate.
    /// - Throws: ``EngineError/invalid(_:)`` or ``EngineError/invalidFields(_:)`` with everything that
    ///   ``create(app:_:for:by:)`` would refuse of a draft, ``EngineError/notFound(_:)`` when there is no such App.
    package func estimate(
        of request: CampaignRequest,
        app: AppID,
        isExact: Bool
    ) async throws(EngineError) -> ReachEstimate {
        guard !request.undecided.contains(.audience) else { throw .wrong("audience", "is required") }
        var request = request
        // A count needs no push key.
        request.draft = true
        let examined = try await examine(try await resolved(request, for: app), app: app, at: clock.now())
        guard examined.problems.isEmpty else { throw .problems(examined.problems) }
        return try await estimate(of: examined.campaign, isExact: isExact)
    }

    /// Counts as ``estimate(of:isExact:)``, with Devices to be shown.
    package func counted(_ campaign: Campaign, isExact: Bool) async throws(EngineError) -> CountedReach {
        guard campaign.audience != .redacted else { return CountedReach(estimate: ReachEstimate(), sample: []) }
        var campaign = campaign
        campaign.audience = try await store.resolved(campaign.audience, app: campaign.app)
        if campaign.message.content.isEmpty {
            // A message that is not written yet is not a silent one, for which other rules hold.
            campaign.message = Message(content: ["default": LocalizedContent(body: "…")])
        }
        let now = clock.now()
        let firing = FiringPlan(campaign, acceptedAt: now)?.first(at: now)
        let time = max(now, firing?.dueAt ?? now)
        let found = try await stored(try await store.reachFacts(of: campaign, at: time))
        guard var facts = found else { throw .notFound(.app) }
        let isLocal = campaign.schedule?.isLocal == true
        if let schedule = campaign.schedule, isLocal, let wall = firing?.wall {
            facts.rules.local = OccurrenceRules.LocalTime(
                wall: wall,
                zone: schedule.zone,
                acceptedAt: now,
                movesPassed: schedule.passed == .nextDay
            )
        }
        let context = OccurrenceContext(facts: facts, sender: sender)
        return try await count(context, campaign.audience, at: isLocal ? now : time, isExact: isExact)
    }

    /// Returns some of the Devices that a Campaign would reach, with why its audience matches each.
    ///
    /// - Parameters:
    ///   - counted: A count.
    ///   - campaign: Its Campaign.
    /// - Returns: At most 20 Devices.
    /// - Throws: ``EngineError``.
    package func sample(
        of counted: CountedReach,
        _ campaign: Campaign
    ) async throws(EngineError) -> [ReachedDevice] {
        let audience = try await store.resolved(campaign.audience, app: campaign.app)
        var terms: [AudienceTerm] = []
        if case .rule(let rule) = audience { terms = Array(rule.terms.prefix(20)) }
        let numbers = Array(Set(counted.sample).shuffled().prefix(ReachCounter.sampleCount))
        guard !numbers.isEmpty else { return [] }
        return try await stored(
            try await store.reached(numbers, of: campaign.app, terms, at: clock.now())
        )
    }

    // MARK: - Private

    private func count(
        _ context: OccurrenceContext,
        _ audience: Audience,
        at time: Timestamp,
        isExact: Bool
    ) async throws(EngineError) -> CountedReach {
        let facts = context.facts
        let last = try await stored(try await store.lastDevice(of: facts.app)).rawValue
        var counter = ReachCounter(context, zones)
        let parts = Self.parts(last, audience)
        let size = (last + parts - 1) / parts
        let end = timer.now() + Self.sampleTime
        var done: Int64 = 0
        // In a random order, so that the parts that come first stand for all.
        for part in isExact ? Array(0..<parts) : (0..<parts).shuffled() {
            if !isExact, done >= Self.fewestParts, timer.now() > end { break }
            var after = DeviceNumber(rawValue: part * size)
            let through = DeviceNumber(rawValue: min(last, (part + 1) * size))
            while after < through {
                let start = after
                let reading = try await stored(
                    try await store.candidates(of: facts, after: start, through: through)
                )
                var memory: SendMemory?
                if facts.asksMemory, reading.recipients.count > 0 {
                    memory = try await stored(
                        try await store.recentSends(to: reading.recipients, of: facts, at: time)
                    )
                }
                counter.add(reading, memory, at: time)
                after = reading.through
            }
            done += 1
        }
        let estimate = counter.estimate(factor: Double(parts) / Double(max(1, done)), isExact: done == parts)
        return CountedReach(estimate: estimate, sample: counter.sample)
    }

    private static func parts(_ last: Int64, _ audience: Audience) -> Int64 {
        switch audience {
        // A list is read as a whole: each part would look up all of it.
        case .users, .devices: return 1
        case .all, .rule, .saved, .redacted: return last <= smallest ? 1 : max(100, last / largestPart + 1)
        }
    }
}

extension Campaigns {
    /// Returns those of some Users who have a Device.
    ///
    /// - Parameters:
    ///   - users: The Users.
    ///   - app: The App.
    /// - Returns: Those that are known.
    /// - Throws: ``EngineError/store(_:)``.
    package func known(_ users: [UserID], of app: AppID) async throws(EngineError) -> Set<UserID> {
        var known: Set<UserID> = []
        for start in stride(from: 0, to: users.count, by: 1_000) {
            let some = Array(users[start..<min(start + 1_000, users.count)])
            known.formUnion(try await stored(try await store.usersWithDevices(some, of: app)))
        }
        return known
    }
}
