import ApplePush
import ApplePushConnection
import CarillonBytes
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// The message and tokens of a run.
struct SendPlan: Sendable {
    var headers: RequestHeaders
    var payload: EncodedPayload
    /// `nil` with a client certificate.
    var key: SigningKey?
    /// `nil` for standard input.
    var tokensPath: String?
}

/// Requests the end of a run from any thread.
final class StopFlag: Sendable {
    private let value = NIOLockedValueBox(false)

    var isSet: Bool { value.withLockedValue { $0 } }

    func set() { value.withLockedValue { $0 = true } }
}

/// One run of `carillon send`: reads tokens, sends batches, writes outcomes. A few batches are in flight at a time, so
/// that memory does not depend on the number of tokens.
actor SendRun {
    /// How a run ended.
    struct End: Hashable, Sendable {
        var text: String
        /// The exit code: 0 when every token has a final outcome, 1 when another run is needed, 2 when APNs refuses all.
        var code: Int32
    }

    typealias Deliver = @Sendable (PushBatch, ProviderToken?, NIODeadline) async -> [Outcome]
    typealias Sleep = @Sendable (Duration) async throws -> Void
    typealias Random = @Sendable () -> Double

    static let batchSize = 2000
    static let batchesInFlight = 4
    static let answerTimeout = TimeAmount.seconds(60)

    private let plan: SendPlan
    private let file: OutcomeFile
    private let deliver: Deliver
    private let sleep: Sleep
    private let random: Random
    /// `nil` with a client certificate.
    private let tokens: ProviderTokenSource?
    private var point = ResumePoint()
    private var tally = SendCounts()
    private var runID: UInt64 = 0
    private var refusal: String?
    private var start = ContinuousClock.now
    private var lastReport = ContinuousClock.now

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - plan: The message and tokens.
    ///   - file: The outcome file, with outcomes of earlier runs.
    ///   - deliver: Sends a batch; a pool's `send`.
    ///   - sleep: Waits before retries.
    ///   - random: Numbers from 0 up to 1, for jitter.
    init(
        plan: SendPlan,
        file: OutcomeFile,
        deliver: @escaping Deliver,
        sleep: @escaping Sleep,
        random: @escaping Random = { Double.random(in: 0..<1) }
    ) {
        self.plan = plan
        self.file = file
        self.deliver = deliver
        self.sleep = sleep
        self.random = random
        tokens = plan.key.map { ProviderTokenSource(key: $0) }
    }

    /// Sends until there are no tokens left, APNs refuses all, or `stop` is set.
    func run(until stop: StopFlag) async throws -> End {
        point = try file.resume()
        runID = point.run ?? UInt64.random(in: 0...UInt64.max)
        start = .now
        let input = try open()
        var reader = TokenLineReader()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            var lines: [TokenLine] = []
            var underWay = 0
            var isAtEnd = false
            while !isAtEnd || !lines.isEmpty {
                while lines.count < Self.batchSize, !isAtEnd {
                    let chunk = try await Self.read(input)
                    isAtEnd = chunk.isEmpty
                    lines += try unfinished(isAtEnd ? reader.finish().map { [$0] } ?? [] : reader.read(chunk))
                }
                if stop.isSet || refusal != nil { break }
                let batch = Array(lines.prefix(Self.batchSize))
                lines.removeFirst(batch.count)
                if underWay == Self.batchesInFlight, try await tasks.next() != nil { underWay -= 1 }
                // Rows are written when a batch ends: the next tokens may arrive late.
                tasks.addTask { try await self.record(self.send(batch, stop)) }
                underWay += 1
            }
            try await tasks.waitForAll()
        }
        return end(wasStopped: stop.isSet)
    }

    // MARK: - Private

    private func open() throws -> FileHandle {
        guard let path = plan.tokensPath else { return .standardInput }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path])
        }
        return handle
    }

    /// Reads on a thread that may block: standard input can be slow.
    private static func read(_ input: FileHandle) async throws -> Data {
        try await NIOThreadPool.singleton.runIfActive { try input.read(upToCount: 1 << 16) ?? Data() }
    }

    /// Removes lines that an earlier run has finished, and records invalid lines.
    private func unfinished(_ lines: [TokenLine]) throws -> [TokenLine] {
        var todo: [TokenLine] = []
        var bad: [OutcomeRow] = []
        for line in lines {
            if try point.isDone(line: line.number, token: line.token?.hex ?? "") {
                tally.skipped += 1
            } else if line.token != nil {
                todo.append(line)
            } else {
                bad.append(OutcomeRow(badLine: line.number, at: Self.now))
                report("Line \(line.number) is not a device token.")
            }
        }
        try record(bad)
        return todo
    }

    private func record(_ rows: [OutcomeRow]) throws {
        try file.append(rows)
        for row in rows { tally.count(row) }
        let now = ContinuousClock.now
        guard now - lastReport >= .seconds(1) else { return }
        lastReport = now
        report(tally.line(perSecond: rate))
    }

    private var rate: Int {
        let seconds = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
        return seconds > 0 ? Int(Double(tally.done) / seconds) : 0
    }

    private nonisolated func report(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// Sends a batch, with retries as long as they may help, and returns its rows.
    private func send(_ lines: [TokenLine], _ stop: StopFlag) async throws -> [OutcomeRow] {
        var outcomes = [Outcome](repeating: .notSent(.noConnection), count: lines.count)
        var schedule = BatchRetrySchedule(count: lines.count)
        while let round = schedule.next() {
            if round.wait > .zero { try await sleep(round.wait) }
            let verdicts = try await attemptToSend(round.indices, of: lines, &outcomes)
            guard refusal == nil, !stop.isSet else { break }
            schedule.plan(verdicts, random: random)
        }
        return lines.indices.map { index in
            OutcomeRow(
                line: lines[index].number,
                token: lines[index].token?.hex ?? "",
                outcome: outcomes[index],
                id: UUID(run: runID, line: lines[index].number),
                at: Self.now
            )
        }
    }

    /// Sends some of a batch's notifications once.
    private func attemptToSend(
        _ indices: [Int],
        of lines: [TokenLine],
        _ outcomes: inout [Outcome]
    ) async throws -> [Int: Verdict] {
        let chosen = indices.map { lines[$0] }
        let token = try tokens?.token()
        let deadline = NIODeadline.now() + Self.answerTimeout
        let answers = await deliver(try batch(chosen), token, deadline)
        var verdicts: [Int: Verdict] = [:]
        for (index, answer) in zip(indices, answers) {
            outcomes[index] = answer
            verdicts[index] = verdict(on: answer)
        }
        if let token, verdicts.values.contains(.renew) { tokens?.refusedAsExpired(token) }
        return verdicts
    }

    private func verdict(on outcome: Outcome) -> Verdict {
        switch outcome {
        case .accepted, .unknown: return .final
        case .notSent(let failure): return failure == .headersTooLarge ? .final : .again
        case .rejected(let rejection):
            let verdict = Verdict(reason: rejection.reason, status: rejection.status)
            if verdict == .halt { refusal = "\(rejection.status) \(rejection.reason.rawValue)" }
            return verdict
        }
    }

    private func batch(_ lines: [TokenLine]) throws -> PushBatch {
        try PushBatch(
            headers: plan.headers,
            payload: plan.payload,
            tokens: ByteColumn(lines.map { $0.token?.bytes ?? [] }),
            ids: lines.map { UUID(run: runID, line: $0.number) }
        )
    }

    private func end(wasStopped: Bool) -> End {
        let summary = tally.line(perSecond: rate) + "."
        if let refusal {
            let reason =
                "APNs refuses everything: \(refusal). Mend the credentials or the topic, and run it again. "
                + "`carillon doctor apns` explains."
            return End(text: summary + "\n" + reason, code: 2)
        }
        if wasStopped { return End(text: summary + "\nStopped. The same command continues from here.", code: 1) }
        guard tally.notSent + tally.unknown > 0 else { return End(text: summary, code: 0) }
        return End(text: summary + "\nSome have no final outcome. The same command tries them again.", code: 1)
    }
}
