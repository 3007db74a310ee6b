/// Hands events to whoever wants them: each to every stream, and those that came too early to the first one.
///
/// A tap that starts the app is told before most apps have begun to listen.
struct EventBacklog<Event: Sendable> {
    /// How many early events are kept; the oldest goes first.
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
    /// - Returns: The stream, and the number to take it away by when it ends.
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
