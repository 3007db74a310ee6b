package import CarillonModel
package import CarillonOperatorModel

extension Campaigns {
    /// Returns a Campaign's funnel so far.
    package func funnel(_ id: CampaignID, within app: AppID?) async throws(EngineError) -> Funnel {
        let campaign = try await campaign(id, within: app)
        return try await stored(try await store.funnel(of: campaign))
    }

    /// Returns the counts of refused notifications by reason, largest first.
    package func failures(_ id: CampaignID, within app: AppID?) async throws(EngineError) -> [FailureCount] {
        let campaign = try await campaign(id, within: app)
        return try await stored(try await store.failures(of: campaign))
    }

    /// Returns single deliveries.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: The App of the caller's key; `nil` for a key of the server.
    ///   - occurrence: One of its Occurrences; `nil` for the last that has begun.
    ///   - cursor: The cursor of the page before; `nil` for the first.
    ///   - limit: 1 through 500; other values are clamped.
    /// - Returns: A page in the order in which the Devices registered.
    /// - Throws: ``EngineError/invalid(_:)`` for an invalid cursor.
    package func deliveries(
        _ id: CampaignID,
        within app: AppID?,
        occurrence: OccurrenceID? = nil,
        cursor: String?,
        limit: Int
    ) async throws(EngineError) -> Page<Delivery> {
        let position = cursor.flatMap(DeliveryPosition.init(cursor:))
        guard cursor == nil || position != nil else {
            throw .invalid(FieldError(field: "cursor", problem: "must be the nextCursor of a page"))
        }
        var campaign = try await campaign(id, within: app)
        campaign.occurrence = occurrence ?? campaign.occurrence
        let limit = min(max(1, limit), Self.maximumPage)
        let asked = campaign
        let rows = try await stored(try await store.deliveries(of: asked, after: position, limit: limit + 1))
        let page = rows.prefix(limit)
        return Page(
            items: page.map(\.delivery),
            nextCursor: rows.count > limit ? page.last?.position.cursor : nil
        )
    }

    /// Follows a Campaign: its current progress, then each change; ends when the Campaign is complete, or when the store
    /// cannot be read.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: The App of the caller's key; `nil` for a key of the server.
    ///   - interval: The shortest time between two reads, five a second by default.
    /// - Returns: The steps.
    /// - Throws: ``EngineError/notFound(_:)``.
    package func progress(
        _ id: CampaignID,
        within app: AppID?,
        every interval: Duration = .milliseconds(200)
    ) async throws(EngineError) -> AsyncStream<CampaignProgress> {
        _ = try await campaign(id, within: app)
        let follower = CampaignFollower(campaigns: self, id: id, interval: interval)
        return AsyncStream { await follower.next() }
    }
}

/// Reads a Campaign's progress when it changed.
private actor CampaignFollower {
    /// The delay until a change by another process is seen.
    private static let longestWait = Duration.seconds(1)
    /// How old a reading may be that somebody begins with; changes by another process are not known at once.
    private static let firstAge = Duration.milliseconds(200)

    private let campaigns: Campaigns
    private let id: CampaignID
    private let interval: Duration
    private let changes: AsyncSignal
    private var changeCount: UInt64 = 0
    private var last: CampaignProgress?
    private var lastLook: ContinuousClock.Instant?

    init(campaigns: Campaigns, id: CampaignID, interval: Duration) {
        self.campaigns = campaigns
        self.id = id
        self.interval = interval
        changes = campaigns.signals.changes(of: id)
    }

    func next() async -> CampaignProgress? {
        if let last, last.state.isOver { return nil }
        while !Task.isCancelled {
            await waitForChange()
            guard !Task.isCancelled, let step = await readProgress() else { return nil }
            guard step != last else { continue }
            last = step
            return step
        }
        return nil
    }

    private func readProgress() async -> CampaignProgress? {
        let wish = ProgressReads.Wish(
            now: campaigns.timer.now(),
            changes: changes,
            seen: lastLook,
            age: lastLook == nil ? Self.firstAge : interval
        )
        let reading = await campaigns.progressReads.reading(of: id, for: wish) { [campaigns, id] in
            guard let campaign = try? await campaigns.shown(id, within: nil),
                let funnel = try? await campaigns.funnel(id, within: nil)
            else { return nil }
            return CampaignProgress(campaign: id, state: campaign.state, funnel: funnel)
        }
        (lastLook, changeCount) = (reading.at, reading.changeCount)
        return await reading.progress.value
    }

    private func waitForChange() async {
        guard let lastLook else { return }
        let timer = campaigns.timer
        await timer.sleep(until: lastLook + interval)
        guard interval < Self.longestWait else { return }
        await changes.wait(after: changeCount, until: lastLook + Self.longestWait, by: timer)
    }
}

extension Campaign.State {
    /// Whether only events can change the progress.
    package var isOver: Bool {
        switch self {
        case .cancelled, .sent: true
        case .draft, .needsApproval, .refused, .expired, .held, .scheduled, .sending, .paused, .cancelling: false
        }
    }

    /// Whether it waits for an Operator before it may send anything.
    package var isUnsent: Bool {
        switch self {
        case .draft, .needsApproval, .refused, .expired, .held: true
        case .scheduled, .sending, .paused, .cancelling, .cancelled, .sent: false
        }
    }

    /// Whether its time is when it leaves the state, and not that of a firing.
    package var isTimed: Bool { self == .held || self == .needsApproval }
}
