import CarillonModel
import Foundation

/// Keeps events until the server has them, and brings them there.
actor EventReporter {
    /// What came of an attempt to empty the spools.
    struct Report: Equatable, Sendable {
        /// Events that the server counts now and did not before.
        var counted = 0
        /// Events that it knew already.
        var repeated = 0
        /// Events that were given up: the server does not take them.
        var dropped = 0
        /// Events that still wait.
        var waiting = 0
    }

    private var own: EventSpool
    private let folder: URL
    private let emptiesOthers: Bool
    private let api: ServerAPI
    private let time: any TimeSource
    private let random: any RandomSource
    private let log: CarillonLog

    private var machine = UploadMachine()
    private var others: [URL: EventSpool] = [:]
    private var flight: Task<Report, Never>?
    /// Events that the disk did not take; they are sent all the same, if the process lives long enough.
    private var unsaved: [Event] = []

    /// Opens the spool of a process.
    ///
    /// - Parameters:
    ///   - folder: Where spools lie.
    ///   - process: Names the process: 1 through 20 letters.
    ///   - emptiesOthers: Whether it also brings what other processes left; the app does, extensions do not.
    ///   - api: The way to the server.
    ///   - time: Tells the time.
    ///   - random: Spreads retries.
    ///   - log: For the app's log.
    init(
        folder: URL,
        process: String,
        emptiesOthers: Bool,
        api: ServerAPI,
        time: any TimeSource,
        random: any RandomSource,
        log: CarillonLog
    ) {
        own = EventSpool(file: Self.file(of: process, in: folder))
        self.folder = folder
        self.emptiesOthers = emptiesOthers
        self.api = api
        self.time = time
        self.random = random
        self.log = log
    }

    /// Keeps an event on disk.
    ///
    /// - Parameter event: The event.
    /// - Returns: Whether it is new; false when the same was reported before.
    func record(_ event: Event) -> Bool {
        do throws(CarillonError) {
            let dropped = own.droppedCount
            let isNew = try own.append(event)
            if own.droppedCount > dropped { log(.warning, "Too many events wait; the oldest was dropped") }
            return isNew
        } catch {
            log(.warning, "An event cannot be kept on disk", ["kind": event.kind.rawValue])
            let key = EventKey(event)
            guard !unsaved.contains(where: { EventKey($0) == key }) else { return false }
            unsaved = unsaved.suffix(99) + [event]
            return true
        }
    }

    /// Brings events to the server until none is left or one attempt fails.
    ///
    /// Calls at the same time share one run; what came after it had looked is brought by one more.
    ///
    /// - Parameter hurry: Whether to try at once what failed before.
    /// - Returns: What came of it.
    func flush(hurry: Bool) async -> Report {
        if let flight {
            let report = await flight.value
            guard waitingCount() > 0, machine.opening(at: time.now()) == nil else { return report }
            if let next = self.flight { return await next.value }
            return await run()
        }
        if hurry { machine.retryNow() }
        return await run()
    }

    private func run() async -> Report {
        let task = Task {
            let report = await self.empty()
            self.flight = nil
            return report
        }
        flight = task
        return await task.value
    }

    /// Forgets all events that wait, whoever wrote them.
    func forget() {
        unsaved = []
        findOthers()
        try? own.forget()
        for file in others.keys { try? others[file]?.forget() }
    }

    /// When ``flush(hurry:)`` has something to do; `nil`: not before another event comes.
    func nextDue() -> Timestamp? {
        guard waitingCount() > 0 else { return nil }
        let now = time.now()
        return machine.opening(at: now) ?? now
    }

    /// How many events wait, in all spools that this process empties.
    func waitingCount() -> Int {
        findOthers()
        var count = unsaved.count + ((try? own.count()) ?? 0)
        for file in others.keys { count += (try? others[file]?.count()) ?? 0 }
        return count
    }

    // MARK: - Private

    private static func file(of process: String, in folder: URL) -> URL {
        folder.appendingPathComponent("events-\(process).spool")
    }

    /// Which spool a batch comes from.
    private enum Source: Equatable {
        case own
        case other(URL)
        case unsaved
    }

    private func findOthers() {
        guard emptiesOthers,
            let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        else { return }
        for file in files where file.pathExtension == "spool" && file.lastPathComponent.hasPrefix("events-") {
            guard file.lastPathComponent != own.file.lastPathComponent, others[file] == nil else { continue }
            others[file] = EventSpool(file: file)
        }
    }

    private func empty() async -> Report {
        var report = Report()
        findOthers()
        for source in [Source.own, .unsaved] + others.keys.map(Source.other) {
            while machine.opening(at: time.now()) == nil {
                guard let batch = try? first(of: source), !batch.isEmpty else { break }
                guard await bring(batch, from: source, &report) else { break }
            }
        }
        report.waiting = waitingCount()
        return report
    }

    /// - Returns: Whether it makes sense to go on.
    private func bring(_ batch: [Event], from source: Source, _ report: inout Report) async -> Bool {
        let reply = await api.report(EventBatch(events: batch))
        let answer = Self.answer(reply)
        let verdict = machine.finish(answer, count: batch.count, at: time.now(), jitter: random.fraction())
        if case .taken(let taken) = answer {
            report.counted += taken.counted
            report.repeated += taken.repeated
            report.dropped += taken.rejected.count
            if !taken.rejected.isEmpty {
                log(.warning, "The server rejected events", ["count": "\(taken.rejected.count)"])
            }
        }
        switch verdict {
        case .finish: return finish(batch, in: source)
        case .drop:
            report.dropped += batch.count
            log(.warning, "Events were given up: the server does not take them", ["count": "\(batch.count)"])
            return finish(batch, in: source)
        case .split: return true
        case .wait: return false
        }
    }

    private func first(of source: Source) throws(CarillonError) -> [Event] {
        switch source {
        case .own: try own.first(machine.batchSize)
        case .other(let file): try others[file]?.first(machine.batchSize) ?? []
        case .unsaved: Array(unsaved.prefix(machine.batchSize))
        }
    }

    /// - Returns: Whether it is written down; if not, going on would send the same batch again and again.
    private func finish(_ batch: [Event], in source: Source) -> Bool {
        do throws(CarillonError) {
            switch source {
            case .own: try own.finish(batch)
            case .other(let file): try others[file]?.finish(batch)
            case .unsaved:
                let keys = Set(batch.map(EventKey.init))
                unsaved.removeAll { keys.contains(EventKey($0)) }
            }
            return true
        } catch {
            log(.warning, "What was sent cannot be written down; it will be sent again")
            return false
        }
    }

    private static func answer(_ reply: ServerReply<EventBatchAnswer>) -> UploadMachine.Answer {
        switch reply {
        case .taken(let answer): .taken(answer)
        case .refused(let problem): .refused(problem)
        case .later(let retryAfter): .failed(retryAfter: retryAfter)
        case .unreachable: .failed(retryAfter: nil)
        }
    }
}
