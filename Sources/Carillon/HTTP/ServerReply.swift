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
    case unreachable(CarillonError.Cause?)
}

extension ServerReply {
    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - outcome: The answer, or why none came.
    ///   - now: The time, to which a date in `Retry-After` is compared.
    ///   - read: Reads the body of a success; `nil` when it makes no sense.
    init(
        _ outcome: Result<TransportAnswer, TransportFailure>,
        now: Timestamp,
        read: (Data) -> Value?
    ) {
        let answer: TransportAnswer
        switch outcome {
        case .success(let some): answer = some
        case .failure(let failure):
            self = .unreachable(failure.cause)
            return
        }
        switch answer.status {
        case 200..<300: self = read(answer.body).map { .taken($0) } ?? .unreachable(.badAnswer)
        case 408, 429, 500..<600:
            self = .later(retryAfter: RetryAfter.seconds(answer.headers["retry-after"], now: now))
        case 400..<500: self = .refused(Self.problem(answer))
        default: self = .unreachable(.badAnswer)
        }
    }

    /// The value, or what to throw.
    func get() throws(CarillonError) -> Value {
        switch self {
        case .taken(let value): return value
        case .refused(let problem) where problem.code == ProblemCode.userRequired: throw .userRequired
        case .refused(let problem): throw .refused(problem)
        case .later(let seconds): throw .unavailable(seconds)
        case .unreachable(let cause): throw .unreachable(cause)
        }
    }

    /// Whether the server does not know the Device.
    var isUnknownDevice: Bool {
        if case .refused(let problem) = self { problem.code == ProblemCode.unknownDevice } else { false }
    }

    /// When to ask again, as the server said, if it did.
    var retryAfter: TimeInterval? {
        if case .later(let seconds) = self { seconds } else { nil }
    }

    private static func problem(_ answer: TransportAnswer) -> Problem {
        (try? JSONDecoder().decode(Problem.self, from: answer.body))
            ?? Problem(code: "http-\(answer.status)", title: "HTTP status \(answer.status)", status: answer.status)
    }
}

/// Codes of the server's problems that the SDK does something about.
enum ProblemCode {
    static let unknownDevice = "unknown-device"
    static let wrongSecret = "wrong-device-secret"
    static let userRequired = "user-required"
    static let unknownCallToken = "unknown-voip-token"
}

/// Why no answer came.
struct TransportFailure: Error {
    let cause: CarillonError.Cause

    init(_ error: any Error) {
        switch (error as? URLError)?.code {
        // The exchange is cancelled when its time is over.
        case .timedOut, .cancelled: cause = .timedOut
        case .appTransportSecurityRequiresSecureConnection: cause = .insecure
        case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
            cause = .badAnswer
        default: cause = .noNetwork
        }
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
