import Logging
import NIOConcurrencyHelpers

/// A dispatcher's session, shared by the tasks of its Chunks.
final class HeldSession: Sendable {
    private struct State {
        var deadline: ContinuousClock.Instant
        var isLost = false
        var chunkCount = 0
    }

    let id: DispatcherSession
    private let wake: AsyncSignal
    private let state: NIOLockedValueBox<State>

    /// Creates a session that lasts until `deadline`; signals `wake` when it gets its first Chunk.
    init(_ id: DispatcherSession, until deadline: ContinuousClock.Instant, wake: AsyncSignal) {
        self.id = id
        self.wake = wake
        state = NIOLockedValueBox(State(deadline: deadline))
    }

    /// Until when no other session takes its Chunks: a lease time after the instant before its last heartbeat.
    var deadline: ContinuousClock.Instant { state.withLockedValue { $0.deadline } }

    /// Whether another node has ended it.
    var isLost: Bool { state.withLockedValue { $0.isLost } }

    /// Whether it has Chunks and therefore needs heartbeats.
    var hasChunks: Bool { state.withLockedValue { $0.chunkCount > 0 } }

    /// Adds a Chunk.
    func hold() {
        let isFirst = state.withLockedValue { state in
            state.chunkCount += 1
            return state.chunkCount == 1
        }
        if isFirst { wake.signal() }
    }

    /// Removes a Chunk.
    func release() { state.withLockedValue { $0.chunkCount -= 1 } }

    fileprivate func extend(until deadline: ContinuousClock.Instant) {
        state.withLockedValue { $0.deadline = max($0.deadline, deadline) }
    }

    fileprivate func lose() { state.withLockedValue { $0.isLost = true } }
}

/// Maintains a dispatcher's session, independent of commits.
///
/// One task sends heartbeats, four per lease time, while the session has Chunks; an idle dispatcher writes nothing. A
/// session that was idle gets a heartbeat before it leases.
final class SessionHeartbeat: Sendable {
    /// Its dependencies.
    struct Parts: Sendable {
        var store: any SessionStore
        var clock: any WallClock
        var timer: any DispatchClock
        var leaseTime: Duration
        /// The first delay after the store failed; it doubles up to the time between two heartbeats.
        var retryTime: Duration
        var figures: DispatcherMetrics
        var logger: Logger
    }

    private struct State {
        var session: HeldSession?
        /// Whether a caller waits for a fresh session, or there are waits to write.
        var isWanted = false
        var isEnded = false
        var nextBeat: ContinuousClock.Instant?
        var failures = 0
        /// When the first and the last of the current failures occurred; `nil` after a heartbeat.
        var failing: (since: ContinuousClock.Instant, last: ContinuousClock.Instant)?
        /// The number of attempts, and the last error.
        var attempts = 0
        var error: StoreError?
        /// What the dispatcher cannot commit, and whether that is stored.
        var waits: [CommitWait] = []
        var isShown = true
    }

    private let parts: Parts
    private let state = NIOLockedValueBox(State())
    private let wake = AsyncSignal()
    /// Signalled after every attempt.
    let attempted = AsyncSignal()

    init(_ parts: Parts) { self.parts = parts }

    /// The session's id, if there is one.
    var current: DispatcherSession? { state.withLockedValue { $0.session?.id } }

    /// Whether attempts to store a heartbeat have failed for a lease time.
    ///
    /// An idle dispatcher makes none, so an old failure does not count.
    var isFailing: Bool {
        let now = parts.timer.now()
        guard let failing = state.withLockedValue({ $0.failing }) else { return false }
        return now - failing.since >= parts.leaseTime && now - failing.last <= parts.leaseTime
    }

    /// Returns a session that is fresh enough to lease a Chunk and send it.
    ///
    /// - Throws: ``StoreError`` when the store fails, or the process ends.
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

    /// Stores what cannot be committed, with an immediate heartbeat.
    func show(_ waits: [CommitWait]) {
        state.withLockedValue { state in
            state.waits = waits
            state.isShown = false
            state.isWanted = true
        }
        wake.signal()
    }

    /// Sends heartbeats until ``end()``.
    func run() async {
        while !Task.isCancelled {
            let count = wake.count
            let now = parts.timer.now()
            let (isEnded, isDue, deadline) = state.withLockedValue { state in
                // What could not be stored is retried later, also when the last Chunk has ended meanwhile.
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

    /// Ends the session: its leases are free for others.
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
            // Other nodes take over after a lease time without a heartbeat.
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
                    recordSuccess(at: instant)
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
                    // The waits of the former session were deleted with it.
                    state.isShown = state.waits.isEmpty
                    state.isWanted = !state.isShown
                }
                recordSuccess(at: instant)
            }
        } catch {
            recordFailure(error)
        }
        attempted.signal()
    }

    /// Writes the waits, separate from the heartbeat: a lock on their table must not end a lease.
    ///
    /// What could not be written is retried with the next heartbeat.
    private func write(_ waits: [CommitWait], of session: HeldSession) async {
        do throws(StoreError) {
            guard try await parts.store.beat(session.id, waits: waits, at: parts.clock.now()) else {
                return lose(session)
            }
            state.withLockedValue { if $0.waits == waits { $0.isShown = true } }
        } catch {
            parts.figures.storeFailed()
            parts.logger.info("The waiting commits could not be stored", metadata: ["carillon.error": "\(error)"])
        }
    }

    private func recordSuccess(at instant: ContinuousClock.Instant) {
        state.withLockedValue { state in
            state.attempts += 1
            state.error = nil
            state.failures = 0
            state.failing = nil
            state.nextBeat = instant + parts.leaseTime / 4
        }
    }

    private func recordFailure(_ error: StoreError) {
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

    /// Marks a session as lost: its Chunks are free, and the next caller gets a new session.
    private func lose(_ session: HeldSession) {
        session.lose()
        // A heartbeat in flight may find that this node itself has ended the session.
        guard !state.withLockedValue({ $0.isEnded }) else { return }
        parts.figures.lostSession()
        parts.logger.info("Another node ended this node's session and takes over its chunks")
        state.withLockedValue { state in
            state.attempts += 1
            state.error = nil
            state.session = nil
            state.isWanted = true
        }
    }
}
