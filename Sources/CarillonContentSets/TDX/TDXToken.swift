package import CarillonModel
import CarillonReaders

/// The access token of TDX: fetched once, used until it expires, renewed once after a refusal.
///
/// A value without I/O: it says what to do next, and the caller does it.
package struct TDXToken: Hashable, Sendable {
    /// What to do before the next request.
    package enum Step: Hashable, Sendable {
        /// Ask with this token.
        case use(String)
        /// Fetch a token first.
        case fetch
        /// Ask no more before this time: TDX asked for a pause.
        case wait(until: Timestamp)
    }

    /// What an answer means.
    package enum Consequence: Hashable, Sendable {
        /// Its body is the data.
        case accepted
        /// Ask again, as ``TDXToken/step(at:)`` says.
        case again
        /// Give up: the credentials are refused, or the answer is an error.
        case refused
    }

    /// A token that has less time than this is renewed before it is used.
    private static let margin: Int64 = 60_000
    private static let firstPause: Int64 = 2_000
    private static let longestPause: Int64 = 300_000
    /// Longest life that is believed: a day.
    private static let longestLife: Int64 = 86_400

    private var token: String?
    private var expiresAt = Timestamp(rawValue: 0)
    private var pausedUntil = Timestamp(rawValue: 0)
    private var pause = Self.firstPause
    /// Whether the token is one that was fetched after a refusal.
    private var isRenewed = false

    package init() {}

    package func step(at now: Timestamp) -> Step {
        if now < pausedUntil { return .wait(until: pausedUntil) }
        guard let token, now.rawValue + Self.margin < expiresAt.rawValue else { return .fetch }
        return .use(token)
    }

    /// Reads the answer of the token's address.
    ///
    /// - Returns: False when it has no token.
    package mutating func receive(_ body: [UInt8], at now: Timestamp) -> Bool {
        guard let answer = try? JSONParser.value(body[...]), let text = answer["access_token"]?.string,
            (1...8_192).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let life = answer["expires_in"]?.integer, life > 0
        else { return false }
        token = text
        expiresAt = Timestamp(rawValue: now.rawValue + min(life, Self.longestLife) * 1_000)
        return true
    }

    /// Notes the status of an answer to a request with the token.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: The pause that the answer asks for, in seconds.
    ///   - now: The current time.
    /// - Returns: What to do with the answer.
    package mutating func note(status: Int, retryAfter: Int?, at now: Timestamp) -> Consequence {
        switch status {
        case 200..<300:
            (pause, isRenewed) = (Self.firstPause, false)
            return .accepted
        case 401:
            token = nil
            guard !isRenewed else { return .refused }
            isRenewed = true
            return .again
        case 429:
            let asked = retryAfter.map { min(Int64(max(0, $0)) * 1_000, Self.longestPause) } ?? 0
            pausedUntil = Timestamp(rawValue: now.rawValue + max(asked, pause))
            pause = min(2 * pause, Self.longestPause)
            return .again
        default: return .refused
        }
    }
}

/// Pages of an answer of TDX, whose own default is 30 rows.
package struct TDXPages: Hashable, Sendable {
    /// Rows of a page.
    package static let size = 1_000
    /// Maximum number of pages.
    package static let maximumCount = 500

    private var page = 0
    private var isDone = false

    package init() {}

    /// Whether there are more pages than are asked for.
    package var isCutOff: Bool { !isDone && page >= Self.maximumCount }

    /// The query of the next page; `nil` behind the last one, and behind ``maximumCount``.
    package var query: String? {
        guard !isDone, page < Self.maximumCount else { return nil }
        return "$format=JSON&$top=\(Self.size)&$skip=\(page * Self.size)"
    }

    /// Notes how many rows a page had: one with fewer than it may have is the last.
    package mutating func note(count: Int) {
        page += 1
        isDone = count < Self.size
    }
}
