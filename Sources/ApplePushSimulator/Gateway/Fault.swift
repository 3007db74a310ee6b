/// Misbehaviour on command: what happens to the next requests instead of being accepted.
package struct Fault: Hashable, Sendable {
    /// How the simulator misbehaves.
    package enum Kind: String, CaseIterable, Codable, Sendable {
        /// Answers with the fault's status and reason; with neither, as usual, but late.
        case answer
        /// Resets the stream.
        case reset
        /// Sends GOAWAY that leaves the request out, answers the earlier ones, and closes.
        case goAway = "goaway"
        /// Cuts the connection at once, with the answers not yet sent.
        case close
        /// Answers nothing on this connection any more, as a network that swallows everything does.
        case stall
    }

    /// Names the fault while it is in force, 1 and up in the order of their coming; 0 until then.
    package internal(set) var id = 0
    package var kind: Kind
    /// How many requests it hits; nil: until it is removed.
    package var count: Int?
    /// The share of requests it hits, above 0 through 100; nil: all.
    package var percent: Double?
    /// The one device token it hits, as bytes; nil: all.
    package var token: [UInt8]?
    /// 400 through 599; nil: as usual.
    package var status: Int?
    package var reason: String?
    package var timestamp: WallTime?
    package var latency: Duration?
    /// The HTTP/2 error code of a reset.
    ///
    /// 7, REFUSED_STREAM, tells the client that nothing happened.
    package var errorCode: UInt32 = 2
    /// Whether the notification counts and is delivered although the answer says otherwise or never comes.
    package var takesEffect = false

    package init(_ kind: Kind, count: Int? = nil, status: Int? = nil, reason: String? = nil) {
        self.kind = kind
        self.count = count
        self.status = status
        self.reason = reason
    }
}

extension Fault {
    /// Whether the notification counts and is delivered all the same.
    var letsThrough: Bool {
        takesEffect || (kind == .answer && status == nil)
    }

    func apply(to reply: inout Reply) {
        switch kind {
        case .answer:
            if let latency {
                reply.manner = .delayed(latency)
            }
            if let status {
                reply.status = status
                reply.reason = reason ?? "InternalServerError"
                reply.timestamp = timestamp
            }
        case .reset: reply.manner = .reset(errorCode)
        case .goAway: reply.manner = .goAway(reason: reason ?? "Shutdown")
        case .close: reply.manner = .close
        case .stall: reply.manner = .stall
        }
    }
}

/// The faults in force, in the order of their coming.
struct Faults: Sendable {
    private var faults: [Fault] = []
    private var lastID = 0
    private var dice: SplitMix64

    init(seed: UInt64) {
        dice = SplitMix64(state: seed)
    }

    var isEmpty: Bool { faults.isEmpty }
    var all: [Fault] { faults }

    /// - Returns: The fault's id.
    @discardableResult
    mutating func add(_ fault: Fault) -> Int {
        lastID += 1
        var fault = fault
        fault.id = lastID
        faults.append(fault)
        return lastID
    }

    /// - Returns: Whether there was such a fault.
    mutating func remove(id: Int) -> Bool {
        guard let position = faults.firstIndex(where: { $0.id == id }) else { return false }
        faults.remove(at: position)
        return true
    }

    mutating func removeAll() {
        faults.removeAll()
    }

    /// The fault that hits a request, with one taken off its count.
    mutating func next(for token: [UInt8]) -> Fault? {
        for position in faults.indices {
            let fault = faults[position]
            if let wanted = fault.token, wanted != token {
                continue
            }
            if let percent = fault.percent, dice.nextFraction() * 100 >= percent {
                continue
            }
            if let count = fault.count {
                faults[position].count = count - 1
                if count <= 1 {
                    faults.remove(at: position)
                }
            }
            return fault
        }
        return nil
    }
}
