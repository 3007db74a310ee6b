/// Misbehaviour on command: what happens to the next requests instead of being accepted.
///
/// Only requests that Apple would accept are hit. One that deserves a refusal gets it, and the fault waits.
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
        /// Answers nothing on this connection any more, as a network that swallows everything does. With a latency, the
        /// whole connection stands still for that long, and then goes on as if nothing had been.
        case stall
        /// Answers as usual, and changes how many streams the connection may have open.
        case streamLimit
    }

    package var kind: Kind
    /// How many requests it hits; nil: until it is removed.
    package var count: Int?
    /// The share of requests it hits, above 0 through 100; nil: all.
    ///
    /// Shares are of all requests: 10 and 20 hit 10 and 20 of 100, and leave 70 alone.
    package var percent: Double?
    /// The one device token it hits, as bytes; nil: all.
    package var token: [UInt8]?
    /// The one topic or bundle identifier it hits, as the request names it; nil: all.
    package var topic: String?
    /// The one listener it hits, by its name; nil: all.
    package var listener: String?
    /// What it hits: notifications, unless told otherwise.
    package var families: Set<PathFamily> = [.devices]
    /// From when on it hits, on the simulator's clock; nil: at once.
    package var start: SimulatedTime?
    /// From when on it hits no more; nil: never.
    package var end: SimulatedTime?
    /// 400 through 599; nil: as usual.
    package var status: Int?
    /// What the answer, or the debug data of GOAWAY, says; nil: `InternalServerError`, or `Shutdown` in GOAWAY.
    package var reason: String?
    package var timestamp: SimulatedTime?
    package var latency: Latency?
    /// The HTTP/2 error code of a reset or a GOAWAY; nil: 2, INTERNAL_ERROR, of a reset, and 0 of a GOAWAY.
    ///
    /// 7, REFUSED_STREAM, tells the client that nothing happened.
    package var errorCode: UInt32?
    /// How many GOAWAY frames come in a row.
    package var goAwayCount = 1
    /// Whether the debug data of GOAWAY is empty.
    package var hasEmptyDebug = false
    /// The new limit of ``Kind/streamLimit``.
    package var streamLimit: UInt32?
    /// Whether the notification counts and is delivered although the answer says otherwise or never comes.
    package var takesEffect = false

    /// Names it among those in force; 0 before.
    package internal(set) var id = 0
    /// How many requests it has hit.
    package internal(set) var hits = 0

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
        takesEffect || kind == .streamLimit || isDelay || (kind == .stall && latency != nil)
    }

    /// Whether all it does is to answer late; then another may hit the same request.
    var isDelay: Bool {
        kind == .answer && status == nil
    }

    func apply(to reply: inout Reply, random: inout SplitMix64) {
        let delay = latency.map { $0.draw(using: &random) }
        switch kind {
        case .answer, .streamLimit:
            if let delay {
                reply.manner = .delayed(delay)
            }
            if let status {
                reply.refuse(status, reason ?? "InternalServerError", timestamp: timestamp)
            }
            if kind == .streamLimit {
                reply.rare = reply.rare ?? Reply.Rare()
                reply.rare?.streamLimit = streamLimit
            }
        case .reset: reply.manner = .reset(errorCode ?? 2)
        case .goAway:
            let reason = hasEmptyDebug ? nil : reason ?? "Shutdown"
            reply.manner = .goAway(Goodbye(reason: reason, errorCode: errorCode ?? 0, count: goAwayCount))
        case .close: reply.manner = .close
        case .stall: reply.manner = delay.map { .pause($0) } ?? .stall
        }
    }
}
