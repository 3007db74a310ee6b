import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import NIOConcurrencyHelpers
import Testing

/// The number of notifications at the push service without committed outcomes, which a killed dispatcher sends again.
@Suite(.timeLimit(.minutes(15)))
struct UnansweredTests {
    /// One Chunk alone can fill the window.
    private static func small(_ options: inout Dispatcher.Options) {
        (options.chunkSize, options.batchesAtOnce) = (100, 8)
        (options.window.total, options.window.irreplaceable) = (80, 16)
    }

    @Test("No more is sent than fits into the window, and committed answers make room")
    func bound() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(500)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(world.dispatcher(Self.small)) {
            for answered in stride(from: 0, to: 500, by: 10) {
                // One App has seven eighths of the window, in batches of an eighth.
                await world.sender.batches(min(answered / 10 + 7, 50))
                let unanswered = world.sender.sent.count - answered
                #expect(unanswered <= 70, "\(unanswered) are with the push service")
                world.time.advance(by: .milliseconds(200))
                world.sender.releaseOne()
            }
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
        #expect(try await world.funnel(campaign.id).accepted == 500)
    }

    @Test(
        "A Chunk that waits for the room of its own answers commits them, however soon they arrived",
        arguments: [false, true]
    )
    func ownAnswers(_ isTransactional: Bool) async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(500)
        var request = world.request()
        request.isTransactional = isTransactional
        let campaign = try await world.campaigns.create(app: world.app, request)

        // Time stands still: no part is ever due.
        try await world.dispatching(world.dispatcher(Self.small)) {
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(try await world.funnel(campaign.id).accepted == 500)
    }

    @Test("Transactional messages, calls and messages without a collapse id have the smaller limit", arguments: 0..<3)
    func smallerBound(_ kind: Int) async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(100) { _ in
            var device = DeliveryWorld.Device()
            device.callPushType = .apnsVoIP
            return device
        }
        var request = world.request()
        switch kind {
        case 0: request.isTransactional = true
        case 1: request.channel = .voip
        default: request.message.collapses = false
        }
        let campaign = try await world.campaigns.create(app: world.app, request)
        world.sender.hold()

        try await world.dispatching(
            world.dispatcher {
                Self.small(&$0)
                $0.chunkSize = 20
            }
        ) {
            for answered in stride(from: 0, to: 100, by: 2) {
                await world.sender.batches(min(answered / 2 + 7, 50))
                #expect(world.sender.sent.count - answered <= 14)
                world.time.advance(by: .milliseconds(200))
                world.sender.releaseOne()
            }
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(world.sender.batchSizes.max() == 2)
        #expect(try await world.funnel(campaign.id).accepted == 100)
    }

    @Test("While answers are slow, more Chunks than usual are sent")
    func growsWithLatency() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1_000)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(world.dispatcher { ($0.chunkSize, $0.batchSize, $0.window.total) = (50, 50, 800) })
        {
            // While nothing is accepted, the usual four are tried.
            await world.sender.batches(4)
            world.sender.releaseOne()
            // Then seven eighths of 800 in Chunks of 50: fourteen.
            await world.sender.batches(15)
            #expect(world.sender.sent.count <= 750)
            world.sender.release()
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
    }

    @Test("Without an accepted notification no more than the usual Chunks are tried, however long a look takes")
    func lateLook() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(200)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()
        let store = FaultyStore(world.stores.deliveries)
        let (looks, looked) = (NIOLockedValueBox(0), AsyncSignal())
        // The second look begins while the first Chunk is read, and sees the state when that is sent.
        store.delayLooks {
            let look = looks.withLockedValue { count in
                count += 1
                return count
            }
            if look == 2 {
                looked.signal()
                await world.sender.batches(1)
            }
        }
        store.fail { step, _ in
            if step == .readDevices, looked.count == 0 { await looked.wait(after: 0) }
            return nil
        }
        var options = Dispatcher.Options()
        (options.chunksAtOnce, options.chunkSize, options.window.total) = (1, 100, 800)

        try await world.dispatching(Dispatcher(options: options, world.dependencies(store))) {
            await world.sender.batches(1)
            for _ in 0..<3 {
                let before = store.heartbeats
                world.time.advance(by: .milliseconds(2_500))
                await store.heartbeats(before + 1)
            }
            #expect(world.sender.sent.count == 100)
            world.sender.release()
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
    }

    @Test("A Campaign that is paused while a Chunk waits for room sends no more")
    func pausedWhileWaiting() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(500)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(world.dispatcher(Self.small)) {
            await world.sender.batches(7)
            _ = try await world.campaigns.pause(campaign.id, within: world.app)
            world.sender.release()
            try await world.wait(for: .paused, of: campaign.id)
        }

        #expect(world.sender.sent.count == 70)
    }
}
