#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Answer {
    /// The maximum of bytes of an answer's body; Apple's have fewer than 80.
    package static let bodyLimit = 1024

    /// Reads an answer.
    ///
    /// A missing body, or one that is not the documented JSON, gives ``RejectionReason/unstated`` and keeps the status.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - body: The body's bytes, possibly none.
    ///   - uniqueID: The value of `apns-unique-id`, if there was one.
    public init(status: Int, body: some Collection<UInt8>, uniqueID: String? = nil) {
        if status == 200 {
            self = .accepted(uniqueID: uniqueID)
            return
        }
        let content = RejectionBody(canonical: body) ?? RejectionBody(json: body) ?? RejectionBody()
        // Only a 410 has a timestamp; elsewhere it is undefined.
        let since = status == 410 ? content.timestamp.flatMap(Self.date(milliseconds:)) : nil
        self = .rejected(Rejection(content.reason, status: status, tokenInvalidSince: since))
    }

    /// The date of a timestamp in milliseconds; `nil` before 1970 and after the year 9999.
    private static func date(milliseconds: Int64) -> Date? {
        guard (0...253_402_300_799_999).contains(milliseconds) else { return nil }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}

extension RejectionReason {
    /// Reads the reason that APNs gives in the debug data of a GOAWAY, in the same JSON as in an answer.
    ///
    /// - Parameter data: The debug data; anything else than the documented JSON gives `nil`.
    package init?(goAway data: some Collection<UInt8>) {
        guard let content = RejectionBody(canonical: data) ?? RejectionBody(json: data), content.reason != .unstated
        else { return nil }
        self = content.reason
    }
}

/// The JSON of a refusal: `{"reason":"…"}`, with `"timestamp":<ms>` after a 410.
struct RejectionBody: Equatable {
    var reason = RejectionReason.unstated
    var timestamp: Int64?
}

extension RejectionBody {
    /// Reads exactly the form Apple sends, without blanks or escapes; `nil` for any other.
    ///
    /// A campaign meets these by the ten thousand, and a general JSON decoder costs more than sending the notification.
    init?(canonical body: some Collection<UInt8>) {
        var rest = body[...]
        guard body.count <= Answer.bodyLimit, rest.skip(#"{"reason":""#) else { return nil }
        let word = rest.prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && (0x20...0x7E).contains($0) }
        guard word.count <= Self.reasonLimit else { return nil }
        rest = rest[word.endIndex...]
        if rest.skip(#"","timestamp":"#) {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard (1...18).contains(digits.count) else { return nil }
            timestamp = digits.reduce(into: Int64(0)) { $0 = $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            rest = rest[digits.endIndex...]
        } else if !rest.skip("\"") {
            return nil
        }
        guard rest.elementsEqual("}".utf8) else { return nil }
        reason = RejectionReason(rawValue: String(decoding: word, as: UTF8.self))
    }

    /// Reads any JSON object; `nil` when the bytes are none, and no reason when it has none.
    init?(json body: some Collection<UInt8>) {
        guard !body.isEmpty, body.count <= Answer.bodyLimit,
            let form = try? JSONDecoder().decode(Form.self, from: Data(body))
        else { return nil }
        let word = form.reason ?? ""
        reason = word.utf8.count <= Self.reasonLimit ? RejectionReason(rawValue: word) : .unstated
        timestamp = form.timestamp
    }

    private static let reasonLimit = 64

    private struct Form: Decodable {
        let reason: String?
        let timestamp: Int64?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // A member of the wrong type does not invalidate the others.
            reason = try? container.decode(String.self, forKey: .reason)
            timestamp = try? container.decode(Int64.self, forKey: .timestamp)
        }

        private enum CodingKeys: CodingKey {
            case reason
            case timestamp
        }
    }
}

extension Collection<UInt8> where SubSequence == Self {
    /// Moves past `prefix` if the collection begins with it.
    fileprivate mutating func skip(_ prefix: StaticString) -> Bool {
        prefix.withUTF8Buffer { expected in
            guard self.starts(with: expected) else { return false }
            self = dropFirst(expected.count)
            return true
        }
    }
}
