import Carillon
import CarillonModel
import Testing

@Suite("How events go to the server")
struct UploadMachineTests {
    private let now = Timestamp(rawValue: 1_800_000_000_000)
    private let taken = UploadMachine.Answer.accepted(EventBatchAnswer(counted: 1, repeated: 0, rejected: []))

    private func refused(_ status: Int) -> UploadMachine.Answer {
        .refused(Problem(code: "x", title: "x", status: status))
    }

    @Test("A batch that the server accepts is finished") func finishesAcceptedBatches() {
        var machine = UploadMachine()

        #expect(machine.batchSize == 500)
        #expect(machine.finish(taken, count: 500, at: now, jitter: 0) == .finish)
        #expect(machine.opening(at: now) == nil)
    }

    @Test(
        "A batch that is always refused is split until one event is left, which is dropped",
        arguments: [400, 409, 413, 415, 422]
    )
    func splitsRefusedBatches(status: Int) {
        var machine = UploadMachine()
        var sizes: [Int] = []
        while machine.finish(refused(status), count: machine.batchSize, at: now, jitter: 0) == .split {
            sizes.append(machine.batchSize)
        }

        #expect(sizes == [250, 125, 62, 31, 15, 7, 3, 1])
        #expect(machine.opening(at: now) == nil)
        for _ in 1...9 { _ = machine.finish(taken, count: machine.batchSize, at: now, jitter: 0) }
        #expect(machine.batchSize == 500)
    }

    @Test("A batch whose App key is refused is retried seven times, then dropped", arguments: [401, 403, 404])
    func dropsAfterRefusedKeys(status: Int) {
        var machine = UploadMachine()
        var verdicts: [UploadMachine.Decision] = []
        for _ in 1...8 { verdicts.append(machine.finish(refused(status), count: 9, at: now, jitter: 0)) }

        #expect(verdicts == Array(repeating: .wait, count: 7) + [.drop])
    }

    @Test("After a failure the pause is what the server asks for, or longer each time") func waitsAfterFailures() {
        var machine = UploadMachine()
        #expect(machine.finish(.failed(retryAfter: 90), count: 1, at: now, jitter: 0) == .wait)
        #expect(machine.opening(at: now) == Timestamp(rawValue: now.rawValue + 90_000))
        machine.retryNow()
        #expect(machine.opening(at: now) != nil)

        _ = machine.finish(.failed(retryAfter: nil), count: 1, at: now, jitter: 0)
        #expect(machine.opening(at: now) == Timestamp(rawValue: now.rawValue + 4_000))
        machine.retryNow()
        #expect(machine.opening(at: now) == nil)
    }
}
