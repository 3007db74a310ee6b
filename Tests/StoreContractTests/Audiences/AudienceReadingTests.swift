import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// On every store, the Devices read for a rule are those that the evaluator selects.
struct AudienceReadingTests {
    @Test("A random rule selects what the evaluator selects", arguments: StoreKind.allCases)
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
                let found = try await store.readAll(.rule(rule), last: 300, limit: 40, channel: channel)
                #expect(found.numbers == expected, "\(rule)")
                if !expected.isEmpty, expected.count < 200 { some += 1 }
            }
            // The rules distinguish Devices.
            #expect(some > 150)
        }
    }

    @Test("A tag with two more conditions selects what the evaluator selects", arguments: StoreKind.allCases)
    func readsByTags(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            var random = SeededGenerator(seed: 7)
            let population = AudiencePopulation(count: 300, using: &random)
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            try await population.write(into: database)
            let store = DeliveryRepository(database: database)
            let source = AudienceRuleSource(population: population)
            let evaluator = AudienceEvaluator(population: population)

            var some = 0
            for round in 0..<150 {
                // Language, country and consent, which are stored with the tag, twice as often.
                let kinds = [[4, 5, 10].randomElement(using: &random), round % AudienceRuleSource.kinds]
                let terms = ([0] + kinds).map { source.term($0, using: &random) }
                let rule = AudienceRule.and(terms.map { .term($0) })
                let expected = evaluator.matches(rule)
                #expect(try await store.readAll(.rule(rule), last: 300, limit: 40).numbers == expected, "\(rule)")
                if !expected.isEmpty { some += 1 }
            }
            #expect(some > 50)
        }
    }

    @Test("A small budget splits a rule into short reads with the same result", arguments: StoreKind.allCases)
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
                    try await store.readAll(.rule(rule), last: 200, limit: 50).numbers == evaluator.matches(rule),
                    "\(rule)"
                )
            }
            let scan = try await store.readAll(.rule(AudienceRule(text: "consent.ads")), last: 200)
            #expect(scan.reads == 7)
            let nobody = try await store.readAll(.rule(AudienceRule(text: "tag:unknown0")), last: 200)
            #expect(nobody.reads == 1 && nobody.numbers.isEmpty)
        }
    }
}
