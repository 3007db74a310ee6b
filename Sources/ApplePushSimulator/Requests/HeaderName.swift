import Foundation

/// The header fields that the simulator reads; every other field is ``other`` and has no effect.
enum HeaderName: UInt8 {
    case other
    case method
    case path
    case scheme
    case authority
    case authorization
    case apnsID
    case apnsTopic
    case apnsPriority
    case apnsPushType
    case apnsExpiration
    case apnsCollapseID
    case apnsChannelID
    case apnsRequestID

    /// Recognises a field by its bytes, which are in lower case in HTTP/2.
    ///
    /// Runs for every field of every request: length and one byte select the candidate, one comparison decides.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        let candidate = Self.candidate(bytes)
        let spelling = candidate.spelling
        let isSpelled =
            bytes.count == spelling.utf8CodeUnitCount
            && bytes.baseAddress.map { memcmp($0, spelling.utf8Start, bytes.count) == 0 } ?? false
        self = isSpelled ? candidate : .other
    }

    /// Whether it is a field that Apple reads: a duplicate one is answered with `DuplicateHeaders`.
    var isApples: Bool {
        rawValue >= HeaderName.authorization.rawValue
    }

    var spelling: StaticString {
        switch self {
        case .other: ""
        case .method: ":method"
        case .path: ":path"
        case .scheme: ":scheme"
        case .authority: ":authority"
        case .authorization: "authorization"
        case .apnsID: "apns-id"
        case .apnsTopic: "apns-topic"
        case .apnsPriority: "apns-priority"
        case .apnsPushType: "apns-push-type"
        case .apnsExpiration: "apns-expiration"
        case .apnsCollapseID: "apns-collapse-id"
        case .apnsChannelID: "apns-channel-id"
        case .apnsRequestID: "apns-request-id"
        }
    }

    private static func candidate(_ bytes: UnsafeBufferPointer<UInt8>) -> HeaderName {
        switch bytes.count {
        case 5: .path
        case 7: bytes[0] == UInt8(ascii: "a") ? .apnsID : bytes[1] == UInt8(ascii: "m") ? .method : .scheme
        case 10: bytes[0] == UInt8(ascii: ":") ? .authority : .apnsTopic
        case 13: bytes[1] == UInt8(ascii: "u") ? .authorization : .apnsPriority
        case 14: .apnsPushType
        case 15: longest(bytes[5])
        case 16: .apnsCollapseID
        default: .other
        }
    }

    /// Three names have 15 bytes, and differ in the byte after `apns-`.
    private static func longest(_ byte: UInt8) -> HeaderName {
        switch byte {
        case UInt8(ascii: "c"): .apnsChannelID
        case UInt8(ascii: "r"): .apnsRequestID
        default: .apnsExpiration
        }
    }
}
