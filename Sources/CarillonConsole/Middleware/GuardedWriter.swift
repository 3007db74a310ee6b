import HTTPTypes
import Hummingbird
import NIOCore

/// Writes a body part by part, each after a check.
///
/// When the check fails the connection ends without the body's end, so that a part is not taken for the whole.
struct GuardedWriter: ResponseBodyWriter {
    /// The check failed.
    struct Ended: Error {}

    var inner: any ResponseBodyWriter
    let isOpen: @Sendable () async -> Bool

    mutating func write(_ part: ByteBuffer) async throws {
        guard await isOpen() else { throw Ended() }
        try await inner.write(part)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await inner.finish(trailingHeaders) }
}
