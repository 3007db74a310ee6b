package import CarillonModel
package import Foundation

/// Events on disk until the server has them.
///
/// An append-only file of lines, each with its checksum, so that a line torn by a crash or a full disk is left out and
/// spoils no other. A line adds an event or says that events are done; once much of the file is done it is written anew.
/// App and extension have a file each; when the app empties the extension's, a lock keeps the two apart.
package struct EventSpool: Sendable {
    /// How much is kept; the oldest goes first.
    package struct Limits: Equatable, Sendable {
        /// The most events.
        package var count = 2_000
        /// The most bytes of events.
        package var bytes = 1_048_576
        /// How many events that are done are remembered, so that none is added again.
        package var remembered = 1_000

        package init() {}
    }

    package let file: URL
    private let limits: Limits
    private let lock: FileLock
    private var contents = SpoolContents()
    private var mark: AtomicFile.Mark?

    /// Names a spool's file; its folder must exist.
    package init(file: URL, limits: Limits = Limits()) {
        self.file = file
        self.limits = limits
        lock = FileLock(file: file.appendingPathExtension("lock"))
    }

    /// How many events were thrown away because there were too many.
    package var droppedCount: Int { contents.droppedCount }

    /// Adds an event, unless one of the same key was added before.
    ///
    /// - Parameter event: The event.
    /// - Returns: Whether it was added.
    /// - Throws: ``CarillonError`` when it cannot be written; it is not in the spool then.
    package mutating func append(_ event: Event) throws(CarillonError) -> Bool {
        try exclusively { spool in
            guard !spool.contents.knows(EventKey(event)) else { return false }
            try spool.write([.event(event)])
            let surplus = spool.contents.surplus(limits: spool.limits)
            if surplus > 0 { try spool.write([.dropped(surplus)]) }
            return true
        }
    }

    /// The oldest events.
    ///
    /// - Parameter count: How many at most.
    /// - Returns: The events, oldest first; empty when none waits.
    /// - Throws: ``CarillonError`` when the file cannot be read.
    package mutating func first(_ count: Int) throws(CarillonError) -> [Event] {
        try exclusively { spool in Array(spool.contents.live.prefix(count).map(\.event)) }
    }

    /// How many events wait.
    package mutating func count() throws(CarillonError) -> Int {
        try exclusively { spool in spool.contents.live.count }
    }

    /// Says that events are done.
    ///
    /// They are remembered for a while, so that they are not added again.
    ///
    /// - Parameter events: Which ones.
    /// - Throws: ``CarillonError`` when it cannot be written; they may be handed out again then.
    package mutating func finish(_ events: [Event]) throws(CarillonError) {
        guard !events.isEmpty else { return }
        try exclusively { spool in
            try spool.write([.done(events.map(EventKey.init))])
            if spool.contents.isWorthCompacting { try spool.compact() }
        }
    }

    /// Empties the file; nothing of it is remembered.
    ///
    /// - Throws: ``CarillonError`` when it cannot be written.
    package mutating func forget() throws(CarillonError) {
        try exclusively { spool in
            try AtomicFile.write(Data(), to: spool.file)
            spool.contents = SpoolContents()
            spool.mark = AtomicFile.mark(of: spool.file)
        }
    }

    // MARK: - Private

    private mutating func exclusively<Result>(
        _ body: (inout EventSpool) throws -> Result
    ) throws(CarillonError) -> Result {
        do {
            return try lock.withLock {
                try reload()
                return try body(&self)
            }
        } catch {
            mark = nil
            throw .storage("the events on disk cannot be read or written")
        }
    }

    /// Reads the file if another process changed it since.
    private mutating func reload() throws {
        let now = AtomicFile.mark(of: file)
        guard now != mark || mark == nil else { return }
        contents = SpoolContents(text: now == nil ? Data() : try Data(contentsOf: file))
        mark = now
    }

    private mutating func write(_ records: [SpoolRecord]) throws {
        // A torn line may stand at the end: begin with a line of our own.
        var data = contents.endsTorn ? Data([0x0A]) : Data()
        for record in records { data.append(try record.line()) }
        try AtomicFile.append(data, to: file)
        contents.endsTorn = false
        for record in records { contents.apply(record, size: data.count) }
        mark = AtomicFile.mark(of: file)
    }

    private mutating func compact() throws {
        var data = Data()
        contents.forget(allBut: limits.remembered)
        for record in contents.records { data.append(try record.line()) }
        try AtomicFile.write(data, to: file)
        contents = SpoolContents(text: data)
        mark = AtomicFile.mark(of: file)
    }
}
