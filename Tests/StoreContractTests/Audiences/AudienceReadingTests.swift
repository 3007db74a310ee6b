import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// What is read for a rule is what the rule says, on every store.
struct AudienceReadingTests {
    private static let message = Message(content: [Message.defaultLanguage: LocalizedContent(body: "b")])

    /// Reads all of a rule's Devices, Chunk by Chunk.
    private func read(
        _ rule: AudienceRule,
        _ store: DeliveryRepository,
        last: Int,
        limit: Int,
        channel: Campaign.Channel = .notification
    ) async throws -> (numbers: [Int64], reads: Int) {
        let facts = OccurrenceFacts(
            app: AudiencePopulation.app,
            campaign: CampaignID(rawValue: 1),
            occurrence: OccurrenceID(rawValue: 1),
            audience: .rule(rule),
            message: Self.message,
            isAd: false,
            channel: channel,
            startedAt: Timestamp(rawValue: AudiencePopulation.now),
            retryUntil: Timestamp(rawValue: .max)
        )
        var wave = OpenWave(
            app: facts.app,
            campaign: facts.campaign,
            occurrence: facts.occurrence,
            wave: 1,
            dueAt: Timestamp(rawValue: 0),
            cursor: DeviceNumber(rawValue: 0),
            lastDevice: DeviceNumber(rawValue: Int64(last)),
            isRead: false,
            isCancelling: false,
            nextRetry: nil
        )
        var (numbers, reads) = ([Int64](), 0)
        while true {
            let reading = try await store.read(wave, of: facts, limit: limit)
            reads += 1
            numbers += reading.recipients.numbers.map(\.rawValue)
            guard case .devices(_, wave.cursor, let through) = reading.range, !reading.isLast else {
                return (numbers, reads)
            }
            #expect(through > wave.cursor)
            wave.cursor = through
        }
    }

    @Test("A rule at random is what it says", arguments: StoreKind.allCases)
    func readsWhatTheRuleSays(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            var random = SeededGenerator(seed: 5)
            let population = AudiencePopulation(count: 300, using: &random)
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            try await population.write(into: database)
            let store = DeliveryRepository(database: database)
            let source = AudienceRuleSource(population: population)

            var some = 0
            for round in 0..<400 {
                let rule =
                    round < 150
                    ? AudienceRule.term(source.term(round % AudienceRuleSource.kinds, using: &random))
                    : source.rule(depth: 1 + round % 4, using: &random)
                let channel: Campaign.Channel = round % 5 == 4 ? .voip : .notification
                let expected = AudienceEvaluator(population: population, channel: channel).matches(rule)
                let found = try await read(rule, store, last: 300, limit: 40, channel: channel)
                #expect(found.numbers == expected, "\(rule)")
                if !expected.isEmpty, expected.count < 200 { some += 1 }
            }
            // The rules tell Devices apart.
            #expect(some > 150)
        }
    }

    @Test("A small budget cuts a rule into short reads and changes nothing else", arguments: StoreKind.allCases)
    func readsInWindows(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            var random = SeededGenerator(seed: 6)
            let population = AudiencePopulation(count: 200, using: &random)
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            try await population.write(into: database)
            let store = DeliveryRepository(database: database, readingBudget: 30)
            let evaluator = AudienceEvaluator(population: population)
            let source = AudienceRuleSource(population: population)

            for round in 0..<60 {
                let rule = source.rule(depth: 1 + round % 3, using: &random)
                #expect(
                    try await read(rule, store, last: 200, limit: 50).numbers == evaluator.matches(rule),
                    "\(rule)"
                )
            }
            let scan = try await read(try AudienceRule(text: "consent.ads"), store, last: 200, limit: 1_000)
            #expect(scan.reads == 7)
            let nobody = try await read(try AudienceRule(text: "tag:unknown0"), store, last: 200, limit: 1_000)
            #expect(nobody.reads == 1 && nobody.numbers.isEmpty)
        }
    }
}
