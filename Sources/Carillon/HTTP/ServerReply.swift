package import CarillonModel
package import Foundation

/// What came of asking the server.
package enum ServerReply<Value: Sendable>: Sendable {
    /// It did what it was asked to.
    case taken(Value)
    /// It said no, and will say no again to the same question.
    case refused(Problem)
    /// It cannot now; it may have said after how many seconds to ask again.
    case later(retryAfter: TimeInterval?)
    /// No answer came, or none that makes sense: another machine may have answered, as in a hotel's network.
    case unreachable
}

extension ServerReply {
    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - answer: The answer; `nil` when none came.
    ///   - now: The time, to which a date in `Retry-After` is compared.
    ///   - read: Reads the body of a success; `nil` when it makes no sense.
    init(_ answer: TransportAnswer?, now: Timestamp, read: (Data) -> Value?) {
        guard let answer else {
            self = .unreachable
            return
        }
        switch answer.status {
        case 200..<300: self = read(answer.body).map { .taken($0) } ?? .unreachable
        case 408, 429, 500..<600:
            self = .later(retryAfter: RetryAfter.seconds(answer.headers["retry-after"], now: now))
        case 400..<500: self = .refused(Self.problem(answer))
        default: self = .unreachable
        }
    }

    private static func problem(_ answer: TransportAnswer) -> Problem {
        (try? JSONDecoder().decode(Problem.self, from: answer.body))
            ?? Problem(code: "http-\(answer.status)", title: "HTTP status \(answer.status)", status: answer.status)
    }
}

/// The header `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
enum RetryAfter {
    static func seconds(_ text: String?, now: Timestamp) -> TimeInterval? {
        guard let text else { return nil }
        if let seconds = Int(text) { return seconds < 0 ? nil : TimeInterval(seconds) }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: text).map { max(0, $0.timeIntervalSince(now.date)) }
    }
}
