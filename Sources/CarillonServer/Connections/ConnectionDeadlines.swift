package import NIOCore

/// How slow the other end of a connection may be.
package struct ConnectionLimits: Hashable, Sendable {
    /// How long the server may wait for a request's body, beside the time that its bytes take at ``leastRate``.
    package var requestTime = TimeAmount.seconds(60)
    /// How long an answer may wait to be read, beside the time that its bytes take at ``leastRate``.
    package var answerTime = TimeAmount.seconds(60)
    /// Bytes a second, 1 or more.
    package var leastRate = 16 * 1_024
    /// How long the rest of a request that was answered early is read, and dropped.
    package var restTime = TimeAmount.seconds(5)
    /// How many bytes of it.
    package var restSize = 128 * 1_024
    /// Connections of one address, of version 6 of one block of 64 bits; `nil` does not bound them.
    package var perAddress: Int? = 2_000

    package init() {}
}

/// Why the server ends a connection.
package enum ConnectionEnd: String, Sendable, CaseIterable {
    /// A request came too slowly.
    case slowRequest = "slow-request"
    /// An answer was not read.
    case unreadAnswer = "unread-answer"
    /// Too much of a request was left when it was answered.
    case restTooLong = "rest-too-long"
    /// Its address has as many connections as it may have.
    case tooManyOfAddress = "address"
}

/// Tells until when the other end of a connection must have sent its request and read its answer.
///
/// A pure value: it takes what happens on the connection together with the time, and the caller closes the connection.
/// These rules hold:
/// - A request's body comes at a least rate. Only the time in which the server wants to read counts: a store that is
///   slow to take an import costs the client nothing.
/// - A request that is answered before it is read to its end is read a little further, so that the client finds the
///   answer and the connection can be used again; beyond that the connection ends.
/// - While more of an answer is buffered than the socket takes, the answer must be read at a least rate. Answers that
///   come piece by piece, as streams of progress do, may take any time.
///
/// How long a connection may be quiet between requests, and how long the head of a request may take, is the library's
/// to bound.
struct ConnectionDeadlines {
    /// A request whose body has not come to its end.
    private struct Reading {
        var declaredSize: Int?
        var size = 0
        /// How long was waited for it, without the current wait.
        var waited = TimeAmount.zero
        /// What comes after its answer.
        var rest: Rest?
    }

    private struct Rest {
        var begunAt: NIODeadline
        var size = 0
    }

    /// An answer of which the socket takes no more.
    private struct Unread {
        var begunAt: NIODeadline
        var size: Int
    }

    /// What a channel buffers before it says that it takes no more.
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

    /// A request begins.
    ///
    /// - Parameters:
    ///   - declaredSize: Its `Content-Length`; `nil` when it does not say.
    ///   - now: When.
    mutating func receiveHead(declaredSize: Int?, now: NIODeadline) {
        unansweredRequests += 1
        reading = Reading(declaredSize: declaredSize)
        if waitingSince != nil { waitingSince = now }
    }

    /// A part of its body came.
    ///
    /// - Returns: Why the connection must end; `nil` when it goes on.
    mutating func receiveBody(size: Int) -> ConnectionEnd? {
        reading?.size += size
        reading?.rest?.size += size
        guard let rest = reading?.rest, rest.size > limits.restSize else { return nil }
        return .restTooLong
    }

    /// The request is there as a whole.
    mutating func receiveEnd() { reading = nil }

    /// The server wants to read.
    mutating func beginWaiting(now: NIODeadline) {
        if waitingSince == nil { waitingSince = now }
    }

    /// The server has read what there was.
    mutating func endWaiting(now: NIODeadline) {
        if let waitingSince, let waited = reading?.waited { reading?.waited = waited + (now - waitingSince) }
        waitingSince = nil
    }

    // MARK: Answers

    /// An answer begins.
    ///
    /// - Returns: Whether it must announce that the connection ends, because more of the request is to come than is
    ///   read after its answer.
    mutating func sendHead() -> Bool {
        guard unansweredRequests == 1, let reading else { return false }
        guard let declared = reading.declaredSize else { return true }
        return declared - reading.size > limits.restSize
    }

    /// A part of an answer is written.
    mutating func sendBody(size: Int) {
        lastWriteSize = size
        unread?.size += size
    }

    /// An answer ends; what is not read of its request is rest.
    mutating func sendEnd(now: NIODeadline) {
        lastWriteSize = 0
        guard unansweredRequests > 0 else { return }
        unansweredRequests -= 1
        if unansweredRequests == 0 { reading?.rest = Rest(begunAt: now) }
    }

    /// The socket takes more again, or no more.
    mutating func changeWritability(_ isWritable: Bool, now: NIODeadline) {
        if isWritable {
            unread = nil
        } else if unread == nil {
            unread = Unread(begunAt: now, size: Self.highWatermark + lastWriteSize)
        }
    }

    // MARK: Time

    /// When ``violation(at:)`` is to be asked next; `nil` when nothing is waited for.
    var deadline: NIODeadline? {
        [requestDeadline, restDeadline, answerDeadline].compactMap(\.self).min()
    }

    /// Why the connection must end now; `nil` when it goes on.
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

    /// How long so many bytes take at the least rate.
    private func time(of size: Int) -> TimeAmount {
        .nanoseconds(Int64(Double(size) / Double(limits.leastRate) * 1e9))
    }
}
