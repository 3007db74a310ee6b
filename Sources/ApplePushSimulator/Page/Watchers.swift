import NIOConcurrencyHelpers
import NIOCore

/// The open event streams: bounded in number, and each with its own rate.
///
/// Nothing is pushed to them. Each takes a snapshot when its next frame is due and its last one was read, so a slow one
/// holds at most one frame, and without any there is no work.
final class Watchers: Sendable {
    /// How often frames are sent, and how long reading one may take.
    struct Pace: Hashable, Sendable {
        var interval = Duration.milliseconds(250)
        /// After this time without changes a comment is sent.
        var heartbeat = Duration.seconds(15)
        /// A client that takes longer for one frame is disconnected.
        var patience = Duration.seconds(10)
    }

    /// Maximum number of open streams.
    static let limit = 16

    let pace: Pace
    private let watches = NIOLockedValueBox<[ObjectIdentifier: Watch]>([:])

    init(pace: Pace) {
        self.pace = pace
    }

    var count: Int { watches.withLockedValue { $0.count } }

    /// - Returns: Nil when there are too many.
    func join() -> Watch? {
        watches.withLockedValue { watches in
            guard watches.count < Self.limit else { return nil }
            let watch = Watch()
            watches[ObjectIdentifier(watch)] = watch
            return watch
        }
    }

    func leave(_ watch: Watch) {
        watch.end()
        _ = watches.withLockedValue { $0.removeValue(forKey: ObjectIdentifier(watch)) }
    }

    /// Ends all streams, so that nobody waits when the simulator stops.
    func endAll() {
        for watch in watches.withLockedValue({ Array($0.values) }) {
            watch.end()
        }
    }
}

/// One open event stream.
final class Watch: Sendable {
    private let ended = NIOLockedValueBox(false)

    var isEnded: Bool { ended.withLockedValue { $0 } }

    func end() {
        ended.withLockedValue { $0 = true }
    }
}
