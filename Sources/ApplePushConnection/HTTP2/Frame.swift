import NIOCore

/// Constants of HTTP/2 frames (RFC 9113 §4 and §6).
enum Frame {
    static let headerLength = 9
    /// Maximum size of received frames; we never raise `SETTINGS_MAX_FRAME_SIZE`.
    static let maximumLength = 16_384
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Frame types.
    ///
    /// Others are ignored, as the RFC requires.
    enum Kind {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let priority: UInt8 = 2
        static let reset: UInt8 = 3
        static let settings: UInt8 = 4
        static let pushPromise: UInt8 = 5
        static let ping: UInt8 = 6
        static let goAway: UInt8 = 7
        static let windowUpdate: UInt8 = 8
        static let continuation: UInt8 = 9
    }

    enum Flag {
        static let endStream: UInt8 = 0x1
        static let ack: UInt8 = 0x1
        static let endHeaders: UInt8 = 0x4
        static let padded: UInt8 = 0x8
        static let priority: UInt8 = 0x20
    }

    /// A frame's header of nine bytes.
    struct Header: Equatable {
        var length: Int
        var kind: UInt8
        var flags: UInt8
        var stream: UInt32

        /// Parses nine bytes; `bytes` must have them from `offset` on.
        @inline(__always)
        init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
            let high = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian
            length = Int(high >> 8)
            kind = UInt8(truncatingIfNeeded: high)
            flags = bytes[offset + 4]
            stream = bytes.loadUnaligned(fromByteOffset: offset + 5, as: UInt32.self).bigEndian & 0x7FFF_FFFF
        }

        func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
    }
}

/// An HTTP/2 error code (RFC 9113 §7).
///
/// An open set: unknown codes are preserved.
struct ErrorCode: RawRepresentable, Hashable {
    let rawValue: UInt32

    static let none = ErrorCode(rawValue: 0)
    static let protocolError = ErrorCode(rawValue: 1)
    static let flowControl = ErrorCode(rawValue: 3)
    static let streamClosed = ErrorCode(rawValue: 5)
    static let frameSize = ErrorCode(rawValue: 6)
    static let refusedStream = ErrorCode(rawValue: 7)
    static let cancel = ErrorCode(rawValue: 8)
    static let compression = ErrorCode(rawValue: 9)
    static let enhanceYourCalm = ErrorCode(rawValue: 11)
}

/// A violation of HTTP/2 by the peer, which ends the connection.
struct Violation: Error, Hashable {
    let code: ErrorCode
    let detail: String

    init(_ code: ErrorCode, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

extension ByteBuffer {
    /// Writes a frame's header.
    mutating func writeFrameHeader(length: Int, kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0) {
        writeInteger(UInt32(truncatingIfNeeded: length) << 8 | UInt32(kind))
        writeInteger(flags)
        writeInteger(stream)
    }

    mutating func writeReset(stream: UInt32, code: ErrorCode) {
        writeFrameHeader(length: 4, kind: Frame.Kind.reset, stream: stream)
        writeInteger(code.rawValue)
    }

    mutating func writeWindowUpdate(stream: UInt32, increment: Int) {
        writeFrameHeader(length: 4, kind: Frame.Kind.windowUpdate, stream: stream)
        writeInteger(UInt32(truncatingIfNeeded: increment))
    }

    mutating func writePing(_ payload: UInt64, isAck: Bool) {
        writeFrameHeader(length: 8, kind: Frame.Kind.ping, flags: isAck ? Frame.Flag.ack : 0)
        writeInteger(payload)
    }

    /// The last stream is always 0: a server of APNs opens none.
    mutating func writeGoAway(code: ErrorCode) {
        writeFrameHeader(length: 8, kind: Frame.Kind.goAway)
        writeInteger(UInt32(0))
        writeInteger(code.rawValue)
    }
}
