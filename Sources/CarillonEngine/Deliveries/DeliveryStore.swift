package import CarillonModel
package import CarillonOperatorModel

/// The facts of an Occurrence that a dispatcher needs; rules may change while it is sent.
package struct OccurrenceFacts: Hashable, Sendable {
    package var app: AppID
    package var campaign: CampaignID
    package var occurrence: OccurrenceID
    package var audience: Audience
    package var message: Message
    package var isAd: Bool
    package var channel: Campaign.Channel
    /// The payload keys that the App's phones understand.
    package var dialect: App.Dialect
    /// Which people the App's rules for ads cover.
    package var adRule: App.AdRule
    /// What its content depends on besides the message.
    package var content: ContentRules
    package var startedAt: Timestamp
    /// Devices that registered earlier are skipped: the App's lifetime of tokens.
    package var oldestRegistration = Timestamp(rawValue: .min)
    /// Failed attempts are retried until then.
    package var retryUntil: Timestamp
    /// When its notifications may be sent.
    package var rules = OccurrenceRules()
    /// Whether the push service accepted a notification of the App's push key before.
    package var isKeyConfirmed = false
    /// Whether numbers on icons are counted for any Device of the App.
    package var countsBadges = false

    package init(
        app: AppID,
        campaign: CampaignID,
        occurrence: OccurrenceID,
        audience: Audience,
        message: Message,
        isAd: Bool,
        channel: Campaign.Channel = .notification,
        dialect: App.Dialect = .carillon,
        adRule: App.AdRule = .everyone,
        content: ContentRules = ContentRules(),
        startedAt: Timestamp,
        retryUntil: Timestamp
    ) {
        self.app = app
        self.campaign = campaign
        self.occurrence = occurrence
        self.audience = audience
        self.message = message
        self.isAd = isAd
        self.channel = channel
        self.dialect = dialect
        self.adRule = adRule
        self.content = content
        self.startedAt = startedAt
        self.retryUntil = retryUntil
    }
}

/// A run of matching Devices that was read and is not leased yet.
package struct ChunkReading: Sendable {
    /// The Devices, in the order of their numbers or, for retries, of their times.
    package var recipients: Recipients
    package var range: ChunkRange
    /// Whether nothing matches after the range.
    package var isLast: Bool
    /// Times of Waves that are needed for Devices whose own time has not come.
    package var later: Set<Timestamp> = []
    /// How many Devices match, including those whose own time has not come.
    package var matchedCount = 0
    /// The number that the Occurrence's next Chunk had; a lease with another number came after other leases, which may
    /// cover some of these Devices.
    package var nextChunk: Int64?

    package init(recipients: Recipients, range: ChunkRange, isLast: Bool) {
        self.recipients = recipients
        self.range = range
        self.isLast = isLast
    }
}

/// One node's claim to read ahead of a Wave.
package protocol ReadLease: Sendable {
    /// Releases it for the next node.
    func end()
}

