import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import TestStores
import Testing

/// Pausing all sending of an App.
@Suite(.timeLimit(.minutes(5)))
struct PausedAppTests {
    private static let slow: @Sendable (inout Dispatcher.Options) -> Void = { options in
        (options.chunkSize, options.chunksAtOnce) = (100, 1)
        (options.batchSize, options.batchesAtOnce) = (10, 1)
    }

    @Test("K-67 A paused App's Campaign stops after the batches in flight, and each Device gets one after the pause")
    func stopsBetweenBatches() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1_000)
        let other = try await world.withNewApp()
        try await other.addDevices(5)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(world.dispatcher(Self.slow)) {
            await world.sender.batches(1)
            _ = try await world.apps.pauseSending(world.app, by: "opr_000000000001")
            world.sender.release()
            try await world.wait(of: campaign.id) { $0.accepted == 10 }
            // The dispatcher goes on with other Apps, so it has looked at what there is.
            let unaffected = try await other.campaigns.create(app: other.app, other.request())
            try await other.wait(for: .sent, of: unaffected.id)

            #expect(world.sender.sent.count == 15)
            #expect(try await world.campaigns.campaign(campaign.id, within: nil).state == .sending)
            _ = try await world.apps.resumeSending(world.app)
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(world.sender.sent.count == 1_005)
        #expect(try await world.funnel(campaign.id).accepted == 1_000)
    }

    @Test("K-67 A node that got no notification stops when it commits")
    func stopsAtCommit() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1_000)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(
            world.dispatcher { options in
                Self.slow(&options)
                options.commitSize = 10
            }
        ) {
            await world.sender.batches(1)
            // As another node writes it whose notification is lost.
            _ = try await world.stores.apps.setSendingPaused(world.app, since: world.time.now(), by: nil)
            world.sender.release()
            try await world.wait(of: campaign.id) { $0.accepted >= 10 }
            let other = try await world.withNewApp()
            try await other.addDevices(1)
            let unaffected = try await other.campaigns.create(app: other.app, other.request())
            try await other.wait(for: .sent, of: unaffected.id)
        }

        #expect(try await world.funnel(campaign.id).accepted == 10)
        #expect(world.sender.sent.count == 11)
    }

    @Test("K-67 What comes during the pause waits, on a server that starts again too; calls and tests are refused")
    func waits() async throws {
        try await TestPlace.with { place in
            let before = try await DeliveryWorld(place: place)
            try await before.addDevices(3)
            let paused = try await before.apps.pauseSending(before.app, by: "key_000000000001")
            #expect(paused.sendingPausedAt == before.time.now())
            #expect(paused.sendingPausedBy == "key_000000000001")
            // Pausing again changes nothing.
            #expect(try await before.apps.pauseSending(before.app, by: "opr_000000000002") == paused)
            before.database.close()

            let world = try await DeliveryWorld(
                sender: before.sender,
                time: before.time,
                place: place,
                app: before.app
            )
            let campaign = try await world.campaigns.create(app: world.app, world.request())
            var later = world.request()
            later.sendAt = world.time.now().advanced(by: .seconds(60))
            let scheduled = try await world.campaigns.create(app: world.app, later)
            var call = world.request()
            call.channel = .voip
            await #expect(throws: EngineError.self) { _ = try await world.campaigns.create(app: world.app, call) }
            let test = TestSendRequest(device: DeliveryWorld.id(1), message: DeliveryWorld.message())
            await #expect(throws: EngineError.self) { _ = try await world.campaigns.test(app: world.app, test) }
            try await world.campaigns.sendUserMessage(app: world.app, world.request(.devices([DeliveryWorld.id(2)])))
            let other = try await world.withNewApp()
            try await other.addDevices(1)

            try await world.dispatching(world.dispatcher()) {
                world.time.advance(by: .seconds(120))
                world.signals.announceWork()
                let unaffected = try await other.campaigns.create(app: other.app, other.request())
                try await other.wait(for: .sent, of: unaffected.id)
                #expect(world.sender.sent.count == 1)
                #expect(try await world.campaigns.campaign(scheduled.id, within: nil).state == .scheduled)

                _ = try await world.apps.resumeSending(world.app)
                for id in [campaign.id, scheduled.id] { try await world.wait(for: .sent, of: id) }
            }
            #expect(try await world.apps.app(world.app).sendingPausedAt == nil)
            #expect(try await world.funnel(campaign.id).accepted == 3)
            #expect(try await world.funnel(scheduled.id).accepted == 3)
            world.database.close()
        }
    }

    @Test("A Campaign of a paused App can be cancelled") func cancels() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1_000)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        world.sender.hold()

        try await world.dispatching(world.dispatcher(Self.slow)) {
            await world.sender.batches(1)
            _ = try await world.apps.pauseSending(world.app, by: nil)
            world.sender.release()
            try await world.wait(of: campaign.id) { $0.accepted == 10 }
            _ = try await world.campaigns.cancel(campaign.id, within: world.app)
            try await world.wait(for: .cancelled, of: campaign.id)
        }
        #expect(world.sender.sent.count == 10)
    }
}
