import NIOConcurrencyHelpers
import NIOCore

/// Those who look on: bounded in number, and each with its own pace.
///
/// Nothing is pushed to them. Each takes a snapshot when its next frame is due and its last one was read, so a
/// slow one holds at most one frame, and without any there is nothing to do.
final class Watchers: Sendable {
    /// How often frames come, and how long one may take to be read.
    struct Pace: Hashable, Sendable {
        var interval = Duration.milliseconds(250)
        /// A comment is sent when nothing has changed for so long.
        var heartbeat = Duration.seconds(15)
        /// A reader who takes longer for one frame is cut off.
        var patience = Duration.seconds(10)
    }

    /// The most that may look on at once.
    static let limit = 16

    let pace: Pace
    private let watches = NIOLockedValueBox<[ObjectIdentifier: Watch]>([:])

    init(pace: Pace) {
        self.pace = pace
    }

    var count: Int { watches.withLockedValue { $0.count } }

    /// - Returns: Nil when there are too many already.
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

    /// Ends all, so that nobody waits for more when the simulator stops.
    func endAll() {
        for watch in watches.withLockedValue({ Array($0.values) }) {
            watch.end()
        }
    }
}

/// One who looks on.
final class Watch: Sendable {
    private let ended = NIOLockedValueBox(false)

    var isEnded: Bool { ended.withLockedValue { $0 } }

    func end() {
        ended.withLockedValue { $0 = true }
    }
}
