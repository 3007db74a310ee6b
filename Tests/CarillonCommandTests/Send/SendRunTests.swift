import ApplePush
import ApplePushConnection
import CarillonBytes
import Crypto
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import CarillonCommand

/// APNs as the tests want it: decides by the token and by how often it came.
private final class FakeAPNs: Sendable {
    struct Seen {
        var counts: [[UInt8]: Int] = [:]
        var ids: [UUID] = []
        var providerTokens: [String] = []
        var waits: [Duration] = []
        var batchSizes: [Int] = []
    }

    let seen = NIOLockedValueBox(Seen())
    private let answer: @Sendable (_ token: [UInt8], _ attempt: Int) -> Outcome

    init(_ answer: @escaping @Sendable (_ token: [UInt8], _ attempt: Int) -> Outcome) {
        self.answer = answer
    }

    func deliver(_ batch: PushBatch, _ token: ProviderToken?) -> [Outcome] {
        seen.withLockedValue { seen in
            if let token { seen.providerTokens.append(token.rawValue) }
            seen.ids += batch.ids
            seen.batchSizes.append(batch.count)
            return batch.ids.indices.map { index in
                let bytes = Array(batch.tokens[index])
                seen.counts[bytes, default: 0] += 1
                return answer(bytes, seen.counts[bytes] ?? 0)
            }
        }
    }
}

/// APNs that answers nothing until it is told to.
private final class HeldAPNs: Sendable {
    private struct State {
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isReleased = false
        var inHand = 0
        var peak = 0
        var sent = 0
    }

    private let state = NIOLockedValueBox(State())

    /// How many batches wait for their answers.
    var held: Int { state.withLockedValue { $0.waiting.count } }
    /// The most notifications that waited at a time.
    var peak: Int { state.withLockedValue { $0.peak } }
    var sent: Int { state.withLockedValue { $0.sent } }

    func deliver(_ batch: PushBatch) async -> [Outcome] {
        await withCheckedContinuation { continuation in
            let isReleased = state.withLockedValue { state in
                state.inHand += batch.count
                state.peak = max(state.peak, state.inHand)
                if !state.isReleased { state.waiting.append(continuation) }
                return state.isReleased
            }
            if isReleased { continuation.resume() }
        }
        state.withLockedValue { state in
            state.inHand -= batch.count
            state.sent += batch.count
        }
        return Array(repeating: .accepted(uniqueID: nil), count: batch.count)
    }

