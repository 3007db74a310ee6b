package import CarillonModel
package import CarillonOperatorModel

/// What a dispatcher needs to know of an Occurrence; it does not change.
package struct OccurrenceFacts: Hashable, Sendable {
    package var app: AppID
    package var campaign: CampaignID
    package var occurrence: OccurrenceID
    package var audience: Audience
    package var message: Message
    package var isAd: Bool
    package var channel: Campaign.Channel
    /// The words that the App's phones understand.
    package var dialect: App.Dialect
    /// Whom the App's rules for ads cover.
    package var adRule: App.AdRule
    /// What its content depends on beside the message.
    package var content: ContentRules
    package var startedAt: Timestamp
    /// A Device that registered before it is not sent to: the App's lifetime of tokens.
    package var oldestRegistration = Timestamp(rawValue: .min)
    /// Failed attempts are repeated until then.
    package var retryUntil: Timestamp
    /// When its notifications may go out.
    package var rules = OccurrenceRules()
    /// The push service has taken a notification with the App's push key before.
    package var isKeyConfirmed = false

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
    /// When Waves are needed for Devices whose own time has not come.
    package var later: Set<Timestamp> = []
    /// How many Devices match, those included whose own time has not come.
    package var matchedCount = 0
    /// Which number the Occurrence's next Chunk had; a lease with another one came after others', who may have sent some
    /// of these.
    package var nextChunk: Int64?

    package init(recipients: Recipients, range: ChunkRange, isLast: Bool) {
        self.recipients = recipients
        self.range = range
        self.isLast = isLast
    }
}

/// One node's turn at reading ahead of a Wave.
package protocol ReadLease: Sendable {
    /// Lets the next node have it.
    func end()
}

