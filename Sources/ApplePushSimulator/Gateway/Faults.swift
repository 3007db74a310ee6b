/// The active faults, in order of addition.
struct Faults: Sendable {
    /// The properties of a request that select faults.
    struct Target {
        var family: PathFamily
        var listener: Int
        var token: [UInt8]
        var topic: ArraySlice<UInt8>
        var at: SimulatedTime
    }

    private var faults: [Fault] = []
    /// The position of each fault's listener; nil for all.
    private var listeners: [Int?] = []
    private var random: SplitMix64
    private var lastID = 0

    init(seed: UInt64) {
        random = SplitMix64(state: seed)
    }

    var isEmpty: Bool { faults.isEmpty }
    var all: [Fault] { faults }

    /// Adds a fault after the active ones.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - listener: The position of its listener.
    /// - Returns: The fault's id.
    @discardableResult
    mutating func add(_ fault: Fault, listener: Int? = nil) -> Int {
        lastID += 1
        var fault = fault
        fault.id = lastID
        fault.hits = 0
        faults.append(fault)
        listeners.append(listener)
        return lastID
    }

    mutating func remove(id: Int) -> Bool {
        guard let position = faults.firstIndex(where: { $0.id == id }) else { return false }
        remove(at: position)
        return true
    }

    /// Removes faults whose time window is over.
    mutating func removeEnded(at now: SimulatedTime) {
        for position in faults.indices.reversed() where faults[position].end.map({ $0 <= now }) ?? false {
            remove(at: position)
        }
    }

    mutating func removeAll() {
        faults.removeAll()
        listeners.removeAll()
    }

    /// Applies the faults that hit a request to its reply: the first that is not only a delay, and the first delay.
    ///
    /// - Returns: Whether the notification is counted and delivered nevertheless.
    mutating func strike(_ target: Target, reply: inout Reply) -> Bool {
        let delay = next(for: target, isDelay: true)
        delay?.apply(to: &reply, random: &random)
        guard let fault = next(for: target, isDelay: false) else { return true }
        fault.apply(to: &reply, random: &random)
        return fault.letsThrough
    }

    // MARK: - Private

    /// The fault that hits a request; decrements its count.
    private mutating func next(for target: Target, isDelay: Bool) -> Fault? {
        // One random number for all shares, so that they add up.
        var throwLeft = random.nextFraction() * 100
        for position in faults.indices where faults[position].isDelay == isDelay {
            guard hits(target, at: position) else { continue }
            if let percent = faults[position].percent {
                throwLeft -= percent
                guard throwLeft < 0 else { continue }
            }
            faults[position].hits += 1
            let fault = faults[position]
            if let count = fault.count {
                faults[position].count = count - 1
                if count <= 1 {
                    remove(at: position)
                }
            }
            return fault
        }
        return nil
    }

    private func hits(_ target: Target, at position: Int) -> Bool {
        let fault = faults[position]
        guard fault.families.contains(target.family) else { return false }
        guard listeners[position].map({ $0 == target.listener }) ?? true else { return false }
        guard fault.token.map({ $0 == target.token }) ?? true else { return false }
        guard fault.topic.map({ target.topic.elementsEqual($0.utf8) }) ?? true else { return false }
        return fault.start.map { $0 <= target.at } ?? true && fault.end.map { target.at < $0 } ?? true
    }

    private mutating func remove(at position: Int) {
        faults.remove(at: position)
        listeners.remove(at: position)
    }
}
