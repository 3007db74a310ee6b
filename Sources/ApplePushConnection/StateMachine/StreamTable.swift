/// The streams that wait for an answer, in dense slots.
///
/// Stream ids are ascending, so the open ones are in a window of ids; a ring over that window finds an id's slot
/// without hashing. The window reaches back to the oldest open stream, and is bounded: one stream that never ends
/// eventually blocks new ones, until its deadline.
struct StreamTable {
    /// One request in flight.
    struct Stream {
        var id: UInt32
        /// Its slice, or ``StreamTable/noSlice`` when its outcome was already reported.
        var slice: Int32
        /// Its position among the slice's members.
        var position: Int32
        /// The answer's final status; 0 before.
        var status: Int32 = 0
        /// Its send window; may be negative after a change of settings.
        var window: Int
        /// How many bytes of the body were sent.
        var bodySent: Int32
        /// How many bytes of the answer's body were received.
        var received: Int32 = 0
        var isBodySent: Bool
        /// When it was opened, on ``StreamTable/clock``.
        var openedAt: UInt32 = 0

        /// Whether the peer may have processed it: it has the whole request, or has begun to answer.
        var mayBeProcessed: Bool { isBodySent || status != 0 }
    }

    /// Fields of refusals and of the sandbox's answers.
    struct Detail {
        var body: [UInt8] = []
        var uniqueID: String?
    }

    static let noSlice: Int32 = -1
    private static let largestRing = 1 << 20

    private(set) var count = 0
    /// The time in units of 1,024 nanoseconds; wraps around every 73 minutes.
    var clock: UInt32 = 0
    /// The id of the next stream.
    private(set) var nextID: UInt32
    var slots: [Stream] = []
    var details: [Detail] = []
    private var free: [Int32] = []
    /// For each id in the window its slot plus one, or 0.
    private var ring: [Int32]
    private var oldestID: UInt32

    init(firstID: UInt32 = 1) {
        nextID = firstID
        oldestID = firstID
        ring = Array(repeating: 0, count: 1024)
    }

    /// Whether there is an unused id, and room for it in the window.
    var hasRoom: Bool {
        nextID <= 0x7FFF_FFFF && (windowLength < ring.count || ring.count < Self.largestRing)
    }

    /// Number of unused ids.
    var remainingIDs: Int { nextID > 0x7FFF_FFFF ? 0 : Int(0x7FFF_FFFF - nextID) / 2 + 1 }

    /// Whether the stream of this id was never opened.
    func isIdle(_ id: UInt32) -> Bool { id & 1 == 0 || id >= nextID }

    /// The slot of an open stream.
    @inline(__always)
    func slot(of id: UInt32) -> Int? {
        guard id & 1 == 1, id >= oldestID, id < nextID else { return nil }
        let entry = ring[place(of: id)]
        return entry == 0 ? nil : Int(entry) - 1
    }

    /// Opens the next stream; ``hasRoom`` is true.
    @inline(__always)
    mutating func open(
        slice: Int,
        position: Int,
        window: Int,
        bodySent: Int,
        isBodySent: Bool
    ) -> (id: UInt32, slot: Int) {
        if windowLength == ring.count { growRing() }
        let id = nextID
        nextID += 2
        let stream = Stream(
            id: id,
            slice: Int32(truncatingIfNeeded: slice),
            position: Int32(truncatingIfNeeded: position),
            window: window,
            bodySent: Int32(truncatingIfNeeded: bodySent),
            isBodySent: isBodySent,
            openedAt: clock
        )
        let slot: Int
        if let reused = free.popLast() {
            slot = Int(reused)
            slots[slot] = stream
        } else {
            slot = slots.count
            slots.append(stream)
            details.append(Detail())
        }
        ring[place(of: id)] = Int32(truncatingIfNeeded: slot) + 1
        count += 1
        return (id, slot)
    }

    /// Removes an open stream.
    @inline(__always)
    mutating func close(_ slot: Int) {
        let id = slots[slot].id
        ring[place(of: id)] = 0
        slots[slot].id = 0
        free.append(Int32(truncatingIfNeeded: slot))
        count -= 1
        guard id == oldestID else { return }
        while oldestID < nextID, ring[place(of: oldestID)] == 0 { oldestID += 2 }
    }

    /// The slots of all open streams, oldest first.
    var openSlots: [Int] {
        stride(from: oldestID, to: nextID, by: 2).compactMap { slot(of: $0) }
    }

    // MARK: - Private

    private var windowLength: Int { Int(nextID - oldestID) / 2 }

    private func place(of id: UInt32) -> Int { Int(id >> 1) & (ring.count - 1) }

    private mutating func growRing() {
        let open = openSlots
        ring = Array(repeating: 0, count: ring.count * 2)
        for slot in open { ring[place(of: slots[slot].id)] = Int32(truncatingIfNeeded: slot) + 1 }
    }
}
