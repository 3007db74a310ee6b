import NIOCore
import NIOHPACK

/// The relevant fields of an answer's header block.
struct AnswerHead: Equatable {
    /// The status, 100 through 999; `nil` in trailers, and where the block is not a valid head of an answer.
    var status: Int?
    /// Whether the block is valid after the body.
    var isTrailers = false
    /// The sandbox's `apns-unique-id`.
    var uniqueID: String?
}

/// Decodes the header blocks of answers, in order of arrival, because they share one table (RFC 7541).
struct AnswerHeaderDecoder {
    /// Maximum header list of an answer; Apple's have about 100 bytes.
    static let listLimit = 16_384

    private var decoder: HPACKDecoder

    init() {
        decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        decoder.maxHeaderListSize = Self.listLimit
    }

    /// Decodes one complete header block.
    @inline(__always)
    mutating func read(_ block: UnsafeRawBufferPointer) throws(Violation) -> AnswerHead {
        if PlainSuccess.matches(block) { return AnswerHead(status: 200) }
        return try decode(block)
    }

    private mutating func decode(_ block: UnsafeRawBufferPointer) throws(Violation) -> AnswerHead {
        var buffer = ByteBuffer(bytes: block)
        let headers: HPACKHeaders
        do {
            headers = try decoder.decodeHeaders(from: &buffer)
        } catch {
            throw Violation(.compression, "bad header block")
        }
        var head = AnswerHead(isTrailers: true)
        var isWellFormed = true
        for (index, (name, value, _)) in headers.enumerated() {
            if index == 0, name == ":status" {
                head.status = Self.status(value)
                head.isTrailers = false
            } else if !Self.isFieldName(name) {
                isWellFormed = false
            } else if name == "apns-unique-id", Self.isShortWord(value) {
                head.uniqueID = value
            }
        }
        return isWellFormed ? head : AnswerHead()
    }

    /// Parses three digits; HTTP/2 has no 101 (RFC 9113 §8.6).
    private static func status(_ value: String) -> Int? {
        guard value.utf8.count == 3, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let status = Int(value),
            status >= 100, status != 101
        else { return nil }
        return status
    }

    /// Whether a name is valid for a field: lower case, and no pseudo-header, which must come first (RFC 9113 §8.2.1
    /// and §8.3).
    private static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && !(0x41...0x5A).contains($0) && $0 != 0x3A }
    }

    /// Whether a value is short and printable, so that it may be stored and shown.
    private static func isShortWord(_ value: String) -> Bool {
        (1...64).contains(value.utf8.count) && value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
