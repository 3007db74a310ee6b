import Carillon
import Foundation
import SimulatorFeed

/// The pushes of an APNs simulator for one phone.
///
/// Its owner must stop it.
final class TestKitFeed: Sendable {
    /// The token for notifications.
    let deviceToken: Data
    /// The token for calls.
    let callToken: Data
    private let callText: String
    private let arrivals: Arrivals
    private let following: Task<Void, Never>

    /// Makes tokens and connects to the simulator.
    ///
    /// - Parameters:
    ///   - control: The simulator.
    ///   - topic: The app's topic.
    /// - Throws: `SimulatorControl.Failure`, or what the network said.
    init(_ control: SimulatorControl, topic: String) async throws {
        let texts = [
            try await control.tokens(1, topic: topic, environment: "production")[0],
            try await control.tokens(1, topic: topic + ".voip", environment: "production")[0],
        ]
        let tokens = texts.compactMap(DeviceToken.init(hexadecimal:))
        guard tokens.count == texts.count else {
            throw TestKitPhone.FeedFailure(description: "the APNs simulator gave a token that is none")
        }
        deviceToken = Data(tokens[0].bytes)
        callToken = Data(tokens[1].bytes)
        callText = texts[1].lowercased()
        let arrivals = Arrivals()
        let (opening, opened) = AsyncThrowingStream.makeStream(of: Void.self)
        self.arrivals = arrivals
        following = Task {
            do {
                try await control.follow(texts, onOpen: { opened.yield() }, onLine: { arrivals.add($0) })
                opened.finish()
            } catch {
                opened.finish(throwing: error)
            }
            arrivals.end()
        }
        // A push that is sent before the phone is connected would be stored, or lost.
        for try await _ in opening { break }
    }

    func stop() { following.cancel() }

    /// Whether a push is for the token for calls.
    func isCall(_ line: FeedLine) -> Bool { line.token == callText }

    /// The next push.
    ///
    /// - Throws: ``TestKitPhone/FeedFailure`` when there is none in time, or the feed has ended.
    func next(within seconds: Double) async throws -> FeedLine {
        // No sleep is longer than a day: nobody waits for so long.
        let wait = Task { [arrivals] in
            try await Task.sleep(nanoseconds: UInt64(min(max(0, seconds), 86_400) * 1e9))
            arrivals.giveUp()
        }
        defer { wait.cancel() }
        switch await arrivals.next() {
        case .line(let line): return line
        case .late: throw TestKitPhone.FeedFailure(description: "no push came within \(seconds) seconds")
        case .ended: throw TestKitPhone.FeedFailure(description: "the APNs simulator has closed its feed")
        }
    }
}

/// The lines that arrived, for one reader; a reader that gives up leaves the later ones to the next.
private final class Arrivals: @unchecked Sendable {
    enum Arrival: Sendable {
        case line(FeedLine)
        case late
        case ended
    }

    private let lock = NSLock()
    private var lines: [FeedLine] = []
    private var hasEnded = false
    private var reader: CheckedContinuation<Arrival, Never>?

    func add(_ line: FeedLine) { answer(.line(line)) { $0.lines.append(line) } }

    func end() { answer(.ended) { $0.hasEnded = true } }

    func giveUp() { answer(.late) { _ in } }

    func next() async -> Arrival {
        await withCheckedContinuation { continuation in
            let ready: Arrival? = lock.withLock {
                if !lines.isEmpty { return .line(lines.removeFirst()) }
                if hasEnded { return .ended }
                reader = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Answers the reader that waits; without one the arrival is kept.
    private func answer(_ arrival: Arrival, orKeep keep: (Arrivals) -> Void) {
        let waiting = lock.withLock { () -> CheckedContinuation<Arrival, Never>? in
            defer { reader = nil }
            if reader == nil || arrival.isEnd { keep(self) }
            return reader
        }
        waiting?.resume(returning: arrival)
    }
}

extension Arrivals.Arrival {
    fileprivate var isEnd: Bool { if case .ended = self { true } else { false } }
}
