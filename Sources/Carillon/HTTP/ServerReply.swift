package import CarillonModel
package import Foundation

/// The server's answer to a request, or that there was none.
package indirect enum ServerReply<Value: Sendable>: Sendable {
    /// The request succeeded.
    case success(Value)
    /// The server refused the request, and would again.
    case refused(Problem)
    /// The server cannot answer now; it may have sent the seconds to wait before a retry.
    case unavailable(retryAfter: TimeInterval?)
    /// There was no answer, or an invalid one, as that of a captive portal.
    case unreachable(CarillonError.Cause?)
}

extension ServerReply {
    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - outcome: The answer, or why there was none.
    ///   - now: The time, to which a date in `Retry-After` is compared.
    ///   - read: Decodes the body of a success; `nil` when it is invalid.
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
        case 200..<300: self = read(answer.body).map { .success($0) } ?? .unreachable(.badAnswer)
        case 408, 429, 500..<600:
            self = .unavailable(retryAfter: RetryAfter.seconds(answer.headers["retry-after"], now: now))
        case 400..<500: self = .refused(Self.problem(answer))
        default: self = .unreachable(.badAnswer)
        }
    }

    /// Returns the value, or throws.
    func get() throws(CarillonError) -> Value {
        switch self {
        case .success(let value): return value
        case .refused(let problem) where problem.code == ProblemCode.userRequired: throw .userRequired
        case .refused(let problem): throw .refused(problem)
        case .unavailable(let seconds): throw .unavailable(seconds)
        case .unreachable(let cause): throw .unreachable(cause)
        }
    }

    /// Whether the server does not know the Device.
    var isUnknownDevice: Bool {
        if case .refused(let problem) = self { problem.code == ProblemCode.unknownDevice } else { false }
    }

    /// The seconds to wait before a retry, if the server sent them.
    var retryAfter: TimeInterval? {
        if case .unavailable(let seconds) = self { seconds } else { nil }
    }

    private static func problem(_ answer: TransportAnswer) -> Problem {
        (try? JSONDecoder().decode(Problem.self, from: answer.body))
            ?? Problem(code: "http-\(answer.status)", title: "HTTP status \(answer.status)", status: answer.status)
    }
}

/// Codes of the server's problems that the SDK handles.
enum ProblemCode {
    static let unknownDevice = "unknown-device"
    static let wrongSecret = "wrong-device-secret"
    static let userRequired = "user-required"
    static let unknownVoIPToken = "unknown-voip-token"
}

/// Why there was no answer.
struct TransportFailure: Error {
    let cause: CarillonError.Cause

    init(_ error: any Error) {
        switch (error as? URLError)?.code {
        // The exchange is cancelled at its time limit.
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
