import NIOCore

/// The delayed responses of a connection, soonest first.
///
/// Usually all have the same delay and fall due in order: those are in a queue. Others are in a binary heap. Thousands
/// of delayed responses take one timer either way.
struct DelayedReplies {
    struct Item {
        var due: NIODeadline
        /// Responses that are due at the same time keep their order.
        fileprivate var order: Int
        var stream: Int32
        var reply: Reply

        fileprivate func isSooner(than other: Item) -> Bool { (due, order) < (other.due, other.order) }
    }

    /// Each is due no sooner than the previous one.
    private var queue = CircularBuffer<Item>()
    private var heap: [Item] = []
    private var lastOrder = 0

    /// When the soonest is due; nil when there is none.
    var next: NIODeadline? {
        guard let first = queue.first else { return heap.first?.due }
        return heap.first.map { min($0.due, first.due) } ?? first.due
    }

    mutating func add(_ reply: Reply, on stream: Int32, due: NIODeadline) {
        lastOrder += 1
        let item = Item(due: due, order: lastOrder, stream: stream, reply: reply)
        if queue.last.map({ $0.due <= due }) ?? true {
            queue.append(item)
        } else {
            heap.append(item)
            rise()
        }
    }

    /// Removes and returns the soonest response, if it is due.
    mutating func popDue(at now: NIODeadline) -> Item? {
        guard let next, next <= now else { return nil }
        guard let first = heap.first else { return queue.removeFirst() }
        if let other = queue.first, other.isSooner(than: first) { return queue.removeFirst() }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        sink()
        return first
    }

    // MARK: - Private

    private mutating func rise() {
        var child = heap.count - 1
        while child > 0, heap[child].isSooner(than: heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var soonest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].isSooner(than: heap[soonest]) {
                soonest = child
            }
            guard soonest != parent else { return }
            heap.swapAt(parent, soonest)
            parent = soonest
        }
    }
}
