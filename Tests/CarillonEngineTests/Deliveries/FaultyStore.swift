import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers

/// A store whose failures a test sets.
final class FaultyStore: WorkStore, OutcomeStore, SessionStore {
    enum Fault: Sendable {
        /// It does nothing and throws.
        case before(StoreError)
        /// It does the work and throws anyway: the answer was lost.
        case after(StoreError)
    }

    /// The settings of the test.
    ///
    /// A closure alone in the box would be wrapped once more by each read.
    private struct Script: Sendable {
        var fault: @Sendable (Int) -> Fault? = { _ in nil }
        var commitError: @Sendable (ChunkCommit) -> StoreError? = { _ in nil }
        var look: @Sendable () async -> Void = {}
        var leased: @Sendable () async -> Void = {}
        var retriesRead: @Sendable () async -> Void = {}
        var trouble: @Sendable (WorkFailure.Step, AppID) async -> StoreError? = { _, _ in nil }
    }

    private let store: any WorkStore & OutcomeStore & SessionStore
    private let script = NIOLockedValueBox(Script())
    private let verdictError = NIOLockedValueBox<StoreError?>(nil)
    private let showError = NIOLockedValueBox<StoreError?>(nil)
    /// Signalled when waits could not be stored.
    let showFailed = AsyncSignal()
    /// Signalled with each heartbeat.
    private let beats = AsyncSignal()
    private let factsCount = NIOLockedValueBox(0)
    private let callCount = NIOLockedValueBox(0)

    init(_ store: any WorkStore & OutcomeStore & SessionStore) { self.store = store }

    /// Sets the failures by the number of the call, from 1.
    func fail(_ fault: @escaping @Sendable (Int) -> Fault?) { script.withLockedValue { $0.fault = fault } }

    /// Sets which steps fail for which App.
    func fail(_ trouble: @escaping @Sendable (WorkFailure.Step, AppID) async -> StoreError?) {
        script.withLockedValue { $0.trouble = trouble }
    }

    /// Sets what an overview waits for.
    func delayLooks(_ wait: @escaping @Sendable () async -> Void) { script.withLockedValue { $0.look = wait } }

    /// Sets what the answer to a lease waits for.
    func delayLeases(_ wait: @escaping @Sendable () async -> Void) { script.withLockedValue { $0.leased = wait } }

    /// Sets what the lease of retries waits for after the reading.
    func delayRetries(_ wait: @escaping @Sendable () async -> Void) { script.withLockedValue { $0.retriesRead = wait } }

    /// How often an Occurrence's facts were read.
    var factsCalls: Int { factsCount.withLockedValue { $0 } }

    private func check(_ step: WorkFailure.Step, _ app: AppID) async throws(StoreError) {
        if let error = await script.withLockedValue({ $0 }).trouble(step, app) { throw error }
    }

    var calls: Int { callCount.withLockedValue { $0 } }

