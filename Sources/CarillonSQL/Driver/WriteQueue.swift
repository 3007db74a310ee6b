/// Waiting writes of the one writer, with a bound: serving writes first, each kind in order.
///
/// A pure value; the caller synchronizes access. A transaction takes serving writes until its time is over, then bulk
/// writes if there is time for one, or if the transaction before had none although one waited, so that neither kind
/// waits for ever.
struct WriteQueue<Job: Sendable> {
    private var serving = Fifo<Job>()
    private var bulk = Fifo<Job>()
    private let capacity: Int
    private var bulkWasPassedOver = false
    private var bulkRan = false

    /// Creates an empty queue.
    ///
    /// - Parameter capacity: How many writes of each kind may wait.
    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { serving.isEmpty && bulk.isEmpty }

    /// Adds a write.
    ///
    /// - Returns: False when too many wait already.
    mutating func append(_ job: Job, priority: WritePriority) -> Bool {
        switch priority {
        case .serving, .heartbeat:
            guard serving.count < capacity else { return false }
            serving.append(job)
        case .bulk:
            guard bulk.count < capacity else { return false }
            bulk.append(job)
        }
        return true
    }

    /// Returns the next write of the open transaction.
    ///
    /// - Parameters:
    ///   - hasTime: Whether the transaction may continue.
    ///   - hasTimeForBulk: Whether a bulk write is expected to end within the transaction's time. A longer one would
    ///     delay the answers of serving writes.
    ///   - isFirst: Whether the transaction has no write yet; the first one is returned in any case.
    /// - Returns: `nil` when the transaction is to be committed.
    mutating func next(hasTime: Bool, hasTimeForBulk: Bool = true, isFirst: Bool) -> Job? {
        if hasTime || isFirst, let job = serving.popFirst() { return job }
        let mayRunBulk = (hasTime && hasTimeForBulk) || isFirst || (bulkWasPassedOver && !bulkRan)
        guard mayRunBulk, let job = bulk.popFirst() else { return nil }
        bulkRan = true
        return job
    }

    /// Records that the transaction is over.
    mutating func endTransaction() {
        bulkWasPassedOver = !bulkRan && !bulk.isEmpty
        bulkRan = false
    }

    /// Removes the first writes of each kind while they satisfy a condition.
    mutating func removeFirst(while condition: (Job) -> Bool) -> [Job] {
        var jobs: [Job] = []
        while let job = serving.popFirst(if: condition) ?? bulk.popFirst(if: condition) { jobs.append(job) }
        return jobs
    }

    /// Removes all writes, when none of them will be run.
    mutating func removeAll() -> [Job] {
        var jobs: [Job] = []
        while let job = serving.popFirst() ?? bulk.popFirst() { jobs.append(job) }
        return jobs
    }
}

/// First in, first out.
private struct Fifo<Element: Sendable> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst(if condition: (Element) -> Bool) -> Element? {
        guard head < elements.count, let element = elements[head], condition(element) else { return nil }
        return popFirst()
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count || head > 1_024 {
            elements.removeSubrange(..<head)
            head = 0
        }
        return element
    }
}