    func release() {
        let waiting = state.withLockedValue { state in
            state.isReleased = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

struct SendRunTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private let accepted = Outcome.accepted(uniqueID: nil)

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func run(_ tokens: String, _ apns: HeldAPNs) async throws -> SendRun.End {
        let file = try OutcomeFile(path: folder.appendingPathComponent("outcomes.csv").path)
        let run = SendRun(
            plan: try plan(tokens, hasKey: false),
            file: file,
            deliver: { batch, _, _ in await apns.deliver(batch) },
            sleep: { _ in }
        )
        let end = try await run.run(until: StopFlag())
        try file.close()
        return end
    }

    private func plan(_ tokens: String, hasKey: Bool) throws -> SendPlan {
        let tokensPath = folder.appendingPathComponent("tokens").path
        try tokens.write(toFile: tokensPath, atomically: true, encoding: .utf8)
        let topic = try #require(Topic(rawValue: "com.example.app"))
        let pem = P256.Signing.PrivateKey().pemRepresentation
        return SendPlan(
            headers: RequestHeaders(topic: topic, pushType: .alert),
            payload: try EncodedPayload(bytes: Array(#"{"aps":{}}"#.utf8), limit: 4096),
            key: hasKey ? try SigningKey(pem: pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ") : nil,
            tokensPath: tokensPath
        )
    }

    private func run(
        _ tokens: String,
        _ apns: FakeAPNs,
        stop: StopFlag = StopFlag(),
        hasKey: Bool = true,
        random: @escaping @Sendable () -> Double = { 0.5 }
    ) async throws -> SendRun.End {
        let plan = try plan(tokens, hasKey: hasKey)
        let file = try OutcomeFile(path: folder.appendingPathComponent("outcomes.csv").path)
        let run = SendRun(
            plan: plan,
            file: file,
            deliver: { batch, token, _ in apns.deliver(batch, token) },
            sleep: { wait in apns.seen.withLockedValue { $0.waits.append(wait) } },
            random: random
        )
        let end = try await run.run(until: stop)
        try file.close()
        return end
    }

    private func rows() throws -> [OutcomeRow] {
        let text = try String(contentsOf: folder.appendingPathComponent("outcomes.csv"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { OutcomeRow(text: $0) }.sorted { $0.line < $1.line }
    }

    private func list(_ count: Int) -> String {
        (0..<count).map { String(format: "%064x\n", $0) }.joined()
    }

    @Test("With a certificate no provider token is created")
    func certificate() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let apns = FakeAPNs { _, _ in accepted }
        let end = try await run("00ff\naabb\n", apns, hasKey: false)
        #expect(end.code == 0 && apns.seen.withLockedValue { $0.ids.count } == 2)
        #expect(apns.seen.withLockedValue { $0.providerTokens.isEmpty })
    }

    @Test("Every token of a long list is sent once and has its line; invalid lines are reported by number")
    func longList() async throws {
        let apns = FakeAPNs { _, _ in .accepted(uniqueID: nil) }
        let end = try await run(list(9000) + "nonsense\n" + "ab\n", apns)
        #expect(end.code == 0)
        let rows = try rows()
        #expect(rows.map(\.line) == Array(1...9002) && rows[9000].word == .badLine && rows[9001].token == "ab")
        #expect(apns.seen.withLockedValue { $0.counts.values.allSatisfy { $0 == 1 } && Set($0.ids).count == 9001 })
        #expect(apns.seen.withLockedValue { Set($0.providerTokens).count } == 1, "one provider token for all batches")
    }

    @Test("P-16 P-38 temporary refusals are retried after a wait, with the same apns-id")
    func retries() async throws {
        let apns = FakeAPNs { token, attempt in
            token == [2] && attempt < 3
                ? .rejected(Rejection(.serviceUnavailable, status: 503)) : .accepted(uniqueID: nil)
        }
        let end = try await run("01\n02\n03\n", apns)
        #expect(end.code == 0)
        #expect(try rows().map(\.word) == [.accepted, .accepted, .accepted])
        #expect(apns.seen.withLockedValue { $0.counts } == [[1]: 1, [2]: 3, [3]: 1])
        #expect(apns.seen.withLockedValue { Set($0.ids).count == 3 && $0.waits == [.seconds(1), .seconds(4)] })
    }

    @Test("P-38 delays grow and have jitter: half to one and a half of 1, 4 and 15 seconds, then the batch is given up")
    func jitter() async throws {
        let numbers = NIOLockedValueBox([0.0, 0.25, 0.75])
        let apns = FakeAPNs { _, _ in .rejected(Rejection(.internalServerError, status: 500)) }
        let end = try await run("01\n02\n", apns) { numbers.withLockedValue { $0.isEmpty ? 0.5 : $0.removeFirst() } }
        #expect(end.code == 0 || end.code == 1)
        let waits: [Duration] = [.milliseconds(500), .seconds(3), .milliseconds(18_750)]
        #expect(apns.seen.withLockedValue { $0.waits } == waits)
        #expect(apns.seen.withLockedValue { $0.counts } == [[1]: 4, [2]: 4])
    }

    @Test("P-38 a token with too many notifications waits by itself, without delaying others")
    func tooManyRequests() async throws {
        let numbers = NIOLockedValueBox([0.0, 0.9])
        let apns = FakeAPNs { token, attempt in
            [[1], [2]].contains(token) && attempt == 1
                ? .rejected(Rejection(.tooManyRequests, status: 429)) : .accepted(uniqueID: nil)
        }
        let end = try await run("01\n02\n03\n", apns) { numbers.withLockedValue { $0.removeFirst() } }
        #expect(end.code == 0)
        #expect(apns.seen.withLockedValue { $0.counts } == [[1]: 2, [2]: 2, [3]: 1])
        // Each at a time of its own: after half a second, and one second later; times are quarters of a second.
        #expect(apns.seen.withLockedValue { $0.waits } == [.milliseconds(500), .seconds(1)])
        #expect(apns.seen.withLockedValue { $0.batchSizes } == [3, 1, 1])
    }

    @Test(
        "P-39 permanent refusals are sent once, in this run and in the next",
        arguments: OutcomeRowTests.definite
    )
    func definite(_ reason: RejectionReason) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let apns = FakeAPNs { _, _ in .rejected(Rejection(reason, status: reason == .unregistered ? 410 : 400)) }
        #expect(try await run("01\n02\n", apns).code == 0)
        #expect(try await run("01\n02\n", apns).code == 0)
        #expect(apns.seen.withLockedValue { $0.counts } == [[1]: 1, [2]: 1])
        #expect(apns.seen.withLockedValue { $0.waits.isEmpty })
    }

    @Test(
        "P-36 while APNs does not answer only a few batches are read, however long the list is",
        .timeLimit(.minutes(2))
    )
    func slow() async throws {
        let gate = HeldAPNs()
        let sending = Task { try await run(list(40_000), gate) }
        while gate.held < SendRun.batchesInFlight { await Task.yield() }
        // Whoever does not wait for answers has handed over the rest by now.
        for _ in 0..<10_000 { await Task.yield() }
        #expect(gate.held == SendRun.batchesInFlight)
        #expect(gate.peak == SendRun.batchesInFlight * SendRun.batchSize)
        gate.release()
        #expect(try await sending.value.code == 0)
        #expect(gate.sent == 40_000 && gate.peak == SendRun.batchesInFlight * SendRun.batchSize)
    }

    @Test("P-31 an expired provider token is replaced once, and its notifications sent again at once")
    func renewal() async throws {
        let apns = FakeAPNs { _, attempt in
            attempt == 1 ? .rejected(Rejection(.expiredProviderToken, status: 403)) : .accepted(uniqueID: nil)
        }
        let end = try await run("01\n02\n", apns)
        #expect(end.code == 0 && apns.seen.withLockedValue { $0.waits.isEmpty && Set($0.providerTokens).count == 2 })
    }

    @Test("A refusal that concerns all tokens stops the run, and the next run continues")
    func halt() async throws {
        let refusing = FakeAPNs { _, _ in .rejected(Rejection(.invalidProviderToken, status: 403)) }
        let end = try await run(list(50_000), refusing)
        #expect(end.code == 2 && end.text.contains("403 InvalidProviderToken"))
        #expect(refusing.seen.withLockedValue { $0.ids.count } < 50_000)

        let mended = FakeAPNs { _, _ in .accepted(uniqueID: nil) }
        #expect(try await run(list(50_000), mended).code == 0)
        #expect(mended.seen.withLockedValue { $0.ids.count } == 50_000)
    }

    @Test("A second run sends only tokens without a final outcome")
    func resume() async throws {
        let first = FakeAPNs { token, _ in
            switch token {
            case [1]: .accepted(uniqueID: nil)
            case [2]: .rejected(Rejection(.badDeviceToken, status: 400))
            case [3]: .unknown(.connectionLost)
            default: .notSent(.deadlinePassed)
            }
        }
        #expect(try await run("01\n02\n03\n04\n", first).code == 1)
        let second = FakeAPNs { _, _ in .accepted(uniqueID: nil) }
        #expect(try await run("01\n02\n03\n04\n", second).code == 0)
        #expect(second.seen.withLockedValue { Set($0.counts.keys) } == [[3], [4]])
        let ids = first.seen.withLockedValue { Set($0.ids) }
        #expect(second.seen.withLockedValue { ids.isSuperset(of: $0.ids) }, "the ids are those of the first run")
    }

    @Test("A stopped run leaves the rest to the next one")
    func stop() async throws {
        let stop = StopFlag()
        stop.set()
        let apns = FakeAPNs { _, _ in .accepted(uniqueID: nil) }
        let end = try await run("01\n", apns, stop: stop)
        #expect(end.code == 1 && apns.seen.withLockedValue { $0.ids.isEmpty })
    }
}
