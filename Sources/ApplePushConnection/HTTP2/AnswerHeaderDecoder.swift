import NIOCore
import NIOHPACK

/// What the header block of an answer says that we need.
struct AnswerHead: Equatable {
    /// The status, 100 through 999; `nil` in trailers, and where it is missing or no number.
    var status: Int?
    /// The sandbox's `apns-unique-id`.
    var uniqueID: String?
}

/// Reads the header blocks of answers, in the order they come, for they share one table (RFC 7541).
struct AnswerHeaderDecoder {
    /// How long the header list of an answer may be; Apple's have about 100 bytes.
    static let listLimit = 16_384

    private var decoder: HPACKDecoder

    init() {
        decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        decoder.maxHeaderListSize = Self.listLimit
    }

    /// Reads one whole header block.
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
        var head = AnswerHead()
        for (name, value, _) in headers {
            if name == ":status" {
                head.status = Int(value).flatMap { (100...999).contains($0) ? $0 : nil }
            } else if name == "apns-unique-id", value.utf8.count <= 64 {
                head.uniqueID = value
            }
        }
        return head
    }
}
