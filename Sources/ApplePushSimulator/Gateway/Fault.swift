/// A fault: what happens to the next requests instead of acceptance.
///
/// Only requests that Apple would accept are hit. A request that Apple would refuse is refused, and does not count as a
/// hit.
package struct Fault: Hashable, Sendable {
    /// How the simulator misbehaves.
    package enum Kind: String, CaseIterable, Codable, Sendable {
        /// Answers with the fault's status and reason; without both, answers normally but late.
        case answer
        /// Resets the stream.
        case reset
        /// Sends GOAWAY that excludes the request, answers the earlier ones, and closes.
        case goAway = "goaway"
        /// Cuts the connection at once, with unsent responses.
        case close
        /// Stops answering on this connection, like a network that drops all packets. With a latency, the whole
        /// connection pauses for that long, and then continues.
        case stall
        /// Answers normally, and changes the connection's limit of concurrent streams.
        case streamLimit
    }

    package var kind: Kind
    /// How many requests it hits; nil for all until it is removed.
    package var count: Int?
    /// The share of requests it hits, above 0 through 100; nil for all.
    ///
    /// Shares are of all requests: 10 and 20 hit 10 and 20 of 100, and leave 70 alone.
    package var percent: Double?
    /// The only device token it hits, as bytes; nil for all.
    package var token: [UInt8]?
    /// The only topic or bundle identifier it hits, as in the request; nil for all.
    package var topic: String?
    /// The name of the only listener it hits; nil for all.
    package var listener: String?
    /// The families it hits; notifications by default.
    package var families: Set<PathFamily> = [.devices]
    /// When it begins, on the simulator's clock; nil for at once.
    package var start: SimulatedTime?
    /// When it ends; nil for never.
    package var end: SimulatedTime?
    /// 400 through 599; nil for the normal status.
    package var status: Int?
    /// The reason in the response or in the debug data of GOAWAY; nil for `InternalServerError`, or `Shutdown` in
    /// GOAWAY.
    package var reason: String?
    package var timestamp: SimulatedTime?
    package var latency: Latency?
    /// The HTTP/2 error code of a reset or a GOAWAY; nil for 2, INTERNAL_ERROR, of a reset, and 0 of a GOAWAY.
    ///
    /// 7, REFUSED_STREAM, tells the client that the request was not processed.
    package var errorCode: UInt32?
    /// Number of GOAWAY frames in a row.
    package var goAwayCount = 1
    /// Whether the debug data of GOAWAY is empty.
    package var hasEmptyDebug = false
    /// The new limit of ``Kind/streamLimit``.
    package var streamLimit: UInt32?
    /// Whether the notification is counted and delivered although its response is an error or missing.
    package var takesEffect = false

    /// Identifies an active fault; 0 before.
    package internal(set) var id = 0
    /// Number of requests hit.
    package internal(set) var hits = 0

    package init(_ kind: Kind, count: Int? = nil, status: Int? = nil, reason: String? = nil) {
        self.kind = kind
        self.count = count
        self.status = status
        self.reason = reason
    }
}

extension Fault {
    /// Whether the notification is counted and delivered nevertheless.
    var letsThrough: Bool {
        takesEffect || kind == .streamLimit || isDelay || (kind == .stall && latency != nil)
    }

    /// Whether it only delays the response, so that another fault may hit the same request.
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