/// Where a dispatcher finds its work and claims it.
///
/// Several dispatchers, here and on other machines, may use one store at once.
package protocol WorkStore: PersonalStore {
    /// Frees the leases that nobody can hold any more: on a store of one process those of a former one. Elsewhere it
    /// sweeps sessions that ended without leaving anything.
    ///
    /// - Parameter now: The wall clock.
    /// - Throws: ``StoreError``.
    func releaseAbandonedLeases(at now: Timestamp) async throws(StoreError)

    /// Waits for this node's turn at a Wave that several nodes read at once, so that they do not all read the same
    /// Devices.
    ///
    /// It saves reading and no more: whose the Devices are, the cursor says.
    ///
    /// - Returns: `nil` where there are no other nodes, or when the turn does not come in time.
    func turn(at occurrence: OccurrenceID, wave: Int64) async -> (any ReadLease)?

    /// Looks at what there is to do; bounded, whatever there is.
    ///
    /// - Parameters:
    ///   - now: The wall clock; only due times are compared with it.
    ///   - cursor: What former looks have seen: where there is more than one look shows, this one goes on there.
    /// - Returns: What there is.
    /// - Throws: ``StoreError``.
    func overview(at now: Timestamp, from cursor: WorkCursor) async throws(StoreError) -> DispatchOverview

    /// A Wave as it is now; `nil` when there is nothing to do for it any more.
    func wave(_ wave: OpenWave, at now: Timestamp) async throws(StoreError) -> OpenWave?

    /// Counts that work could not go on, gives its Chunk back until a time that grows with the count, and pauses the
    /// Campaign with an alarm when that has happened too often in a row.
    ///
    /// - Parameters:
    ///   - failure: Why.
    ///   - work: What could not go on.
    ///   - rule: When it is tried again, and how often.
    ///   - now: The wall clock.
    /// - Returns: What became of it.
    /// - Throws: ``StoreError``; nothing changed then.
    func note(
        _ failure: WorkFailure,
        of work: FailedWork,
        by rule: FailureRule,
        at now: Timestamp
    ) async throws(StoreError) -> WorkSetback

    /// Pauses a Campaign that cannot begin.
    func pause(_ campaign: CampaignID, app: AppID, alarm: String, at now: Timestamp) async throws(StoreError)

    /// An App's Campaign with where its firings stand; `nil` when there is none.
    func planned(_ campaign: CampaignID, of app: AppID) async throws(StoreError) -> PlannedCampaign?

    /// Begins a Campaign's firing, keeps those that were missed and notes which comes next; does nothing when somebody
    /// else was faster, or the Campaign no longer waits for it.
    ///
    /// - Parameters:
    ///   - planned: The Campaign as it was read.
    ///   - step: What is due.
    ///   - occurrences: What the missed and the new Occurrence are called, in this order.
    ///   - now: The wall clock.
    /// - Throws: ``StoreError``; nothing changed then.
    func start(
        _ planned: PlannedCampaign,
        _ step: FiringStep,
        as occurrences: [OccurrenceID],
        at now: Timestamp
    ) async throws(StoreError)

    /// What an Occurrence is about.
    ///
    /// - Returns: `nil` when there is no such Occurrence.
    func facts(of occurrence: OccurrenceID, app: AppID) async throws(StoreError) -> OccurrenceFacts?

    /// Reads the next Devices of a Wave that have an active token of the channel's push types and match the audience, after its cursor.
    ///
    /// Of a Wave that is not the first of its Occurrence, only Devices that have no delivery and wait for no retry; in
    /// local time only those whose own time has come when the Wave is due.
    func read(_ wave: OpenWave, of facts: OccurrenceFacts, limit: Int) async throws(StoreError) -> ChunkReading

    /// What was sent of late, as far as it keeps Devices from getting this too; asked only when the App has such rules.
    ///
    /// - Parameters:
    ///   - recipients: Who is asked about.
    ///   - facts: What is to be sent.
    ///   - now: The wall clock.
    /// - Returns: Whose cap is reached, and what was said to whom.
    /// - Throws: ``StoreError``.
    func recentSends(
        to recipients: Recipients,
        of facts: OccurrenceFacts,
        at now: Timestamp
    ) async throws(StoreError) -> SendMemory

    /// Reads the next notifications that are due to be tried again and are in no Chunk, with their Devices as they are
    /// now.
    ///
    /// - Parameters:
    ///   - facts: Of which Occurrence.
    ///   - now: The wall clock; `nil` reads all, due or not.
    ///   - limit: How many at most, or a few more that share a Device and time.
    /// - Returns: What was read.
    /// - Throws: ``StoreError``.
    func readRetries(
        of facts: OccurrenceFacts,
        dueAt now: Timestamp?,
        limit: Int
    ) async throws(StoreError) -> ChunkReading

    /// Reads what is left of a Chunk that was leased before: Devices that have no delivery and are not waiting to be
    /// tried again.
    func readRest(of lease: Lease, facts: OccurrenceFacts) async throws(StoreError) -> Recipients

    /// Makes a Chunk of what was read after a Wave's cursor, leases it and advances the cursor to its end, if the
    /// cursor still is where it was. What is empty only advances the cursor.
    ///
    /// - Parameters:
    ///   - reading: What was read.
    ///   - wave: Of which Wave.
    ///   - readAt: When more of it may be read; 0 for at once.
    ///   - now: The wall clock.
    ///   - session: Who holds the lease.
    /// - Returns: `nil` when somebody else was faster, or there was nothing to lease.
    /// - Throws: ``StoreError``; nothing changed then.
    func lease(
        _ reading: ChunkReading,
        of wave: OpenWave,
        readAt: Timestamp,
        at now: Timestamp,
        for session: DispatcherSession
    ) async throws(StoreError) -> Lease?

    /// Makes a Chunk of retries and leases it, if nobody else has some of them.
    ///
    /// - Returns: `nil` when somebody else was faster.
    func leaseRetries(
        _ reading: ChunkReading,
        of wave: OpenWave,
        at now: Timestamp,
        for session: DispatcherSession
    ) async throws(StoreError) -> Lease?

    /// Leases a Chunk again, if its holder has shown no heartbeat since it was looked at; it ends the holder's session.
    ///
    /// - Returns: `nil` when it has, or somebody else was faster.
    func lease(again chunk: OpenChunk, for session: DispatcherSession) async throws(StoreError) -> Lease?
}

/// Where a dispatcher leaves what became of its work.
package protocol OutcomeStore: Sendable {
    /// Keeps outcomes, retries, counts and the Chunk's progress in one transaction, and says that the Campaign is over
    /// when it is.
    ///
    /// It gives up soon when something is in its way, and leaves it to the caller to try again. What was said of tokens
    /// is kept by ``save(_:)``: the commit has none of it.
    ///
    /// - Returns: `refused` when the lease passed on: then nothing was kept.
    func commit(_ commit: ChunkCommit) async throws(StoreError) -> LeaseAnswer

    /// Keeps what the push service said of tokens, after the outcomes that it was said with.
    ///
    /// A token that was registered again since is left alone. It gives up soon when something is in its way.
    ///
    /// - Parameter verdicts: Up to a Chunk's.
    /// - Returns: How many tokens changed.
    /// - Throws: ``StoreError``; nothing was kept then.
    func save(_ verdicts: TokenVerdicts) async throws(StoreError) -> Int
}

extension WorkStore {
    package func turn(at occurrence: OccurrenceID, wave: Int64) async -> (any ReadLease)? { nil }
}
