import NIOConcurrencyHelpers
import NIOCore

/// The queue of lines between the gateway and a feed's client; the client gets all queued lines at once.
final class DeliveryFeed: Sendable {
    fileprivate struct State {
        var lines = ByteBuffer()
        var reader: CheckedContinuation<ByteBuffer?, Never>?
        var isEnded = false
    }

    /// Maximum number of queued bytes; a slower client is disconnected.
    static let limit = 64 << 20

    let id: FeedID
    private let state = NIOLockedValueBox(State())

    init(id: FeedID) {
        self.id = id
    }

    func append(_ line: [UInt8]) {
        state.withLockedValue { state in
            guard !state.isEnded else { return }
            state.lines.writeBytes(line)
            if let reader = state.reader {
                state.reader = nil
                reader.resume(returning: state.removeLines())
            } else if state.lines.readableBytes > Self.limit {
                state.isEnded = true
                state.lines.clear()
            }
        }
    }

    /// Ends the feed.
    ///
    /// Queued lines can still be read.
    func end() {
        state.withLockedValue { state in
            state.isEnded = true
            state.reader?.resume(returning: nil)
            state.reader = nil
        }
    }

    /// Waits for lines.
    ///
    /// Nil when the feed ended or the task was cancelled.
    func next() async -> ByteBuffer? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                state.withLockedValue { state in
                    if state.lines.readableBytes > 0 {
                        reader.resume(returning: state.removeLines())
                    } else if state.isEnded {
                        reader.resume(returning: nil)
                    } else {
                        state.reader = reader
                    }
                }
            }
        } onCancel: {
            end()
        }
    }
}

extension DeliveryFeed.State {
    fileprivate mutating func removeLines() -> ByteBuffer {
        defer { lines = ByteBuffer() }
        return lines
    }
}
