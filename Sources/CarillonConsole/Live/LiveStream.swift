import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// One event of a page whose numbers move: the whole state, as finished texts.
struct LiveEvent: Hashable, Sendable, Codable {
    /// The page is loaded again when it changes: it has other rows then.
    var state: String
    /// The texts by the names of their places.
    var numbers: [String: String]
    var shares: [String: String] = [:]
    /// When they were read.
    var at: String
    /// What is said aloud, seldom; empty for nothing.
    var milestone = ""

    /// Whether it shows the same as another one, whenever that was read.
    func shows(_ other: LiveEvent) -> Bool {
        (state, numbers, milestone) == (other.state, other.numbers, other.milestone) && shares == other.shares
    }
}

/// An event with its text, which is the same for all streams that show it.
struct LiveFrame: Sendable {
    let event: LiveEvent
    /// The event as JSON.
    let text: String

    init(_ event: LiveEvent) throws {
        self.event = event
        text = String(decoding: try JSONEncoder.sorted().encode(event), as: UTF8.self)
    }
}

/// The numbers of a page as server-sent events, read again and again.
///
/// Each event has the whole state, so that a reader may miss some and one that connects again needs none of before.
struct LiveStream: Sendable {
    /// How the stream is written.
    struct Pace: Sendable {
        /// The time between two reads, and the shortest between two events.
        var interval = Duration.seconds(2)
        /// After so many reads without a change the last event is sent again, and the session is looked at.
        var readsPerHeartbeat = 5
    }

    /// Reads the state.
    let read: @Sendable () async throws -> LiveFrame
    /// Whether the session that opened it is still there.
    let isOpen: @Sendable () async -> Bool
    var pace = Pace()
    /// Whether it ends with the first event: for who reads it as a file.
    var isOnce = false

    /// The body of the response, which holds a place as long as it is written.
    func body(holding place: (any Sendable)?) -> ResponseBody {
        ResponseBody { writer in
            defer { withExtendedLifetime(place) {} }
            try await writer.write(ByteBuffer(string: "retry: 3000\n\n"))
            let (frames, continuation) = AsyncStream.makeStream(
                of: ByteBuffer.self,
                bufferingPolicy: .bufferingNewest(1)
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { continuation.finish() }
                    try await produce(continuation)
                }
                for await frame in frames.cancelOnGracefulShutdown() { try await writer.write(frame) }
                group.cancelAll()
            }
            try await writer.finish(nil)
        }
    }

    /// Reads until the session ends, or nobody waits for events any more.
    private func produce(_ frames: AsyncStream<ByteBuffer>.Continuation) async throws {
        var (last, number, unchanged): (LiveEvent?, Int, Int) = (nil, 0, 0)
        while !Task.isCancelled {
            unchanged += 1
            let isDue = unchanged >= pace.readsPerHeartbeat
            if isDue || last == nil, !(await isOpen()) { return }
            // A store that fails for a moment costs an event: the page says by itself that it is not live.
            if let frame = try? await read(), isDue || last.map({ !$0.shows(frame.event) }) ?? true {
                (last, unchanged) = (frame.event, 0)
                number += 1
                frames.yield(ByteBuffer(string: "id: \(number)\nevent: progress\ndata: \(frame.text)\n\n"))
                if isOnce { return }
            } else if isDue {
                unchanged = 0
                frames.yield(ByteBuffer(string: ": \n\n"))
            }
            if pace.interval > .zero { try await Task.sleep(for: pace.interval) }
        }
    }
}

extension Visit {
    /// Answers with a stream, of which a session has few.
    ///
    /// - Parameter read: Reads the state of the page.
    /// - Returns: The stream.
    /// - Throws: ``ConsoleProblem/tooManyStreams``.
    func live(_ read: @escaping @Sendable () async throws -> LiveFrame) throws -> Outcome {
        let place: Places<OperatorSessionID>.Place
        do {
            place = try streams.acquire(session.id)
        } catch {
            throw ConsoleProblem.tooManyStreams
        }
        let (engine, session) = (engine, session)
        var stream = LiveStream(
            read: read,
            // Reading is no use of the session: an idle one ends. Another role ends it at once.
            isOpen: {
                let open = try? await engine.operators.sessions(of: session.owner.id)
                return open?.contains { $0.id == session.id } ?? false
            }
        )
        stream.isOnce = request.headers[.accept]?.contains("text/event-stream") != true
        return .stream(stream.body(holding: place))
    }
}
