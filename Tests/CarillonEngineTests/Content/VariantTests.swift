import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import NIOConcurrencyHelpers
import Testing

@Suite("Variants", .timeLimit(.minutes(5)))
struct VariantTests {
    private let deviceCount = 600

    private func request(_ world: DeliveryWorld) -> CampaignRequest {
        var request = world.request(.all, DeliveryWorld.message("A"))
        request.variants = [
            Variant(name: "plain"), Variant(name: "loud", content: ["default": LocalizedContent(body: "B")]),
        ]
        request.holdout = 20
        return request
    }

    @Test("Variants are sent as the split assigns them, also in retries, and the funnel counts each")
    func sendsTheSplit() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(deviceCount) { .init(consent: $0 <= 60 ? [] : .notifications) }
        let seen = NIOLockedValueBox<Set<DeviceNumber>>([])
        world.sender.answer { notification in
            let isFirst = seen.withLockedValue { $0.insert(notification.device).inserted }
            let number = notification.device.rawValue
            if number.isMultiple(of: 5), isFirst { return .retryLater(.notSent, after: nil) }
            return number.isMultiple(of: 35) ? .dropMessage(.notSent) : .accepted
        }

        let campaign = try await world.dispatching(world.dispatcher { $0.chunkSize = 50 }) {
            let campaign = try await world.campaigns.create(app: world.app, request(world))
            while try await world.advanceToNextRetry(of: campaign.id) {}
            return try await world.campaigns.campaign(campaign.id, within: world.app)
        }

        let split = try #require(VariantSplit(campaign.id, weights: [1, 1], holdout: 20))
        var expected = [VariantCounts(name: "plain"), VariantCounts(name: "loud")]
        var heldOut = 0
        for number in 1...deviceCount {
            switch split.share(of: DeviceNumber(rawValue: Int64(number))) {
            case .heldOut: if number > 60 { heldOut += 1 }
            case .variant(let place):
                expected[place].targeted += 1
                let isFailed = number.isMultiple(of: 35)
                if number <= 60 {
                    expected[place].skipped += 1
                } else if isFailed {
                    expected[place].failed += 1
                } else {
                    expected[place].accepted += 1
                }
            }
        }
        for index in expected.indices { expected[index].rate() }
        let funnel = try await world.funnel(campaign.id)
        #expect(funnel.variants == expected)
        #expect(funnel.skipped["Holdout"] == heldOut)
        #expect(funnel.targeted == deviceCount)
        for notification in world.sender.sent {
            let isLoud = split.share(of: notification.device) == .variant(1)
            #expect(
                String(decoding: notification.payload.prefix(9), as: UTF8.self) == (isLoud ? "default:B" : "default:A")
            )
        }
    }

    @Test("Variants have counts of events, and a winner when chance does not explain it")
    func findsWinners() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(deviceCount)
        let campaign = try await world.deliver(request(world))
        let occurrence = try #require(campaign.occurrence)
        let split = try #require(VariantSplit(campaign.id, weights: [1, 1], holdout: 20))
        #expect(try await world.funnel(campaign.id).winner == nil)

        let loud = (1...deviceCount).map { DeviceNumber(rawValue: Int64($0)) }.filter {
            split.share(of: $0) == .variant(1)
        }
        let events = loud.prefix(40).map {
            EventRow(occurrence: occurrence, device: $0, kind: .opened, action: "", reply: nil, at: world.time.now())
        }
        #expect(
            try await world.stores.events.record(app: world.app, events, at: Timestamp(rawValue: 1_700_000_000_000))
                == 40
        )
        #expect(
            try await world.stores.events.record(app: world.app, events, at: Timestamp(rawValue: 1_700_000_000_000))
                == 0
        )

        let funnel = try await world.funnel(campaign.id)
        #expect(funnel.variants?.map(\.opened) == [0, 40])
        #expect(funnel.opened == 40)
        #expect(funnel.variants?[1].openRate == 40 / Double(loud.count))
        #expect(funnel.winner == "loud")
    }

    @Test("Inboxes show the variant that was sent") func showsVariantsInInboxes() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(30)
        let campaign = try await world.deliver(request(world))
        let split = try #require(VariantSplit(campaign.id, weights: [1, 1], holdout: 20))

        for number in 1...30 {
            let messages = try await world.inboxes.inbox(
                app: world.app,
                device: DeliveryWorld.id(number),
                secret: DeliveryWorld.secret
            ).messages
            switch split.share(of: DeviceNumber(rawValue: Int64(number))) {
            case .heldOut: #expect(messages.isEmpty)
            case .variant(let place): #expect(messages.map(\.body) == [place == 0 ? "A" : "B"])
            }
        }
    }

    @Test("Variants are rated by Wilson's interval") func ratesVariants() {
        var figures = VariantCounts(name: "a")
        figures.rate()
        #expect(figures.openRate == nil)
        (figures.accepted, figures.opened) = (100, 10)
        figures.rate()
        // Wilson 1927; the published values for 10 of 100 at 95 %.
        #expect(abs((figures.openRateLow ?? 0) - 0.0552) < 0.0001)
        #expect(abs((figures.openRateHigh ?? 0) - 0.1744) < 0.0001)
        (figures.accepted, figures.opened) = (5, 9)
        figures.rate()
        #expect(figures.openRate == 1)
    }

    private func winner(_ figures: [(accepted: Int, opened: Int)]) -> String? {
        figures.enumerated().map { index, figure in
            var counts = VariantCounts(name: "\(index)")
            (counts.accepted, counts.opened) = figure
            counts.rate()
            return counts
        }.winner
    }

    @Test("No variant wins before each has 100 accepted notifications, and then only beyond chance")
    func needsNumbers() {
        #expect(winner([(10, 0), (10, 6)]) == nil)
        #expect(winner([(99, 0), (10_000, 5_000)]) == nil)
        #expect(winner([(99, 5), (99, 60)]) == nil)
        #expect(winner([(100, 5), (100, 60)]) == "1")
        #expect(winner([(100, 10), (100, 20)]) == nil)
        #expect(winner([(1_000, 100), (1_000, 200)]) == "1")
        #expect(winner([(1_000, 100), (1_000, 200), (1_000, 190)]) == nil)
        #expect(winner([(1_000, 100)]) == nil)
    }

    @Test("Among equal variants hardly one wins, however often one looks", arguments: [0.02, 0.1, 0.5], [2, 8])
    func findsNoWinnersByChance(_ rate: Double, _ count: Int) {
        var random = SeededNumbers(seed: UInt64(rate * 1_000) + UInt64(count))
        let runs = 200
        var wrong = 0
        for _ in 0..<runs {
            var figures = [(accepted: Int, opened: Int)](repeating: (0, 0), count: count)
            var hasWon = false
            // Twenty looks while 1,000 notifications of each are accepted.
            for _ in 0..<20 {
                for index in figures.indices {
                    figures[index].accepted += 50
                    for _ in 0..<50 where Double.random(in: 0..<1, using: &random) < rate { figures[index].opened += 1 }
                }
                hasWon = hasWon || winner(figures) != nil
            }
            wrong += hasWon ? 1 : 0
        }
        #expect(Double(wrong) / Double(runs) <= 0.05, "\(wrong) of \(runs)")
    }
}

/// Numbers that a seed determines (SplitMix64).
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
