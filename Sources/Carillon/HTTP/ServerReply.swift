import CarillonModel
import Foundation

/// The server's answer to a request, or that there was none.
///
/// The same type for all requests: code that is compiled for each type of answer was once a large part of the SDK's bytes.
indirect enum ServerReply: Sendable {
    /// The request succeeded; the answer's body.
    case success(Data)
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
    ///   - answer: The answer.
    ///   - now: The time, to which a date in `Retry-After` is compared.
    init(_ answer: TransportAnswer, now: Timestamp) {
        switch answer.status {
        case 200..<300: self = .success(answer.body)
        case 408, 429, 500..<600:
            self = .unavailable(retryAfter: RetryAfter.seconds(answer.headers["retry-after"], now: now))
        case 400..<500: self = .refused(Self.problem(answer))
        default: self = .unreachable(.badAnswer)
        }
    }

    /// The value in the body of a success; `nil` when there is none, or none that can be decoded.
    func value<Value: Decodable>(as type: Value.Type) -> Value? {
        guard case .success(let body) = self else { return nil }
        return try? JSONDecoder().decode(type, from: body)
    }

    /// Returns the value in the body of a success, or throws.
    func get<Value: Decodable>(_ type: Value.Type) throws(CarillonError) -> Value {
        guard let value = value(as: type) else { throw error }
        return value
    }

    /// Returns the body of a success, or throws.
    @discardableResult
    func get() throws(CarillonError) -> Data {
        guard case .success(let body) = self else { throw error }
        return body
    }

    /// Why there is no value; of a success, that its body cannot be decoded.
    var error: CarillonError {
        switch self {
        case .success: .unreachable(.badAnswer)
        case .refused(let problem) where problem.code == ProblemCode.userRequired: .userRequired
        case .refused(let problem): .refused(problem)
        case .unavailable(let seconds): .unavailable(seconds)
        case .unreachable(let cause): .unreachable(cause)
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

extension CarillonError.Cause {
    /// Why a transport's error means that there was no answer.
    init(_ error: any Error) {
        switch (error as? URLError)?.code {
        // The exchange is cancelled at its time limit.
        case .timedOut, .cancelled: self = .timedOut
        case .appTransportSecurityRequiresSecureConnection: self = .insecure
        case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData:
            self = .badAnswer
        default: self = .noNetwork
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
