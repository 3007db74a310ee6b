import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

struct PaceRuleTests {
    private let now = Timestamp(rawValue: 1_000_000)

    private func wave(cursor: Int64 = 0, last: Int64, readAt: Timestamp? = nil) -> OpenWave {
        OpenWave(
            app: AppID(rawValue: 1),
            campaign: CampaignID(rawValue: 2),
            occurrence: OccurrenceID(rawValue: 3),
            wave: 1,
            dueAt: Timestamp(rawValue: 0),
            cursor: DeviceNumber(rawValue: cursor),
            lastDevice: DeviceNumber(rawValue: last),
            isRead: false,
            isCancelling: false,
            nextRetry: nil,
            readAt: readAt ?? Timestamp(rawValue: 0)
        )
    }

    @Test("Without a pace everything is sent at once") func sendsAtOnce() {
        let rule = PaceRule(nil)
        let wave = wave(last: 10_000)
        #expect(rule.step(of: wave, limit: 5_000) == .init(limit: 5_000, through: wave.lastDevice))
        #expect(rule.next(count: 5_000, through: wave.lastDevice, of: wave, at: now) == Timestamp(rawValue: 0))
    }

    /// Any number of nodes that read at any time, with different clocks: the rate is never exceeded, and every chunk is
    /// read.
    @Test("The rate is never exceeded", arguments: [1, 7, 60, 90, 6_000, 1_000_000])
    func respectsTheRate(_ perMinute: Int) {
        var random = SystemRandomNumberGenerator()
        let rule = PaceRule(.perMinute(perMinute))
        var wave = wave(last: .max)
        var clock = now
        var sent: [(at: Timestamp, count: Int)] = []
        for _ in 0..<500 {
            clock = max(clock, wave.readAt ?? clock).advanced(
                by: .milliseconds(Int.random(in: 0...300, using: &random))
            )
            // This node's clock may be behind: then it waits.
            let own = clock.advanced(by: .milliseconds(-Int.random(in: 0...200, using: &random)))
            guard let readAt = wave.readAt, readAt <= own else { continue }
            let count = Int.random(in: 0...rule.step(of: wave, limit: 5_000).limit, using: &random)
            let through = DeviceNumber(rawValue: wave.cursor.rawValue + Int64(count))
            let next = rule.next(count: count, through: through, of: wave, at: own)
            #expect(next >= own)
            sent.append((own, count))
            wave.readAt = next
            wave.cursor = through
        }
        for (place, start) in sent.enumerated() {
            let end = start.at.advanced(by: .seconds(60))
            let inAMinute = sent[place...].prefix { $0.at < end }.reduce(0) { $0 + $1.count }
            // A chunk may begin just before the minute is over.
            #expect(inAMinute <= perMinute + max(1, perMinute / 60))
        }
    }

    @Test(
        "Sending is spread over the duration",
        arguments: [(60, 10), (60, 1_000_000), (3_600, 12_345), (86_400, 500)]
    )
    func spreadsOverTheDuration(_ seconds: Int, _ last: Int64) {
        let rule = PaceRule(.over(seconds))
        var wave = wave(last: last)
        var clock = now
        while wave.cursor < wave.lastDevice {
            clock = max(clock, wave.readAt ?? clock)
            let step = rule.step(of: wave, limit: 5_000)
            wave.readAt = rule.next(count: 1, through: step.through, of: wave, at: clock)
            wave.cursor = step.through
            let share = Double(wave.cursor.rawValue) / Double(last)
            let passed = Double(now.duration(to: clock).components.seconds) / Double(seconds)
            #expect(share - passed < 0.15 + 1.5 / Double(min(last, Int64(seconds))))
        }
        let whole = now.duration(to: wave.readAt ?? now)
        #expect(whole >= .seconds(seconds) && whole <= .seconds(seconds) * 1.02 + .seconds(2))
    }
}