/// Where a dispatcher finds and leases its work.
///
/// Several dispatchers, on this and other machines, may use one store at once.
package protocol WorkStore: PersonalStore, CampaignMoveStore {
    /// Releases leases without a possible holder: on a store of one process, those of a former process.
    ///
    /// Other stores remove sessions that ended and left nothing.
    ///
    /// - Parameter now: The wall clock.
    /// - Throws: ``StoreError``.
    func releaseAbandonedLeases(at now: Timestamp) async throws(StoreError)

    /// Waits for this node's turn to read a Wave that several nodes read at once, so that they do not all read the same
    /// Devices.
    ///
    /// It only saves reads; the Wave's cursor decides who gets the Devices.
    ///
    /// - Returns: `nil` where there are no other nodes, or when the wait times out.
    func turn(at occurrence: OccurrenceID, wave: Int64) async -> (any ReadLease)?

    /// Returns the work there is, up to a bound.
    ///
    /// - Parameters:
    ///   - now: The wall clock; only due times are compared with it.
    ///   - cursor: What former looks have seen; where the work exceeds one look, this one continues there.
    /// - Returns: The work.
    /// - Throws: ``StoreError``.
    func overview(at now: Timestamp, from cursor: WorkCursor) async throws(StoreError) -> DispatchOverview

    /// Returns the current state of a Wave; `nil` when there is no work left for it.
    func wave(_ wave: OpenWave, at now: Timestamp) async throws(StoreError) -> OpenWave?

    /// Counts a failure of work, gives its Chunk back until a time that grows with the count, and pauses the Campaign
    /// with an alarm after too many failures in a row.
    ///
    /// - Parameters:
    ///   - failure: The cause.
    ///   - work: The work that failed.
    ///   - rule: When to retry, and how often.
    ///   - now: The wall clock.
    /// - Returns: The count, and whether the Campaign was paused.
    /// - Throws: ``StoreError``; nothing changed then.
    func note(
        _ failure: WorkFailure,
        of work: FailedWork,
        by rule: FailureRule,
        at now: Timestamp
    ) async throws(StoreError) -> WorkSetback

    /// Pauses a Campaign that cannot begin.
    func pause(_ campaign: CampaignID, app: AppID, alarm: String, at now: Timestamp) async throws(StoreError)

    /// Returns an App's Campaign with its progress; `nil` when there is none.
    func planned(_ campaign: CampaignID, of app: AppID) async throws(StoreError) -> PlannedCampaign?

    /// Begins a Campaign's firing, saves missed ones and records which comes next.
    ///
    /// Does nothing when another node was faster, or the Campaign no longer waits for it.
    ///
    /// - Parameters:
    ///   - planned: The Campaign as it was read.
    ///   - step: The due step.
    ///   - occurrences: The ids of the missed and the new Occurrences, in this order.
    ///   - now: The wall clock.
    /// - Throws: ``StoreError``; nothing changed then.
    func start(
        _ planned: PlannedCampaign,
        _ step: FiringStep,
        as occurrences: [OccurrenceID],
        at now: Timestamp
    ) async throws(StoreError)

    /// Returns the facts of an Occurrence.
    ///
    /// - Returns: `nil` when there is no such Occurrence.
    func facts(of occurrence: OccurrenceID, app: AppID) async throws(StoreError) -> OccurrenceFacts?

    /// Reads the next Devices of a Wave that have an active token of the channel's push types and match the audience, after its cursor.
    ///
    /// For Waves after the first of an Occurrence, only Devices without a delivery and without a pending retry; in
    /// local time only those whose own time has come when the Wave is due.
    func read(_ wave: OpenWave, of facts: OccurrenceFacts, limit: Int) async throws(StoreError) -> ChunkReading

    /// Reads recent sends that keep Devices from getting this too; called only when the App has such rules.
    ///
    /// - Parameters:
    ///   - recipients: The Devices.
    ///   - facts: The Occurrence.
    ///   - now: The wall clock.
    /// - Returns: Whose cap is reached, and which messages were sent to whom.
    /// - Throws: ``StoreError``.
    func recentSends(
        to recipients: Recipients,
        of facts: OccurrenceFacts,
        at now: Timestamp
    ) async throws(StoreError) -> SendMemory

    /// Reads the next due retries that belong to no Chunk, with the current state of their Devices.
    ///
    /// - Parameters:
    ///   - facts: The Occurrence.
    ///   - now: The wall clock; `nil` reads all, due or not.
    ///   - limit: The maximum, or a few more that share a Device and time.
    /// - Returns: The recipients.
    /// - Throws: ``StoreError``.
    func readRetries(
        of facts: OccurrenceFacts,
        dueAt now: Timestamp?,
        limit: Int
    ) async throws(StoreError) -> ChunkReading

    /// Reads the rest of a Chunk that was leased before: Devices without a delivery and without a pending retry.
    func readRest(of lease: Lease, facts: OccurrenceFacts) async throws(StoreError) -> Recipients

    /// Makes a Chunk of a reading, leases it and advances the Wave's cursor to its end, if the cursor is unchanged
    /// since.
    ///
    /// An empty reading only advances the cursor.
    ///
    /// - Parameters:
    ///   - reading: What was read after the cursor.
    ///   - wave: The Wave as it was read.
    ///   - readAt: When more of it may be read; 0 for at once.
    ///   - now: The wall clock.
    ///   - session: The holder of the lease.
    /// - Returns: `nil` when another node was faster, or there was nothing to lease.
    /// - Throws: ``StoreError``; nothing changed then.
    func lease(
        _ reading: ChunkReading,
        of wave: OpenWave,
        readAt: Timestamp,
        at now: Timestamp,
        for session: DispatcherSession
    ) async throws(StoreError) -> Lease?

    /// Makes a Chunk of retries and leases it, if no other node has some of them.
    ///
    /// - Returns: `nil` when another node was faster.
    func leaseRetries(
        _ reading: ChunkReading,
        of wave: OpenWave,
        at now: Timestamp,
        for session: DispatcherSession
    ) async throws(StoreError) -> Lease?

    /// Leases a Chunk again, if its holder has sent no heartbeat since it was read; ends the holder's session.
    ///
    /// - Returns: `nil` when it has, or another node was faster.
    func lease(again chunk: OpenChunk, for session: DispatcherSession) async throws(StoreError) -> Lease?
}

/// Where a dispatcher saves outcomes.
package protocol OutcomeStore: Sendable {
    /// Saves outcomes, retries, counts and the Chunk's progress in one transaction, and completes the Campaign when
    /// this was the last.
    ///
    /// It fails soon when a lock is in the way and leaves retries to the caller. The commit has no token verdicts;
    /// ``save(_:)`` saves those.
    ///
    /// - Returns: `refused` when another session has the lease; nothing was saved then.
    func commit(_ commit: ChunkCommit) async throws(StoreError) -> LeaseAnswer

    /// Saves the push service's verdicts on tokens, after the outcomes that they came with.
    ///
    /// A token that was registered again since is left unchanged. It fails soon when a lock is in the way.
    ///
    /// - Parameter verdicts: At most those of a Chunk.
    /// - Returns: How many tokens changed.
    /// - Throws: ``StoreError``; nothing was saved then.
    func save(_ verdicts: TokenVerdicts) async throws(StoreError) -> Int
}

extension WorkStore {
    package func turn(at occurrence: OccurrenceID, wave: Int64) async -> (any ReadLease)? { nil }
}
