/// Passes events to all streams; events before the first stream are buffered for it.
///
/// The event of a tap that launches the app occurs before most apps have a stream.
struct EventBacklog<Event: Sendable> {
    /// The maximum of buffered events; the oldest are dropped first.
    static var limit: Int { 16 }

    private var early: [Event] = []
    private var streams: [Int: AsyncStream<Event>.Continuation] = [:]
    private var hasStarted = false
    private var nextNumber = 0

    mutating func send(_ event: Event) {
        for stream in streams.values { stream.yield(event) }
        if !hasStarted { early = early.suffix(Self.limit - 1) + [event] }
    }

    /// Adds a stream.
    ///
    /// - Returns: The stream, and its number for ``remove(_:)``.
    mutating func add() -> (stream: AsyncStream<Event>, continuation: AsyncStream<Event>.Continuation, number: Int) {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(256))
        for event in early { continuation.yield(event) }
        early = []
        hasStarted = true
        nextNumber += 1
        streams[nextNumber] = continuation
        return (stream, continuation, nextNumber)
    }

    mutating func remove(_ number: Int) { streams[number] = nil }
}
