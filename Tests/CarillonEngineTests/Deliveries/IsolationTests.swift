import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import NIOConcurrencyHelpers
import Testing

/// Failures of one App have bounded effects on others.
@Suite(.timeLimit(.minutes(15)))
struct IsolationTests {
    private struct Worlds {
        var troubled: DeliveryWorld
        var healthy: DeliveryWorld
        var store: FaultyStore
        var dispatcher: Dispatcher
    }

    private func worlds(
        _ rules: SendingRules = SendingRules(),
        devices: Int = 40,
        _ configure: (inout Dispatcher.Options) -> Void = { _ in }
    ) async throws -> Worlds {
        let first = try await DeliveryWorld()
        let troubled = try await first.withNewApp(rules)
        let healthy = try await first.withNewApp()
        try await troubled.addDevices(devices)
        try await healthy.addDevices(devices)
        let store = FaultyStore(first.stores.deliveries)
        let dependencies = first.dependencies(store)
        var options = Dispatcher.Options()
        options.random = { 0.5 }
        (options.chunkSize, options.chunksAtOnce) = (10, 2)
        configure(&options)
        return Worlds(
            troubled: troubled,
            healthy: healthy,
            store: store,
            dispatcher: Dispatcher(options: options, dependencies)
        )
    }

    private static var caps: SendingRules {
        var rules = SendingRules()
        rules.frequencyCaps = [FrequencyCap(limit: 2, period: 3_600)]
        return rules
    }

    @Test(
        "An App whose Chunks always fail occupies no slot, and an alarm pauses its Campaign with the cause",
        arguments: [WorkFailure.Step.readRecentSends, .readDevices, .load]
    )
    func failingApp(_ step: WorkFailure.Step) async throws {
        let worlds = try await worlds(Self.caps) { $0.failures.limit = 5 }
        let (troubled, healthy) = (worlds.troubled, worlds.healthy)
        let app = troubled.app
        worlds.store.fail { $0 == step && $1 == app ? .unavailable("It took longer than a second.") : nil }
        let failing = try await troubled.campaigns.create(app: app, troubled.request())
        let going = try await healthy.campaigns.create(app: healthy.app, healthy.request())

        let paused = try await troubled.withTimeRunning {
            try await troubled.dispatching(worlds.dispatcher) {
                try await healthy.wait(for: .sent, of: going.id)
                return try await troubled.wait(for: .paused, of: failing.id)
            }
        }

        #expect(try await healthy.funnel(going.id).accepted == 40)
        let alarm = try #require(paused.alarm)
        #expect(alarm.hasPrefix("WorkFailed: ") && alarm.contains("5 attempts"))
        #expect(alarm.contains("longer than a second"))
        #expect(worlds.dispatcher.dependencies.figures.snapshot.halts == 1)
        #expect(try await troubled.funnel(failing.id).accepted == 0)
        #expect(troubled.sender.sent.count == 40)

        // Corrected and resumed it is sent, to each Device once.
        worlds.store.fail { (_: WorkFailure.Step, _: AppID) in nil }
        _ = try await troubled.campaigns.resume(failing.id, within: app)
        _ = try await troubled.withTimeRunning {
            try await troubled.dispatching(troubled.dispatcher()) {
                try await troubled.wait(for: .sent, of: failing.id)
            }
        }
        #expect(try await troubled.funnel(failing.id).accepted == 40)
        #expect(troubled.sender.sent.count == 80)
        #expect(try await troubled.rowCount(.chunkCount) == 0)
    }

    @Test("Occasional failures pause nothing") func toleratesOccasionalFailures() async throws {
        let worlds = try await worlds(Self.caps, devices: 60) { options in
            options.failures.limit = 4
            options.attemptsBeforeSending = 1
        }
        let world = worlds.troubled
        let attempts = NIOLockedValueBox(0)
        // Every third attempt fails, in total more than may fail in a row.
        worlds.store.fail { step, _ in
            guard step == .readRecentSends else { return nil }
            let count = attempts.withLockedValue { count in
                count += 1
                return count
            }
            return count % 3 == 0 ? .unavailable("slow") : nil
        }
        try await world.withTimeRunning {
            try await world.dispatching(worlds.dispatcher) {
                for _ in 0..<3 {
                    let campaign = try await world.campaigns.create(app: world.app, world.request())
                    try await world.wait(for: .sent, of: campaign.id)
                }
            }
        }
        #expect(worlds.dispatcher.dependencies.figures.snapshot.workFailures > 4)
    }

    @Test("A Campaign whose start fails does not block others, and is paused in the end")
    func isolatesFailingStarts() async throws {
        let worlds = try await worlds { $0.failures.limit = 4 }
        let (troubled, healthy) = (worlds.troubled, worlds.healthy)
        let app = troubled.app
        worlds.store.fail { $0 == .start && $1 == app ? .failed("The plan cannot be read.") : nil }
        var request = troubled.request()
        request.sendAt = troubled.time.now().advanced(by: .seconds(60))
        var failing: [CampaignID] = []
        for _ in 0..<3 { failing.append(try await troubled.campaigns.create(app: app, request).id) }
        let scheduled = try await healthy.campaigns.create(app: healthy.app, request)
        let now = try await healthy.campaigns.create(app: healthy.app, healthy.request())

        try await troubled.withTimeRunning {
            try await troubled.dispatching(worlds.dispatcher) {
                for campaign in [scheduled, now] { try await healthy.wait(for: .sent, of: campaign.id) }
                for campaign in failing {
                    let paused = try await troubled.wait(for: .paused, of: campaign)
                    #expect(paused.alarm?.contains("Its start failed in 4 attempts") == true)
                }
            }
        }
    }

