import ApplePushConnection
import Logging
import NIOCore

/// Tells a test that a connection has ended, without a look at the clock.
struct ConnectionEnds {
    let logger: Logger
    private let lines: AsyncStream<String>

    init() {
        let (lines, ended) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        // Of what is logged at this level, the end of a connection is all.
        logger = Logger(label: "test") { _ in LineLog { ended.yield($0) } }
    }

    /// Sends until the first connection has ended, then gives up.
    func sendUntilFirst(_ count: Int, over pool: ConnectionPool) async -> [Outcome] {
        let sending = Task { await pool.send(Sample.batch(count), token: nil, deadline: .now() + .seconds(600)) }
        for await _ in lines { break }
        sending.cancel()
        return await sending.value
    }
}

/// Hands over what is logged, metadata included.
struct LineLog: LogHandler {
    let line: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(_ line: @escaping @Sendable (String) -> Void) {
        self.line = line
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        line("\(event.level) \(event.message) \(event.metadata ?? [:])")
    }
}
