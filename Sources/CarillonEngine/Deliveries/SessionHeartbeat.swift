import Logging
import NIOConcurrencyHelpers

/// A dispatcher's session as the tasks of its Chunks see it.
final class HeldSession: Sendable {
    private struct State {
        var deadline: ContinuousClock.Instant
        var isLost = false
        var chunkCount = 0
    }

    let id: DispatcherSession
    private let wake: AsyncSignal
    private let state: NIOLockedValueBox<State>

    /// A session that lasts until `deadline`; `wake` rings when it gets its first Chunk.
    init(_ id: DispatcherSession, until deadline: ContinuousClock.Instant, wake: AsyncSignal) {
        self.id = id
        self.wake = wake
        state = NIOLockedValueBox(State(deadline: deadline))
    }

    /// Until when nobody else takes its Chunks: a lease after the instant before its last heartbeat.
    var deadline: ContinuousClock.Instant { state.withLockedValue { $0.deadline } }

    /// Whether somebody else has ended it.
    var isLost: Bool { state.withLockedValue { $0.isLost } }

    /// Whether it has Chunks, so that it must show heartbeats.
    var hasChunks: Bool { state.withLockedValue { $0.chunkCount > 0 } }

    /// Counts a Chunk that it holds.
    func hold() {
        let isFirst = state.withLockedValue { state in
            state.chunkCount += 1
            return state.chunkCount == 1
        }
        if isFirst { wake.signal() }
    }

    /// Counts a Chunk that it holds no more.
    func release() { state.withLockedValue { $0.chunkCount -= 1 } }

    fileprivate func extend(until deadline: ContinuousClock.Instant) {
        state.withLockedValue { $0.deadline = max($0.deadline, deadline) }
    }

    fileprivate func lose() { state.withLockedValue { $0.isLost = true } }
}

/// Keeps a dispatcher's session alive, whatever its commits wait for.
///
/// One task shows the heartbeats, four in the time of a lease, for as long as the session has Chunks; an idle dispatcher
/// writes nothing. A session that was idle is refreshed before it leases.
final class SessionHeartbeat: Sendable {
    /// What it works with.
    struct Parts: Sendable {
        var store: any SessionStore
        var clock: any WallClock
        var timer: any DispatchClock
        var leaseTime: Duration
        /// The first pause after the store failed; it doubles up to the time between two heartbeats.
        var retryTime: Duration
        var figures: DispatcherMetrics
        var logger: Logger
    }

    private struct State {
        var session: HeldSession?
        /// Somebody waits for a fresh session, or has something to be shown.
        var isWanted = false
        var isEnded = false
        var nextBeat: ContinuousClock.Instant?
        var failures = 0
        /// When the first and the last of these failures were; `nil` after a heartbeat.
        var failing: (since: ContinuousClock.Instant, last: ContinuousClock.Instant)?
        /// How often it was tried, and what came of it the last time.
        var attempts = 0
        var error: StoreError?
        /// What the dispatcher cannot commit, and whether its session shows it.
        var waits: [CommitWait] = []
        var isShown = true
    }

    private let parts: Parts
    private let state = NIOLockedValueBox(State())
    private let wake = AsyncSignal()
    /// Rings after every attempt.
    let attempted = AsyncSignal()

    init(_ parts: Parts) { self.parts = parts }

    /// The session's name, if there is one.
    var current: DispatcherSession? { state.withLockedValue { $0.session?.id } }

    /// Whether no heartbeat came through for a lease, although it was tried.
    ///
    /// An idle dispatcher tries none: a failure of long ago says nothing.
    var isFailing: Bool {
        let now = parts.timer.now()
        guard let failing = state.withLockedValue({ $0.failing }) else { return false }
        return now - failing.since >= parts.leaseTime && now - failing.last <= parts.leaseTime
    }

    /// The session, fresh enough to lease a Chunk and send it.
    ///
    /// - Throws: ``StoreError`` when the store cannot be asked, or the process ends.
    func fresh() async throws(StoreError) -> HeldSession {
        let before = state.withLockedValue { $0.attempts }
        while true {
            let count = attempted.count
            let now = parts.timer.now()
            let (session, error, isEnded) = state.withLockedValue { state -> (HeldSession?, StoreError?, Bool) in
                if let session = state.session, !session.isLost, session.deadline - now >= parts.leaseTime / 2 {
                    return (session, nil, false)
                }
                if state.attempts > before, let error = state.error { return (nil, error, false) }
                state.isWanted = true
                return (nil, nil, state.isEnded)
            }
            if let session { return session }
            if let error { throw error }
            guard !isEnded, !Task.isCancelled else { throw .unavailable("The dispatcher ends.") }
            wake.signal()
            await attempted.wait(after: count)
        }
    }