    @Test("Failing starts do not hide others, however many are due earlier and however much is being sent")
    func hiddenStart() async throws {
        let first = try await DeliveryWorld()
        let (troubled, healthy) = (try await first.withNewApp(), try await first.withNewApp())
        let busy = try await first.withNewApp()
        try await troubled.addDevices(1)
        try await healthy.addDevices(1, from: 5_001)
        try await busy.addDevices(2_000)
        var limits = OverviewLimits()
        limits.campaigns = 2
        let store = FaultyStore(DeliveryRepository(database: first.database, overviewLimits: limits))
        store.fail { $0 == .start && $1 == troubled.app ? .failed("The plan cannot be read.") : nil }
        var request = troubled.request()
        request.sendAt = first.time.now().advanced(by: .seconds(60))
        for _ in 0..<3 { _ = try await troubled.campaigns.create(app: troubled.app, request) }
        request.sendAt = first.time.now().advanced(by: .seconds(61))
        let hidden = try await healthy.campaigns.create(app: healthy.app, request)
        first.time.advance(by: .seconds(120))
        var options = Dispatcher.Options()
        // Each look finds one Chunk to read, while there are any.
        (options.chunkSize, options.chunksAtOnce, options.loadsAtOnce) = (10, 64, 1)
        let work = try await busy.campaigns.create(app: busy.app, busy.request())

        // Time stands still, so a start that failed is not tried again.
        try await first.dispatching(Dispatcher(options: options, first.dependencies(store))) {
            try await healthy.wait(for: .sent, of: hidden.id)
            try await busy.wait(for: .sent, of: work.id)
        }

        let place = first.sender.sent.firstIndex { $0.device.rawValue == 5_001 }
        #expect(place.map { $0 < 2_000 } == true)
    }

    @Test("An App whose Chunks wait for answers in all slots does not block another App")
    func isolatesSlowAnswers() async throws {
        let worlds = try await worlds(devices: 60)
        let (troubled, healthy) = (worlds.troubled, worlds.healthy)
        troubled.sender.hold(troubled.app)
        let slow = try await troubled.campaigns.create(app: troubled.app, troubled.request())

        try await troubled.dispatching(worlds.dispatcher) {
            await troubled.sender.batches(2)
            let campaign = try await healthy.campaigns.create(app: healthy.app, healthy.request())
            try await healthy.wait(for: .sent, of: campaign.id)
            #expect(try await healthy.funnel(campaign.id).accepted == 60)
            #expect(try await troubled.funnel(slow.id).accepted == 0)
            troubled.sender.release()
            try await troubled.wait(for: .sent, of: slow.id)
        }
    }

    @Test("A slow read of one App does not delay another App's Chunks") func isolatesSlowReads() async throws {
        let worlds = try await worlds()
        let (troubled, healthy) = (worlds.troubled, worlds.healthy)
        let (app, gate) = (troubled.app, AsyncSignal())
        worlds.store.fail { step, asked in
            if step == .readDevices, asked == app { await gate.wait(after: 0) }
            return nil
        }
        // As many as are read at once, and one more.
        var slow: [CampaignID] = []
        for _ in 0..<4 { slow.append(try await troubled.campaigns.create(app: app, troubled.request()).id) }
        let campaign = try await healthy.campaigns.create(app: healthy.app, healthy.request())

        try await troubled.dispatching(worlds.dispatcher) {
            try await healthy.wait(for: .sent, of: campaign.id)
            gate.signal()
            for campaign in slow { try await troubled.wait(for: .sent, of: campaign) }
        }
        #expect(troubled.sender.sent.count == 5 * 40)
    }

    @Test("An Occurrence is loaded once, however many are being sent", arguments: [16, 17, 300])
    func contextsAreKept(_ count: Int) async throws {
        let worlds = try await worlds(devices: 2) { ($0.chunkSize, $0.chunksAtOnce) = (1, 4) }
        let world = worlds.healthy
        var campaigns: [CampaignID] = []
        for _ in 0..<count { campaigns.append(try await world.campaigns.create(app: world.app, world.request()).id) }

        try await world.dispatching(worlds.dispatcher) {
            for campaign in campaigns { try await world.wait(for: .sent, of: campaign) }
        }

        #expect(worlds.store.factsCalls == count)
        #expect(world.sender.sent.count == 2 * count)
    }

    @Test("An Occurrence that does not fit into the cache is loaded again")
    func reloadsEvictedOccurrences() async throws {
        let worlds = try await worlds(devices: 3) { options in
            (options.chunkSize, options.chunksAtOnce, options.loadsAtOnce) = (1, 1, 1)
            options.contextBytes = 20_000
        }
        let world = worlds.healthy
        let large = DeliveryWorld.message(String(repeating: "x", count: 2_000))
        var campaigns: [CampaignID] = []
        for _ in 0..<4 {
            campaigns.append(try await world.campaigns.create(app: world.app, world.request(.all, large)).id)
        }

        try await world.dispatching(worlds.dispatcher) {
            for campaign in campaigns { try await world.wait(for: .sent, of: campaign) }
        }

        #expect(worlds.store.factsCalls == 3 * 4)
    }
}
