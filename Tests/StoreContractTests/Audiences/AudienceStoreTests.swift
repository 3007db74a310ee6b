import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// Saved audiences, and the counts of their Devices.
struct AudienceStoreTests {
    private func question(_ audience: Audience) -> AudienceCountQuestion {
        AudienceCountQuestion(
            app: AudiencePopulation.app,
            audience: audience,
            adRule: .korean,
            now: Timestamp(rawValue: AudiencePopulation.now),
            oldestRegistration: Timestamp(rawValue: 0)
        )
    }

    @Test("Counts equal the rule's Devices, by consent", arguments: StoreKind.allCases)
    func counts(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            var random = SeededGenerator(seed: 7)
            let population = AudiencePopulation(count: 250, using: &random)
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            try await population.write(into: database)
            let store = AudienceRepository(database: database)
            let evaluator = AudienceEvaluator(population: population)
            let source = AudienceRuleSource(population: population)

            for round in 0..<60 {
                let rule = source.rule(depth: round % 4, using: &random)
                // Without a channel it is undefined which token a condition concerns.
                guard !rule.terms.contains(where: { if case .pushType = $0 { true } else { false } }) else { continue }
                let devices = population.devices.filter { evaluator.holds(rule, $0) }
                let count = try await store.count(question(.rule(rule)))
                #expect(count.isExact && count.devices == devices.count, "\(rule)")
                let told = devices.filter { $0.hasToken && $0.consent.contains(.notifications) }
                #expect(count.notifications == told.count)
                let isFree = { (device: SampledDevice) in
                    device.language?.lowercased().hasPrefix("ko") != true
                        || device.language == "kok"
                }
                #expect(count.ads == told.count { isFree($0) || $0.consent.contains(.ads) })
                let nights = told.filter { isFree($0) || $0.consent.isSuperset(of: [.ads, .nightAds]) }
                #expect(count.nightAds == nights.count)
                #expect(count.voip == devices.count { $0.hasCallToken })
                #expect(count.languages.values.reduce(0, +) == devices.count)
            }
            let all = try await store.count(question(.all))
            #expect(all.devices == 250)
        }
    }

    @Test("A sample's estimate is close, and marked as an estimate", arguments: StoreKind.allCases)
    func samples(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let devices = (1...3_000).map { number in
                { (device: inout SampledDevice) in device.consent = number % 3 == 0 ? [.notifications, .ads] : [] }
            }
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            try await AudiencePopulation(devices).write(into: database)
            let store = AudienceRepository(database: database, budget: 1_000)

            let count = try await store.count(question(.rule(try AudienceRule(text: "consent.ads"))))
            let estimate = Double(count.devices) * count.factor
            #expect(!count.isExact && count.margin > 0 && count.margin < 400)
            // Every third: windows of ten numbers have three or four of them, at any position.
            #expect(abs(estimate - 1_000) <= 200)
            let few = try await store.count(question(.rule(try AudienceRule(text: "tag:tag00001"))))
            #expect(few.isExact && few.devices == 0)
        }
    }

    @Test("Names are unique in an App, and their number is limited", arguments: StoreKind.allCases)
    func keepsNames(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            try await AudiencePopulation([]).write(into: database)
            let store = AudienceRepository(database: database)
            func audience(_ id: Int64, _ name: String, app: AppID = AudiencePopulation.app) -> SavedAudience {
                SavedAudience(
                    id: AudienceID(rawValue: id),
                    app: app,
                    name: name,
                    rule: .term(.flag(.ads)),
                    createdAt: Timestamp(rawValue: 5)
                )
            }

            #expect(try await store.insert(audience(1, "a"), limit: 2) == .kept(audience(1, "a")))
            #expect(try await store.insert(audience(2, "a"), limit: 2) == .nameTaken)
            #expect(try await store.insert(audience(2, "b"), limit: 2) == .kept(audience(2, "b")))
            #expect(try await store.insert(audience(3, "c"), limit: 2) == .full)
            #expect(try await store.insert(audience(4, "a", app: AppID(rawValue: 99)), limit: 2) == .missing)
            let update = AudienceUpdate(name: "a")
            let (now, second) = (Timestamp(rawValue: 9), AudienceID(rawValue: 2))
            #expect(try await store.change(second, within: nil, update, at: now) == .nameTaken)
            var changed = audience(2, "b")
            changed.changedAt = now
            #expect(try await store.change(second, within: nil, AudienceUpdate(name: "b"), at: now) == .kept(changed))
            #expect(try await store.savedAudience(second, within: AppID(rawValue: 99)) == nil)
            #expect(try await store.audiences(app: AudiencePopulation.app, after: nil, limit: 1) == [audience(1, "a")])
            #expect(try await store.deleteAudience(second, within: nil) == .deleted)
            #expect(try await store.deleteAudience(second, within: nil) == .missing)
        }
    }
}