    /// Has the store show what cannot be committed, with a heartbeat that comes at once.
    func show(_ waits: [CommitWait]) {
        state.withLockedValue { state in
            state.waits = waits
            state.isShown = false
            state.isWanted = true
        }
        wake.signal()
    }

    /// Shows heartbeats until ``end()``.
    func run() async {
        while !Task.isCancelled {
            let count = wake.count
            let now = parts.timer.now()
            let (isEnded, isDue, deadline) = state.withLockedValue { state in
                // What could not be shown is shown later, also when the last Chunk has ended meanwhile.
                let goesOn =
                    state.session.map { !$0.isLost && ($0.hasChunks || !state.isShown) } ?? !state.waits.isEmpty
                let isDue = state.isWanted || goesOn && (state.nextBeat.map { $0 <= now } ?? true)
                return (state.isEnded, isDue, goesOn ? state.nextBeat : nil)
            }
            if isEnded { break }
            if isDue {
                await attempt()
            } else if let deadline {
                await wake.wait(after: count, until: deadline, by: parts.timer)
            } else {
                await wake.wait(after: count)
            }
        }
        state.withLockedValue { $0.isEnded = true }
        attempted.signal()
    }

    /// Ends the session: what it still holds is free for others.
    func end() async {
        let session = state.withLockedValue { state in
            state.isEnded = true
            return state.session
        }
        wake.signal()
        attempted.signal()
        guard let session else { return }
        do throws(StoreError) {
            try await parts.store.end(session.id)
        } catch {
            // Others find it without a heartbeat.
            parts.logger.info("A session could not be ended", metadata: ["carillon.error": "\(error)"])
        }
    }

    // MARK: - Private

    private func attempt() async {
        let instant = parts.timer.now()
        let (session, waits) = state.withLockedValue { state in
            state.isWanted = false
            return (state.session, state.isShown ? nil : state.waits)
        }
        do throws(StoreError) {
            let deadline = instant + parts.leaseTime
            if let session {
                if try await parts.store.beat(session.id, waits: nil, at: parts.clock.now()) {
                    session.extend(until: deadline)
                    noteSuccess(at: instant)
                    if let waits { await write(waits, of: session) }
                } else {
                    lose(session)
                }
            } else {
                let new = DispatcherSession.random()
                try await parts.store.begin(new, at: parts.clock.now())
                let session = HeldSession(new, until: deadline, wake: wake)
                state.withLockedValue { state in
                    state.session = session
                    // What was shown under another name is gone with it.
                    state.isShown = state.waits.isEmpty
                    state.isWanted = !state.isShown
                }
                noteSuccess(at: instant)
            }
        } catch {
            noteFailure(error)
        }
        attempted.signal()
    }

    /// Writes what waits, apart from the heartbeat: a lock on its table must end no lease.
    ///
    /// What could not be written is tried again with the next heartbeat.
    private func write(_ waits: [CommitWait], of session: HeldSession) async {
        do throws(StoreError) {
            guard try await parts.store.beat(session.id, waits: waits, at: parts.clock.now()) else {
                return lose(session)
            }
            state.withLockedValue { if $0.waits == waits { $0.isShown = true } }
        } catch {
            parts.figures.storeFailed()
            parts.logger.info("What waits to be committed could not be shown", metadata: ["carillon.error": "\(error)"])
        }
    }

    private func noteSuccess(at instant: ContinuousClock.Instant) {
        state.withLockedValue { state in
            state.attempts += 1
            state.error = nil
            state.failures = 0
            state.failing = nil
            state.nextBeat = instant + parts.leaseTime / 4
        }
    }

    private func noteFailure(_ error: StoreError) {
        parts.figures.storeFailed()
        let now = parts.timer.now()
        state.withLockedValue { state in
            state.attempts += 1
            state.error = error
            let pause = parts.retryTime * (1 << min(state.failures, 10))
            state.failures += 1
            state.failing = (state.failing?.since ?? now, now)
            state.nextBeat = now + min(pause, parts.leaseTime / 4)
        }
    }

    /// Somebody else has ended it: its Chunks are free, and whoever wants a session gets another.
    private func lose(_ session: HeldSession) {
        session.lose()
        // A heartbeat that was on its way finds the session this node itself has ended.
        guard !state.withLockedValue({ $0.isEnded }) else { return }
        parts.figures.lostSession()
        parts.logger.info("Another node has ended this one's session; its chunks are others' now")
        state.withLockedValue { state in
            state.attempts += 1
            state.error = nil
            state.session = nil
            state.isWanted = true
        }
    }
}
