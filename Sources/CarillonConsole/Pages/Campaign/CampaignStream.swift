import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import ServiceLifecycle

/// The numbers of a Campaign while it is under way, as server-sent events.
///
/// Each event has the whole state, so that a reader may miss some and one that connects again needs none of before. The
/// values are finished texts, which the script puts in place as text.
struct CampaignStream<Steps: AsyncSequence & Sendable>: Sendable where Steps.Element == CampaignProgress {
    /// One event.
    struct Event: Hashable, Sendable, Codable {
        /// The state; the page is loaded again when it changes, since other actions are possible then.
        var state: String
        /// The numbers of the funnel by the names of their rows.
        var numbers: [String: String]
        var shares: [String: String]
        /// When they were read.
        var at: String
        /// What is said aloud.
        var milestone: String
    }

    /// How the stream is written.
    struct Pace: Sendable {
        /// The shortest time between two events.
        var interval = Duration.seconds(1)
        /// The longest time without one.
        var heartbeat = Duration.seconds(10)
    }

    let steps: Steps
    let look: Look
    let now: @Sendable () -> Timestamp
    /// Whether the session that opened it is still there; asked with each heartbeat.
    let isOpen: @Sendable () async -> Bool
    var pace = Pace()
    /// Holds what other streams of the Campaign have rendered.
    var shared: SharedRendering<CampaignProgress, String>?

    /// The body of the response, which holds a place as long as it is written.
    func body(holding place: (any Sendable)?) -> ResponseBody {
        ResponseBody { writer in
            defer { withExtendedLifetime(place) {} }
            try await writer.write(ByteBuffer(string: "retry: 3000\n\n"))
            try await write(to: &writer)
            try await writer.finish(nil)
        }
    }

    /// Writes until the Campaign or the session ends, the browser disconnects or the server shuts down.
    private func write(to writer: inout any ResponseBodyWriter) async throws {
        let (frames, continuation) = AsyncStream.makeStream(of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            let last = NIOLockedValueBox(ByteBuffer(string: ": \n\n"))
            group.addTask { try await forward(to: continuation, last) }
            group.addTask {
                while true {
                    try await Task.sleep(for: pace.heartbeat)
                    guard await isOpen() else { break }
                    continuation.yield(last.withLockedValue { $0 })
                }
                continuation.finish()
            }
            for await frame in frames.cancelOnGracefulShutdown() {
                try await writer.write(frame)
                if pace.interval > .zero { try await Task.sleep(for: pace.interval) }
            }
            group.cancelAll()
        }
    }

    private func forward(
        to continuation: AsyncStream<ByteBuffer>.Continuation,
        _ last: NIOLockedValueBox<ByteBuffer>
    ) async throws {
        defer { continuation.finish() }
        var number = 0
        for try await step in steps {
            number += 1
            let frame = ByteBuffer(string: "id: \(number)\nevent: progress\ndata: \(try await text(step))\n\n")
            last.withLockedValue { $0 = frame }
            continuation.yield(frame)
        }
    }

    private func text(_ step: CampaignProgress) async throws -> String {
        guard let shared else { return try json(step) }
        return try await shared.value(StreamLook("\(step.campaign)", look), of: step) { try json(step) }
    }

    private func json(_ step: CampaignProgress) throws -> String {
        String(decoding: try JSONEncoder.sorted().encode(event(step)), as: UTF8.self)
    }

    /// The last quarter that was reached, or the end.
    private func milestone(_ step: CampaignProgress) -> String {
        let figures = FunnelFigures(step.funnel)
        guard step.state == .sending else { return look.texts.word("campaign.state", step.state.rawValue) }
        let quarter = figures.targeted == 0 ? 0 : 4 * (figures.targeted - figures.remaining) / figures.targeted
        return look.texts("live.milestone", ["percent": String(25 * quarter)])
    }

    /// The event of a step.
    func event(_ step: CampaignProgress) -> Event {
        let view = FunnelView(FunnelFigures(step.funnel), deferred: step.funnel.deferred, look)
        let rows = view.steps + view.others
        return Event(
            state: step.state.rawValue,
            numbers: Dictionary(uniqueKeysWithValues: rows.map { ($0.stepID, $0.number) }),
            shares: Dictionary(uniqueKeysWithValues: rows.map { ($0.stepID, $0.share) }),
            at: look.times.exact(now()).text,
            milestone: milestone(step)
        )
    }
}

extension CampaignPage {
    /// Answers with the stream of a Campaign that is under way; 204 ends the browser's attempts.
    static func stream(
        _ visit: Visit,
        of id: CampaignID,
        _ shared: SharedRendering<CampaignProgress, String>
    ) async throws -> Outcome {
        let app = try visit.app.id
        let campaign = try await visit.engine.campaigns.shown(id, within: app)
        guard campaign.state.isUnderWay else { return .nothing }
        let place: Places<OperatorSessionID>.Place
        do {
            place = try visit.streams.acquire(visit.session.id)
        } catch {
            throw ConsoleProblem.tooManyStreams
        }
        let (engine, session) = (visit.engine, visit.session)
        var stream = CampaignStream(
            steps: try await visit.engine.campaigns.progress(id, within: app, every: .seconds(1)),
            look: visit.look,
            now: { engine.context.clock.now() },
            // Reading is no use of the session: an idle one ends.
            isOpen: { await engine.operators.isOpen(session) }
        )
        stream.shared = shared
        return .stream(stream.body(holding: place))
    }
}
