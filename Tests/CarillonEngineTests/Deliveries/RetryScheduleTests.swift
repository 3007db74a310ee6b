import CarillonEngine
import CarillonModel
import Testing

struct RetryScheduleTests {
    private let schedule = RetrySchedule()
    private let now = Timestamp(rawValue: 1_000_000)

    private func delay(
        _ attempts: UInt8,
        end: Duration = .seconds(86_400),
        after: Duration? = nil,
        random: Double = 0.5
    )
        -> Duration?
    {
        schedule.next(
            attempts: attempts,
            now: now,
            end: now.advanced(by: end),
            after: after,
            random: random
        ).map { now.duration(to: $0) }
    }

    @Test("The delay doubles up to ten minutes") func doublesTheDelay() {
        let delays = (1...12).map { delay($0) }
        let expected = [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600].map { Duration.seconds($0) }
        #expect(delays == expected)
        #expect(delay(255) == .seconds(600))
    }

    @Test("The delay has jitter") func addsJitter() {
        #expect(delay(3, random: 0) == .seconds(6))
        #expect(delay(3, random: 0.999_999)! > .milliseconds(9_999))
    }

    @Test("The delay is at least what the service asks") func respectsTheService() {
        #expect(delay(1, after: .seconds(60)) == .seconds(60))
        #expect(delay(12, after: .seconds(60)) == .seconds(600))
    }

    @Test("The last attempt is made at the end") func makesALastAttempt() {
        #expect(delay(10, end: .seconds(30)) == .seconds(30))
        #expect(delay(1, end: .seconds(30), after: .seconds(3_600)) == .seconds(30))
        #expect(delay(1, end: .zero) == nil)
        #expect(delay(1, end: .seconds(-1)) == nil)
    }
}

struct HaltRuleTests {
    @Test("The rule halts above half of the answers, from a hundred on") func haltsAboveHalf() {
        for isKeyConfirmed in [false, true] {
            func halts(_ quarantined: Int, of answered: Int) -> Bool {
                HaltRule().halts(answers(quarantined, of: answered), isKeyConfirmed: isKeyConfirmed)
            }
            #expect(!halts(99, of: 99))
            #expect(halts(100, of: 100))
            #expect(halts(101, of: 201))
            #expect(!halts(100, of: 200))
            #expect(!halts(0, of: 0))
        }
    }

    @Test("S1-C1 unconfirmed tokens count only while the key is unconfirmed")
    func judgesConfirmedTokens() {
        var answers = answers(100, of: 250)
        for _ in 0..<1_000 { answers.add(.quarantineDeviceToken(Self.reason), isConfirmed: false) }

        #expect(HaltRule().halts(answers, isKeyConfirmed: false))
        #expect(!HaltRule().halts(answers, isKeyConfirmed: true))
    }

    @Test("A refusal of key or topic does not count") func ignoresRefusedKeys() {
        var answers = answers(100, of: 199)
        answers.add(.halt(Self.reason), isConfirmed: true)

        #expect(HaltRule().halts(answers, isKeyConfirmed: true))
        #expect(answers.all.answered == 199)
    }

    private static let reason = FailureReason(rawValue: "BadDeviceToken")

    private func answers(_ quarantined: Int, of answered: Int) -> HaltRule.Answers {
        var answers = HaltRule.Answers()
        for number in 0..<answered {
            answers.add(number < quarantined ? .quarantineDeviceToken(Self.reason) : .accepted, isConfirmed: true)
        }
        return answers
    }
}
