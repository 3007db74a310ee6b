package import NIOCore

/// Minimum speed and maximum number of connections.
package struct ConnectionLimits: Hashable, Sendable {
    /// Maximum wait for a request's body, beside the time that its bytes take at ``leastRate``.
    package var requestTime = TimeAmount.seconds(60)
    /// Maximum time until a response is read, beside the time that its bytes take at ``leastRate``.
    package var answerTime = TimeAmount.seconds(60)
    /// Bytes a second, 1 or more.
    package var leastRate = 16 * 1_024
    /// How long the rest of a request that was answered early is read and discarded.
    package var restTime = TimeAmount.seconds(5)
    /// Maximum size of that rest, in bytes.
    package var restSize = 128 * 1_024
    /// Maximum number of connections of one IPv4 address or IPv6 /64 block; unlimited when `nil`.
    package var perAddress: Int? = 2_000

    package init() {}
}

/// Why the server ends a connection.
package enum ConnectionEnd: String, Sendable, CaseIterable {
    /// A request came too slowly.
    case slowRequest = "slow-request"
    /// The response was not read.
    case unreadAnswer = "unread-answer"
    /// Too much of the request was left when it was answered.
    case restTooLong = "rest-too-long"
    /// The address has too many connections.
    case tooManyOfAddress = "address"
}

/// Computes by when the peer of a connection must have sent its request and read its response.
///
/// A pure value: it gets events of the connection with their times, and the caller closes the connection. These rules
/// hold:
/// - A request's body must arrive at a minimum rate. Only the time in which the server wants to read counts: a store
///   that is slow during an import costs the client nothing.
/// - A request that is answered before it is read to its end is read a little further, so that the client gets the
///   response and can reuse the connection; beyond that the connection ends.
/// - While the server buffers a response because the socket is not writable, the response must be read at a minimum
///   rate. Responses in parts, such as progress streams, may take any time.
///
/// The library limits the time between requests and the time of a request's head.
struct ConnectionDeadlines {
    /// A request whose body is incomplete.
    private struct Reading {
        var declaredSize: Int?
        var size = 0
        /// How long the server waited for it, without the current wait.
        var waited = TimeAmount.zero
        /// What follows its response.
        var rest: Rest?
    }

    private struct Rest {
        var begunAt: NIODeadline
        var size = 0
    }

    /// A response that the socket does not accept at the moment.
    private struct Unread {
        var begunAt: NIODeadline
        var size: Int
    }

    /// How much a channel buffers before it becomes unwritable.
    private static let highWatermark = 64 * 1_024

    private let limits: ConnectionLimits
    private var reading: Reading?
    private var unread: Unread?
    /// Since when the server waits for bytes; `nil` while it does not want any.
    private var waitingSince: NIODeadline?
    private var unansweredRequests = 0
    private var lastWriteSize = 0

    init(_ limits: ConnectionLimits) { self.limits = limits }

    // MARK: Requests

    /// Records the begin of a request.
    ///
    /// - Parameters:
    ///   - declaredSize: Its `Content-Length`; `nil` when missing.
    ///   - now: The current time.
    mutating func receiveHead(declaredSize: Int?, now: NIODeadline) {
        unansweredRequests += 1
        reading = Reading(declaredSize: declaredSize)
        if waitingSince != nil { waitingSince = now }
    }

    /// Records a part of the body.
    ///
    /// - Returns: Why the connection must end; `nil` when it continues.
    mutating func receiveBody(size: Int) -> ConnectionEnd? {
        reading?.size += size
        reading?.rest?.size += size
        guard let rest = reading?.rest, rest.size > limits.restSize else { return nil }
        return .restTooLong
    }

    /// Records the end of a request.
    mutating func receiveEnd() { reading = nil }

    /// Records that the server wants to read.
    mutating func beginWaiting(now: NIODeadline) {
        if waitingSince == nil { waitingSince = now }
    }

    /// Records that the server read all bytes that were there.
    mutating func endWaiting(now: NIODeadline) {
        if let waitingSince, let waited = reading?.waited { reading?.waited = waited + (now - waitingSince) }
        waitingSince = nil
    }

    // MARK: Answers

    /// Records the begin of a response.
    ///
    /// - Returns: Whether it must announce that the connection ends, because the request has more left than is read
    ///   after its response.
    mutating func sendHead() -> Bool {
        guard unansweredRequests == 1, let reading else { return false }
        guard let declared = reading.declaredSize else { return true }
        return declared - reading.size > limits.restSize
    }

    /// Records a written part of a response.
    mutating func sendBody(size: Int) {
        lastWriteSize = size
        unread?.size += size
    }

    /// Records the end of a response; what is unread of its request is rest.
    mutating func sendEnd(now: NIODeadline) {
        lastWriteSize = 0
        guard unansweredRequests > 0 else { return }
        unansweredRequests -= 1
        if unansweredRequests == 0 { reading?.rest = Rest(begunAt: now) }
    }

    /// Records whether the socket is writable.
    mutating func changeWritability(_ isWritable: Bool, now: NIODeadline) {
        if isWritable {
            unread = nil
        } else if unread == nil {
            unread = Unread(begunAt: now, size: Self.highWatermark + lastWriteSize)
        }
    }

    // MARK: Time

    /// When to call ``violation(at:)`` next; `nil` when nothing is awaited.
    var deadline: NIODeadline? {
        [requestDeadline, restDeadline, answerDeadline].compactMap(\.self).min()
    }

    /// Why the connection must end now; `nil` when it continues.
    func violation(at now: NIODeadline) -> ConnectionEnd? {
        if let restDeadline, restDeadline <= now { return .restTooLong }
        if let requestDeadline, requestDeadline <= now { return .slowRequest }
        if let answerDeadline, answerDeadline <= now { return .unreadAnswer }
        return nil
    }

    // MARK: - Private

    private var requestDeadline: NIODeadline? {
        guard let reading, reading.rest == nil, let waitingSince else { return nil }
        return waitingSince + (limits.requestTime + time(of: reading.size) - reading.waited)
    }

    private var restDeadline: NIODeadline? {
        (reading?.rest).map { $0.begunAt + limits.restTime }
    }

    private var answerDeadline: NIODeadline? {
        unread.map { $0.begunAt + limits.answerTime + time(of: $0.size) }
    }

    /// How long so many bytes take at the minimum rate.
    private func time(of size: Int) -> TimeAmount {
        .nanoseconds(Int64(Double(size) / Double(limits.leastRate) * 1e9))
    }
}