    private func call<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        let number = callCount.withLockedValue { count in
            count += 1
            return count
        }
        switch script.withLockedValue({ $0 }).fault(number) {
        case nil: return try await body()
        case .before(let error): throw error
        case .after(let error):
            _ = try await body()
            throw error
        }
    }

    /// A heartbeat has no call number: it fails like the calls at its time.
    private func beat<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        switch script.withLockedValue({ $0 }).fault(max(1, calls)) {
        case .before(let error): throw error
        case nil, .after: return try await body()
        }
    }

    /// Makes some commits fail, as if a table that they write were locked.
    func failCommits(_ error: @escaping @Sendable (ChunkCommit) -> StoreError?) {
        script.withLockedValue { $0.commitError = error }
    }

    /// Makes all or no token verdicts fail.
    func failVerdicts(_ error: StoreError?) { verdictError.withLockedValue { $0 = error } }

    /// Makes storing waits fail.
    func failShows(_ error: StoreError?) { showError.withLockedValue { $0 = error } }

    /// The number of stored heartbeats.
    var heartbeats: UInt64 { beats.count }

    /// Waits for a number of stored heartbeats; returns early when the task is cancelled.
    func heartbeats(_ count: UInt64) async {
        while !Task.isCancelled, beats.count < count { await beats.wait(after: beats.count) }
    }

    func move(_ move: GuardedMove, at now: Timestamp) async throws(StoreError) -> CampaignChange? {
        try await call { () async throws(StoreError) in try await store.move(move, at: now) }
    }

    func releaseAbandonedLeases(at now: Timestamp) async throws(StoreError) {
        try await store.releaseAbandonedLeases(at: now)
    }

    func begin(_ session: DispatcherSession, at now: Timestamp) async throws(StoreError) {
        try await beat { () async throws(StoreError) in try await store.begin(session, at: now) }
    }

    func beat(
        _ session: DispatcherSession,
        waits: [CommitWait]?,
        at now: Timestamp
    ) async throws(StoreError) -> Bool {
        if waits != nil, let error = showError.withLockedValue({ $0 }) {
            showFailed.signal()
            throw error
        }
        let isAlive = try await beat { () async throws(StoreError) in
            try await store.beat(session, waits: waits, at: now)
        }
        beats.signal()
        return isAlive
    }

    func end(_ session: DispatcherSession) async throws(StoreError) {
        try await beat { () async throws(StoreError) in try await store.end(session) }
    }

    func save(_ verdicts: TokenVerdicts) async throws(StoreError) -> Int {
        if let error = verdictError.withLockedValue({ $0 }) { throw error }
        return try await call { () async throws(StoreError) in try await store.save(verdicts) }
    }

    func overview(at now: Timestamp, from cursor: WorkCursor) async throws(StoreError) -> DispatchOverview {
        await script.withLockedValue({ $0 }).look()
        return try await call { () async throws(StoreError) in try await store.overview(at: now, from: cursor) }
    }

    func wave(_ wave: OpenWave, at now: Timestamp) async throws(StoreError) -> OpenWave? {
        try await call { () async throws(StoreError) in try await store.wave(wave, at: now) }
    }

    func note(
        _ failure: WorkFailure,
        of work: FailedWork,
        by rule: FailureRule,
        at now: Timestamp
    ) async throws(StoreError) -> WorkSetback {
        try await call { () async throws(StoreError) in
            try await store.note(failure, of: work, by: rule, at: now)
        }
    }

    func pause(_ campaign: CampaignID, app: AppID, alarm: String, at now: Timestamp) async throws(StoreError) {
        try await call { () async throws(StoreError) in
            try await store.pause(campaign, app: app, alarm: alarm, at: now)
        }
    }

    func planned(_ campaign: CampaignID, of app: AppID) async throws(StoreError) -> PlannedCampaign? {
        let planned = try await call { () async throws(StoreError) in try await store.planned(campaign, of: app) }
        if let planned { try await check(.start, planned.campaign.app) }
        return planned
    }

    func start(
        _ planned: PlannedCampaign,
        _ step: FiringStep,
        as occurrences: [OccurrenceID],
        at now: Timestamp
    ) async throws(StoreError) {
        try await call { () async throws(StoreError) in
            try await store.start(planned, step, as: occurrences, at: now)
        }
    }

    func recentSends(
        to recipients: Recipients,
        of facts: OccurrenceFacts,
        at now: Timestamp
    ) async throws(StoreError) -> SendMemory {
        try await check(.readRecentSends, facts.app)
        return try await call { () async throws(StoreError) in
            try await store.recentSends(to: recipients, of: facts, at: now)
        }
    }

    func facts(of occurrence: OccurrenceID, app: AppID) async throws(StoreError) -> OccurrenceFacts? {
        factsCount.withLockedValue { $0 += 1 }
        try await check(.load, app)
        return try await call { () async throws(StoreError) in try await store.facts(of: occurrence, app: app) }
    }

    func personalValues(
        of fields: [PersonalField],
        for devices: [DeviceNumber],
        in campaign: CampaignID?,
        app: AppID
    ) async throws(StoreError) -> PersonalValues {
        try await call { () async throws(StoreError) in
            try await store.personalValues(of: fields, for: devices, in: campaign, app: app)
        }
    }

    func read(_ wave: OpenWave, of facts: OccurrenceFacts, limit: Int) async throws(StoreError) -> ChunkReading {
        try await check(.readDevices, facts.app)
        return try await call { () async throws(StoreError) in
            try await store.read(wave, of: facts, limit: limit)
        }
    }

    func readRetries(
        of facts: OccurrenceFacts,
        dueAt now: Timestamp?,
        limit: Int
    ) async throws(StoreError) -> ChunkReading {
        try await call { () async throws(StoreError) in
            try await store.readRetries(of: facts, dueAt: now, limit: limit)
        }
    }

    func readRest(of lease: Lease, facts: OccurrenceFacts) async throws(StoreError) -> Recipients {
        try await check(.readRest, facts.app)
        return try await call { () async throws(StoreError) in try await store.readRest(of: lease, facts: facts) }
    }

    func lease(
        _ reading: ChunkReading,
        of wave: OpenWave,
        readAt: Timestamp,
        at now: Timestamp,
        for session: DispatcherSession
    ) async throws(StoreError) -> Lease? {
        let lease = try await call { () async throws(StoreError) in
            try await store.lease(reading, of: wave, readAt: readAt, at: now, for: session)
        }
        await script.withLockedValue { $0 }.leased()
        return lease
    }

    func leaseRetries(
        _ reading: ChunkReading,
        of wave: OpenWave,
        at now: Timestamp,
        for session: DispatcherSession
    ) async throws(StoreError) -> Lease? {
        await script.withLockedValue { $0 }.retriesRead()
        return try await call { () async throws(StoreError) in
            try await store.leaseRetries(reading, of: wave, at: now, for: session)
        }
    }

    func lease(again chunk: OpenChunk, for session: DispatcherSession) async throws(StoreError) -> Lease? {
        try await call { () async throws(StoreError) in try await store.lease(again: chunk, for: session) }
    }

    func commit(_ commit: ChunkCommit) async throws(StoreError) -> LeaseAnswer {
        if let error = script.withLockedValue({ $0 }).commitError(commit) { throw error }
        return try await call { () async throws(StoreError) in try await store.commit(commit) }
    }
}
