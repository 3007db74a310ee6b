import ApplePush
import NIOCore

/// The progress of a slice on a connection.
struct SliceProgress {
    /// How often a stream of one notification may be refused before it is returned unsent.
    static let refusalLimit: UInt8 = 3

    let slice: BatchSlice
    var outcomes: [Outcome]
    /// The first unsent member.
    var next = 0
    /// Number of members on a stream.
    var open = 0
    /// Whether it is in ``BatchSliceTable/queue``.
    var isQueued = true
    /// Members whose stream was refused, which are sent again before the others.
    var resend: [Int32] = []
    /// Number of refusals of each member; empty until the first.
    private var refusals: [UInt8] = []

    init(_ slice: BatchSlice) {
        self.slice = slice
        outcomes = Array(repeating: .notSent(.connectionLost), count: slice.count)
    }

    var hasUnsent: Bool { next < slice.count || !resend.isEmpty }
    var isFinished: Bool { open == 0 && !hasUnsent }

    /// Records the outcome of a member whose stream has ended; returns whether it was the last.
    @inline(__always)
    mutating func complete(_ position: Int, _ outcome: Outcome) -> Bool {
        outcomes[position] = outcome
        open -= 1
        return isFinished
    }

    /// Records a refusal; `false` when there were too many.
    mutating func resendRefused(_ position: Int32) -> Bool {
        if refusals.isEmpty { refusals = Array(repeating: 0, count: slice.count) }
        refusals[Int(position)] += 1
        guard refusals[Int(position)] <= Self.refusalLimit else { return false }
        resend.append(position)
        return true
    }

    /// Gives all members without a stream the same outcome.
    mutating func giveBackUnsent(_ failure: Failure) {
        for position in resend { outcomes[Int(position)] = .notSent(failure) }
        for position in next..<slice.count { outcomes[position] = .notSent(failure) }
        resend = []
        next = slice.count
    }
}

/// The slices of a connection, in dense slots, and the order in which they are sent.
struct BatchSliceTable {
    private(set) var slots: [SliceProgress?] = []
    private var free: [Int] = []
    /// The slots of slices with unsent members, in order.
    private(set) var queue = CircularBuffer<Int>()

    var isEmpty: Bool { free.count == slots.count }

    /// The slots in use.
    var used: [Int] { slots.indices.filter { slots[$0] != nil } }

    mutating func add(_ slice: BatchSlice) {
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
            slots[slot] = SliceProgress(slice)
        } else {
            slot = slots.count
            slots.append(SliceProgress(slice))
        }
        queue.append(slot)
    }

    /// The slice in a slot, for changes in place.
    subscript(slot: Int) -> SliceProgress? {
        @inline(__always) _read { yield slots[slot] }
        @inline(__always) _modify { yield &slots[slot] }
    }

    /// Records an outcome in place: a slice is too large to be copied for each.
    @inline(__always)
    mutating func complete(_ slot: Int, _ position: Int, _ outcome: Outcome) -> Bool {
        slots[slot]?.complete(position, outcome) ?? false
    }

    mutating func remove(_ slot: Int) -> SliceProgress? {
        let progress = slots[slot]
        slots[slot] = nil
        free.append(slot)
        if progress?.isQueued == true { queue.removeAll { $0 == slot } }
        return progress
    }

    /// Removes the first slice from the queue.
    mutating func dequeue() {
        if let slot = queue.popFirst() { slots[slot]?.isQueued = false }
    }

    /// Moves a slice to the front, unless it is queued.
    mutating func requeue(_ slot: Int) {
        guard slots[slot]?.isQueued == false else { return }
        slots[slot]?.isQueued = true
        queue.prepend(slot)
    }
}
