import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@Suite struct IDSourceTests {
    @Test("Identifiers ascend within a millisecond and when the clock is set back") func ascends() {
        let clock = ManualClock()
        let ids = IDSource(clock: clock, random: { .max })

        var made: [CampaignID] = (0..<1_000).map { _ in ids.next() }
        clock.advance(milliseconds: 1)
        made.append(ids.next())
        clock.advance(milliseconds: -3_600_000)
        made.append(ids.next())

        #expect(made == made.sorted())
        #expect(Set(made).count == made.count)
        #expect(made[0].milliseconds == 1_800_000_000_000)
    }

    @Test("Identifiers beyond a millisecond's capacity use the next one") func borrowsFromTheNext() {
        let ids = IDSource(clock: ManualClock(), random: { 0 })

        let made: [OccurrenceID] = (0...(1 << 18)).map { _ in ids.next() }

        #expect(zip(made, made.dropFirst()).allSatisfy { $0 < $1 })
        #expect(made.last?.milliseconds == 1_800_000_000_001)
    }
}
