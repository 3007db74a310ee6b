import CarillonConsole
import CarillonModel
import Foundation
import Logging
import NIOConcurrencyHelpers

/// The last warnings of a node's log, for the page of the server.
final class WarningLog: Sendable {
    /// How many lines are held, and how long the details of one are at most.
    private static let (capacity, longest) = (100, 300)

    private let lines = NIOLockedValueBox<[NodeReport.Warning]>([])

    /// The lines, the latest first.
    var latest: [NodeReport.Warning] { lines.withLockedValue { $0.reversed() } }

    /// Adds a line; the oldest goes when there are too many.
    func add(_ event: LogEvent, _ metadata: Logger.Metadata) {
        let details = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let line = NodeReport.Warning(
            at: Timestamp(Date()),
            level: event.level.rawValue,
            message: "\(event.message)",
            detail: String(details.prefix(Self.longest))
        )
        lines.withLockedValue { lines in
            if lines.count >= Self.capacity { lines.removeFirst() }
            lines.append(line)
        }
    }
}

/// Writes what warns into a ``WarningLog``, beside another handler.
struct WarningLogHandler: LogHandler {
    let log: WarningLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning

    init(_ log: WarningLog) { self.log = log }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        // Another handler's level may be lower.
        guard event.level >= .warning else { return }
        log.add(event, metadata.merging(event.metadata ?? [:]) { $1 })
    }
}
