package import CarillonModel
package import Foundation

/// Events on disk until they are uploaded.
///
/// An append-only file of lines, each with its checksum, so that a line that a crash or a full disk tore is skipped and
/// affects no other. A line adds an event or marks events as done; the file is compacted when most of it is done. App and
/// extension have a file each; a lock serializes their access when the app uploads the extension's.
package struct EventSpool: Sendable {
    /// The capacity; the oldest events are dropped first.
    package struct Limits: Equatable, Sendable {
        /// The maximum of events.
        package var count = 2_000
        /// The maximum of bytes of events.
        package var bytes = 1_048_576
        /// How many done events are remembered, so that they are not added again.
        package var remembered = 1_000

        package init() {}
    }

    package let file: URL
    private let limits: Limits
    private let lock: FileLock
    private var contents = SpoolContents()
    private var mark: AtomicFile.Mark?

    /// Makes a spool of a file; its folder must exist.
    package init(file: URL, limits: Limits = Limits()) {
        self.file = file
        self.limits = limits
        lock = FileLock(file: file.appendingPathExtension("lock"))
    }

    /// How many events were dropped because there were too many.
    package var droppedCount: Int { contents.droppedCount }

    /// Adds an event, unless one with the same key was added before.
    ///
    /// - Parameter event: The event.
    /// - Returns: Whether it was added.
    /// - Throws: ``CarillonError`` when it cannot be written; the spool does not have it then.
    package mutating func append(_ event: Event) throws(CarillonError) -> Bool {
        try exclusively { spool in
            guard !spool.contents.contains(EventKey(event)) else { return false }
            try spool.write([.event(event)])
            let surplus = spool.contents.surplus(limits: spool.limits)
            if surplus > 0 { try spool.write([.dropped(surplus)]) }
            return true
        }
    }

    /// The oldest events.
    ///
    /// - Parameter count: The maximum of events.
    /// - Returns: The events, oldest first; empty when there are none.
    /// - Throws: ``CarillonError`` when the file cannot be read.
    package mutating func first(_ count: Int) throws(CarillonError) -> [Event] {
        try exclusively { spool in Array(spool.contents.live.prefix(count).map(\.event)) }
    }

    /// How many events wait.
    package mutating func count() throws(CarillonError) -> Int {
        try exclusively { spool in spool.contents.live.count }
    }

    /// Marks events as done.
    ///
    /// The latest of them are remembered, so that they are not added again.
    ///
    /// - Parameter events: The events.
    /// - Throws: ``CarillonError`` when it cannot be written; ``first(_:)`` may return them again then.
    package mutating func finish(_ events: [Event]) throws(CarillonError) {
        guard !events.isEmpty else { return }
        try exclusively { spool in
            try spool.write([.done(events.map(EventKey.init))])
            if spool.contents.isWorthCompacting { try spool.compact() }
        }
    }

    /// Erases all events and what is remembered.
    ///
    /// - Throws: ``CarillonError`` when it cannot be written.
    package mutating func erase() throws(CarillonError) {
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

    /// Reads the file again if another process has changed it.
    private mutating func reload() throws {
        let now = AtomicFile.mark(of: file)
        guard now != mark || mark == nil else { return }
        contents = SpoolContents(text: now == nil ? Data() : try Data(contentsOf: file))
        mark = now
    }

    private mutating func write(_ records: [SpoolRecord]) throws {
        // The last line may be torn: begin with a new one.
        var data = contents.endsTorn ? Data([0x0A]) : Data()
        for record in records { data.append(try record.line()) }
        try AtomicFile.append(data, to: file)
        contents.endsTorn = false
        for record in records { contents.apply(record, size: data.count) }
        mark = AtomicFile.mark(of: file)
    }

    private mutating func compact() throws {
        var data = Data()
        contents.trimDone(to: limits.remembered)
        for record in contents.records { data.append(try record.line()) }
        try AtomicFile.write(data, to: file)
        contents = SpoolContents(text: data)
        mark = AtomicFile.mark(of: file)
    }
}
