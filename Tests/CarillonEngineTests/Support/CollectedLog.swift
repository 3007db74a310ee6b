import Logging
import NIOConcurrencyHelpers

/// A collected log.
struct CollectedLog: Sendable {
    private typealias Line = (level: Logger.Level, message: String, metadata: Logger.Metadata)

    private let messages = NIOLockedValueBox<[Line]>([])

    var logger: Logger {
        Logger(label: "test") { [messages] _ in Handler(messages: messages) }
    }

    /// The messages of a level, in order.
    func lines(_ level: Logger.Level) -> [String] {
        messages.withLockedValue { $0.filter { $0.level == level }.map(\.message) }
    }

    /// The metadata of a level's messages as text, in order.
    func metadata(_ level: Logger.Level) -> [[String: String]] {
        messages.withLockedValue { $0.filter { $0.level == level }.map { $0.metadata.mapValues(\.description) } }
    }

    private struct Handler: LogHandler {
        let messages: NIOLockedValueBox<[Line]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            messages.withLockedValue { $0.append((event.level, event.message.description, event.metadata ?? [:])) }
        }
    }
}
