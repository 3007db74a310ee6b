/// Writes that wait for the one writer: those that serve first, each kind in its order, and not too many.
///
/// A pure value; the caller guards it. It rules the order within a transaction: serving writes until the transaction's
/// time is over, then bulk writes if there is time for one or if the transaction before had none although one waited, so
/// that neither kind waits for ever.
struct WriteQueue<Job: Sendable> {
    private var serving = Fifo<Job>()
    private var bulk = Fifo<Job>()
    private let capacity: Int
    private var bulkWasPassedOver = false
    private var bulkRan = false

    /// Makes an empty queue.
    ///
    /// - Parameter capacity: How many writes of each kind may wait.
    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { serving.isEmpty && bulk.isEmpty }

    /// Lets a write wait.
    ///
    /// - Returns: False when too many wait already; it was not taken then.
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

    /// The next write of the transaction that is open.
    ///
    /// - Parameters:
    ///   - hasTime: Whether the transaction may go on.
    ///   - hasTimeForBulk: Whether a bulk write will probably end within the transaction's time. Those who serve would
    ///     wait for a longer one before they are answered.
    ///   - isFirst: Whether it has no write yet; its first one is given in any case.
    /// - Returns: `nil` when the transaction is to be committed.
    mutating func next(hasTime: Bool, hasTimeForBulk: Bool = true, isFirst: Bool) -> Job? {
        if hasTime || isFirst, let job = serving.popFirst() { return job }
        let mayRunBulk = (hasTime && hasTimeForBulk) || isFirst || (bulkWasPassedOver && !bulkRan)
        guard mayRunBulk, let job = bulk.popFirst() else { return nil }
        bulkRan = true
        return job
    }

    /// Notes that the transaction is over.
    mutating func endTransaction() {
        bulkWasPassedOver = !bulkRan && !bulk.isEmpty
        bulkRan = false
    }

    /// Takes the first of each kind while they fulfil a condition.
    mutating func removeFirst(while condition: (Job) -> Bool) -> [Job] {
        var jobs: [Job] = []
        while let job = serving.popFirst(if: condition) ?? bulk.popFirst(if: condition) { jobs.append(job) }
        return jobs
    }

    /// Takes all that wait, when none of them will be run.
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
