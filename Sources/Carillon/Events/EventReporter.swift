import CarillonModel
import Foundation

/// Stores events until they are uploaded, and uploads them.
actor EventReporter {
    /// The result of an upload.
    struct Report: Equatable, Sendable {
        /// Events that the server counted.
        var counted = 0
        /// Events that the server knew already.
        var repeated = 0
        /// Events that the server refused.
        var dropped = 0
        /// Events that still wait.
        var waiting = 0
    }

    private var own: EventSpool
    private let folder: URL
    private let uploadsOthers: Bool
    private let api: ServerAPI
    private let time: any TimeSource
    private let random: any RandomSource
    private let log: CarillonLog

    private var machine = UploadMachine()
    private var others: [URL: EventSpool] = [:]
    private var inFlight: Task<Report, Never>?
    /// Events that could not be written; they are uploaded all the same, if the process lives long enough.
    private var unsaved: [Event] = []

    /// Opens the spool of a process.
    ///
    /// - Parameters:
    ///   - folder: The folder of the spools.
    ///   - process: The process's name: 1 through 20 letters.
    ///   - uploadsOthers: Whether to upload other processes' spools too, as the app does.
    ///   - api: The server's API.
    ///   - time: The clock.
    ///   - random: Makes the jitter of retries.
    ///   - log: The app's log.
    init(
        folder: URL,
        process: String,
        uploadsOthers: Bool,
        api: ServerAPI,
        time: any TimeSource,
        random: any RandomSource,
        log: CarillonLog
    ) {
        own = EventSpool(file: Self.file(of: process, in: folder))
        self.folder = folder
        self.uploadsOthers = uploadsOthers
        self.api = api
        self.time = time
        self.random = random
        self.log = log
    }

    /// Saves an event.
    ///
    /// - Parameter event: The event.
    /// - Returns: Whether it is new; false when the same was recorded before.
    func record(_ event: Event) -> Bool {
        do throws(CarillonError) {
            let dropped = own.droppedCount
            let isNew = try own.append(event)
            if own.droppedCount > dropped { log(.warning, "Too many events wait; the oldest was dropped") }
            return isNew
        } catch {
            log(.warning, "An event cannot be saved", ["kind": event.kind.rawValue])
            let key = EventKey(event)
            guard !unsaved.contains(where: { EventKey($0) == key }) else { return false }
            unsaved = unsaved.suffix(99) + [event]
            return true
        }
    }

    /// Uploads events until none is left or a request fails.
    ///
    /// Concurrent calls share one upload; events that are recorded during it are uploaded by one more.
    ///
    /// - Parameter retryNow: Whether to end the backoff after a failure.
    /// - Returns: The result.
    func flush(retryNow: Bool) async -> Report {
        if let inFlight {
            let report = await inFlight.value
            guard waitingCount() > 0, machine.opening(at: time.now()) == nil else { return report }
            if let next = self.inFlight { return await next.value }
            return await run()
        }
        if retryNow { machine.retryNow() }
        return await run()
    }

    private func run() async -> Report {
        let task = Task {
            let report = await self.uploadAll()
            self.inFlight = nil
            return report
        }
        inFlight = task
        return await task.value
    }

    /// Erases all events, of all processes.
    func erase() {
        unsaved = []
        findOthers()
        try? own.erase()
        for file in others.keys { try? others[file]?.erase() }
    }

    /// When ``flush(retryNow:)`` is due; `nil`: not before the next event.
    func nextDue() -> Timestamp? {
        guard waitingCount() > 0 else { return nil }
        let now = time.now()
        return machine.opening(at: now) ?? now
    }

    /// How many events wait, in all spools that this process uploads.
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
        guard uploadsOthers,
            let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        else { return }
        for file in files where file.pathExtension == "spool" && file.lastPathComponent.hasPrefix("events-") {
            guard file.lastPathComponent != own.file.lastPathComponent, others[file] == nil else { continue }
            others[file] = EventSpool(file: file)
        }
    }

    private func uploadAll() async -> Report {
        var report = Report()
        findOthers()
        for source in [Source.own, .unsaved] + others.keys.map(Source.other) {
            while machine.opening(at: time.now()) == nil {
                guard let batch = try? first(of: source), !batch.isEmpty else { break }
                guard await upload(batch, from: source, &report) else { break }
            }
        }
        report.waiting = waitingCount()
        return report
    }

    /// - Returns: Whether to go on with the next request.
    private func upload(_ batch: [Event], from source: Source, _ report: inout Report) async -> Bool {
        let reply = await api.report(EventBatch(events: batch))
        let answer = Self.answer(reply)
        let decision = machine.finish(answer, count: batch.count, at: time.now(), jitter: random.fraction())
        if case .accepted(let answer) = answer {
            report.counted += answer.counted
            report.repeated += answer.repeated
            report.dropped += answer.rejected.count
            if !answer.rejected.isEmpty {
                log(.warning, "The server rejected events", ["count": "\(answer.rejected.count)"])
            }
        }
        switch decision {
        case .finish: return finish(batch, in: source)
        case .drop:
            report.dropped += batch.count
            log(.warning, "The server refused events, which were dropped", ["count": "\(batch.count)"])
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

    /// - Returns: Whether it is saved; otherwise the next batch would be the same one.
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
            log(.warning, "An upload cannot be saved; its events will be sent again")
            return false
        }
    }

    private static func answer(_ reply: ServerReply) -> UploadMachine.Answer {
        switch reply {
        case .success:
            reply.value(as: EventBatchAnswer.self).map(UploadMachine.Answer.accepted) ?? .failed(retryAfter: nil)
        case .refused(let problem): .refused(problem)
        case .unavailable(let retryAfter): .failed(retryAfter: retryAfter)
        case .unreachable: .failed(retryAfter: nil)
        }
    }
}
