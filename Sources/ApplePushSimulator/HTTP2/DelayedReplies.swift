import NIOCore

/// The answers of one connection that are held back, soonest first.
///
/// A binary heap, so that thousands of late answers cost one timer.
struct DelayedReplies {
    struct Item {
        var due: NIODeadline
        /// Answers that are due at the same time leave in the order they came.
        fileprivate var order: Int
        var stream: Int32
        var reply: Reply
    }

    private var heap: [Item] = []
    private var lastOrder = 0

    /// When the soonest is due; nil: nothing is held back.
    var next: NIODeadline? { heap.first?.due }

    mutating func add(_ reply: Reply, on stream: Int32, due: NIODeadline) {
        lastOrder += 1
        heap.append(Item(due: due, order: lastOrder, stream: stream, reply: reply))
        var child = heap.count - 1
        while child > 0, isSooner(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The soonest answer, when its time has come.
    mutating func popDue(at now: NIODeadline) -> Item? {
        guard let first = heap.first, first.due <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        sink()
        return first
    }

    // MARK: - Private

    private mutating func sink() {
        var parent = 0
        while true {
            var soonest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isSooner(child, soonest) {
                soonest = child
            }
            guard soonest != parent else { return }
            heap.swapAt(parent, soonest)
            parent = soonest
        }
    }

    private func isSooner(_ left: Int, _ right: Int) -> Bool {
        (heap[left].due, heap[left].order) < (heap[right].due, heap[right].order)
    }
}
