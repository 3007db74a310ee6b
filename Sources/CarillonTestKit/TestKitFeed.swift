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
    private let lines: AsyncStream<FeedLine>
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
        let (lines, arrived) = AsyncStream.makeStream(of: FeedLine.self)
        let (opening, opened) = AsyncThrowingStream.makeStream(of: Void.self)
        self.lines = lines
        following = Task {
            do {
                try await control.follow(texts, onOpen: { opened.yield() }, onLine: { arrived.yield($0) })
                opened.finish()
            } catch {
                opened.finish(throwing: error)
            }
            arrived.finish()
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
        try await withThrowingTaskGroup(of: FeedLine?.self) { group in
            group.addTask { [lines] in
                for await line in lines { return line }
                return nil
            }
            group.addTask {
                try await Task.sleep(nanoseconds: UInt64(max(0, seconds) * 1e9))
                throw TestKitPhone.FeedFailure(description: "no push came within \(seconds) seconds")
            }
            defer { group.cancelAll() }
            guard let line = try await group.next() ?? nil else {
                throw TestKitPhone.FeedFailure(description: "the APNs simulator has closed its feed")
            }
            return line
        }
    }
}
