import CZlib

/// Decompresses gzip (RFC 1952), member after member, part by part.
///
/// Not safe to use from several threads at once; a `class`, because zlib keeps the address of its state.
package final class GzipReader {
    /// Why a file cannot be decompressed further; what was read before stays valid.
    package enum Damage: Error, Hashable, Sendable {
        /// The file ends inside a member.
        case cutOff
        /// A checksum, a length or the coding itself is wrong.
        case corrupt
    }

    /// How many bytes are decompressed at once.
    private static let outputSize = 1 << 18
    /// A window of 32 KiB, in gzip's frame.
    private static let windowBits: Int32 = 15 + 16

    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutablePointer<UInt8>
    /// Whether a member has begun that has not ended.
    private var isInside = true

    package init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(capacity: Self.outputSize)
        let status = inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib has memory for a window")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Decompresses the next bytes of the file.
    ///
    /// - Parameters:
    ///   - bytes: Any part of it.
    ///   - body: Receives what they contain.
    /// - Throws: ``Damage/corrupt``, after `body` received what is before the damage; errors of `body`.
    package func read(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
        // zlib does not write to its input; its declaration only lacks `const`.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        repeat {
            guard try beginMember() else { return }
            stream.pointee.next_out = output
            stream.pointee.avail_out = UInt32(Self.outputSize)
            let status = inflate(stream, Z_NO_FLUSH)
            let count = Self.outputSize - Int(stream.pointee.avail_out)
            if count > 0 { try body(UnsafeBufferPointer(start: output, count: count)) }
            switch status {
            case Z_OK: break
            case Z_STREAM_END: isInside = false
            // Nothing to do without more input.
            case Z_BUF_ERROR: return
            default: throw Damage.corrupt
            }
        } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    }

    /// Checks that the last member has ended.
    package func finish() throws(Damage) {
        if isInside { throw .cutOff }
    }

    /// Begins the next member, if there is input; zeros after a member are padding, as gzip itself takes them.
    ///
    /// - Returns: Whether there is a member to read.
    private func beginMember() throws(Damage) -> Bool {
        guard !isInside else { return true }
        while stream.pointee.avail_in > 0, stream.pointee.next_in?.pointee == 0 {
            stream.pointee.next_in += 1
            stream.pointee.avail_in -= 1
        }
        guard stream.pointee.avail_in > 0 else { return false }
        guard inflateReset(stream) == Z_OK else { throw .corrupt }
        isInside = true
        return true
    }
}
