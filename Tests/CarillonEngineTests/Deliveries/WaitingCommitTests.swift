import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import NIOConcurrencyHelpers
import Testing

/// Commits that fail while everything else succeeds.
@Suite(.timeLimit(.minutes(15)))
struct WaitingCommitTests {
    private static let locked = StoreError.unavailable("Somebody locks the table.")

    @Test(
        "A holder that can commit nothing for a minute keeps its lease, and nobody sends the Chunk again",
        arguments: [true, false]
    )
    func keepsItsLease(_ canShowIt: Bool) async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(100)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        let store = FaultyStore(world.stores.deliveries)
        store.failShows(canShowIt ? nil : Self.locked)
        store.failCommits { _ in Self.locked }
        var other = world.dispatcher().dependencies
        let idle = FakeSender()
        other.sender = idle

        try await world.dispatching(Dispatcher(world.dependencies(store))) {
            await world.sender.batches(1)
            try await world.dispatching(Dispatcher(other)) {
                for beat in 1...24 {
                    let before = store.heartbeats
                    world.time.advance(by: .milliseconds(2_500))
                    await store.heartbeats(before + 1)
                    // The other one may look any number of times.
                    other.signals.work.signal()
                    #expect(idle.sent.isEmpty, "after \(beat) heartbeats")
                }
                store.failCommits { _ in nil }
                _ = try await world.withTimeRunning { try await world.wait(for: .sent, of: campaign.id) }
            }
        }

        #expect(idle.sent.isEmpty)
        #expect(world.sender.counts.count == 100 && world.sender.counts.values.allSatisfy { $0 == 1 })
        #expect(try await world.funnel(campaign.id).accepted == 100)
    }

    @Test("A commit that the store delays is not retried in its slot")
    func leavesItsSlot() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        let store = FaultyStore(world.stores.deliveries)
        let dependencies = world.dependencies(store)
        let waiting = NIOLockedValueBox<[Int]>([])
        store.failCommits { [time = world.time] _ in
            let attempt = waiting.withLockedValue { seen in
                seen.append(dependencies.figures.snapshot.chunksWaiting)
                return seen.count
            }
            guard attempt <= 2 else { return nil }
            time.advance(by: .seconds(6))
            return Self.locked
        }

        try await world.dispatching(Dispatcher(dependencies)) {
            _ = try await world.withTimeRunning { try await world.wait(for: .sent, of: campaign.id) }
        }

        #expect(waiting.withLockedValue { $0 } == [0, 1, 1])
        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
    }

    @Test("Waiting commits occupy no slot: the next Campaign is sent, and nothing more of theirs")
    func keepsNoSlot() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(30)
        let first = try await world.campaigns.create(app: world.app, world.request())
        let store = FaultyStore(world.stores.deliveries)
        store.failCommits { $0.lease.campaign == first.id ? Self.locked : nil }
        var options = Dispatcher.Options()
        (options.chunksAtOnce, options.smallChunksAtOnce, options.chunkSize) = (1, 1, 10)
        let dependencies = world.dependencies(store)

        try await world.dispatching(Dispatcher(options: options, dependencies)) {
            try await world.withTimeRunning {
                await world.sender.batches(1)
                let second = try await world.campaigns.create(app: world.app, world.request())
                try await world.wait(for: .sent, of: second.id)
                #expect(world.sender.sent.count == 10 + 30)
                let figures = dependencies.figures.snapshot
                #expect((figures.chunksWaiting, figures.notificationsWaiting) == (1, 10))
                try await world.waitForHeartbeats(of: store, until: first.id) { $0?.waitingForStoreSince != nil }
                store.failCommits { _ in nil }
                try await world.wait(for: .sent, of: first.id)
                try await world.waitForHeartbeats(of: store, until: first.id) { $0?.waitingForStoreSince == nil }
            }
        }

        #expect(world.sender.counts.values.allSatisfy { $0 == 2 })
        #expect(try await world.funnel(first.id).accepted == 30)
        #expect(dependencies.figures.snapshot.chunksWaiting == 0)
    }

    @Test("With too many waiting commits the node takes no new work until some are stored")
    func takesNoNewWork() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10)
        let first = try await world.campaigns.create(app: world.app, world.request())
        let store = FaultyStore(world.stores.deliveries)
        store.failCommits { $0.lease.campaign == first.id ? Self.locked : nil }
        var options = Dispatcher.Options()
        options.waitingChunks = 1
        let dependencies = world.dependencies(store)

        try await world.dispatching(Dispatcher(options: options, dependencies)) {
            try await world.withTimeRunning {
                await world.sender.batches(1)
                while dependencies.figures.snapshot.chunksWaiting == 0 { await store.heartbeats(store.heartbeats + 1) }
                let second = try await world.campaigns.create(app: world.app, world.request())
                await store.heartbeats(store.heartbeats + 20)
                #expect(world.sender.sent.count == 10)
                store.failCommits { _ in nil }
                try await world.wait(for: .sent, of: second.id)
                try await world.wait(for: .sent, of: first.id)
            }
        }

        #expect(world.sender.counts.values.allSatisfy { $0 == 2 })
    }

    @Test("An App with half of the waiting commits gets no further Chunk, and others continue")
    func keepsNobodyElse() async throws {
        let world = try await DeliveryWorld()
        let other = try await world.withNewApp()
        for world in [world, other] { try await world.addDevices(10) }
        let store = FaultyStore(world.stores.deliveries)
        store.failCommits { $0.lease.chunk.app == world.app ? Self.locked : nil }
        var options = Dispatcher.Options()
        options.waitingChunks = 4
        let dependencies = world.dependencies(store)

        try await world.dispatching(Dispatcher(options: options, dependencies)) {
            try await world.withTimeRunning {
                var campaigns: [CampaignID] = []
                for place in 1...3 {
                    campaigns.append(try await world.campaigns.create(app: world.app, world.request()).id)
                    while dependencies.figures.snapshot.chunksWaiting < min(place, 2) {
                        await store.heartbeats(store.heartbeats + 1)
                    }
                }
                let free = try await other.campaigns.create(app: other.app, other.request())
                try await other.wait(for: .sent, of: free.id)
                #expect(world.sender.sent.count == 2 * 10 + 10)
                #expect(dependencies.figures.snapshot.chunksWaiting == 2)
                store.failCommits { _ in nil }
                for campaign in campaigns { try await world.wait(for: .sent, of: campaign) }
            }
        }

        #expect(world.sender.sent.count == 40)
    }

    @Test("Stored parts of a waiting Chunk make room for others")
    func makesRoom() async throws {
        let world = try await DeliveryWorld()
        let other = try await world.withNewApp()
        for world in [world, other] { try await world.addDevices(10) }
        let first = try await world.campaigns.create(app: world.app, world.request())
        let store = FaultyStore(world.stores.deliveries)
        store.failCommits { $0.lease.campaign == first.id ? Self.locked : nil }
        var options = Dispatcher.Options()
        (options.waitingNotifications, options.commitSize) = (10, 5)
        let dependencies = world.dependencies(store)

        try await world.dispatching(Dispatcher(options: options, dependencies)) {
            try await world.withTimeRunning {
                while dependencies.figures.snapshot.chunksWaiting == 0 { await store.heartbeats(store.heartbeats + 1) }
                let second = try await other.campaigns.create(app: other.app, other.request())
                store.failCommits { $0.lease.campaign == first.id && $0.ending != .goesOn ? Self.locked : nil }
                try await other.wait(for: .sent, of: second.id)
                #expect(dependencies.figures.snapshot.chunksWaiting == 1)
                store.failCommits { _ in nil }
                try await world.wait(for: .sent, of: first.id)
            }
        }

        #expect(world.sender.counts.values.allSatisfy { $0 == 2 })
    }

    @Test("Verdicts that cannot be written delay no outcome, and are written later")
    func verdictsWait() async throws {
        let world = try await DeliveryWorld(
            sender: FakeSender { notification in
                notification.device.rawValue == 1
                    ? .dropDeviceToken(FailureReason(rawValue: "Unregistered"), since: Timestamp(rawValue: .max))
                    : .accepted
            }
        )
        try await world.addDevices(3)
        let store = FaultyStore(world.stores.deliveries)
        store.failVerdicts(Self.locked)
        let dependencies = world.dependencies(store)

        try await world.dispatching(Dispatcher(dependencies)) {
            let campaign = try await world.campaigns.create(app: world.app, world.request())
            try await world.wait(for: .sent, of: campaign.id)
            #expect(try await world.funnel(campaign.id).accepted == 2)
            #expect(try await world.tokenState(1) == .active)
            #expect(dependencies.figures.snapshot.verdictsWaiting == 1)
            store.failVerdicts(nil)
            try await world.withTimeRunning {
                while dependencies.figures.snapshot.verdictsWaiting > 0 { await world.advanceToNextSleeper() }
            }
        }

        #expect(try await world.tokenState(1) == .dropped)
        #expect(dependencies.figures.snapshot.deadTokens == 1)
        #expect(dependencies.figures.snapshot.verdictsDropped == 0)
    }

    @Test("Verdicts beyond the limit are dropped and counted")
    func verdictsAreGivenUp() async throws {
        let world = try await DeliveryWorld(
            sender: FakeSender { _ in
                .dropDeviceToken(FailureReason(rawValue: "Unregistered"), since: Timestamp(rawValue: .max))
            }
        )
        try await world.addDevices(3)
        let store = FaultyStore(world.stores.deliveries)
        store.failVerdicts(Self.locked)
        let dependencies = world.dependencies(store)
        var options = Dispatcher.Options()
        options.waitingVerdicts = 2

        try await world.dispatching(Dispatcher(options: options, dependencies)) {
            let campaign = try await world.campaigns.create(app: world.app, world.request())
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(dependencies.figures.snapshot.verdictsDropped == 3)
        #expect(try await world.tokenState(1) == .active)
    }

    @Test("A node whose session was ended begins another one and continues")
    func beginsAnotherSession() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10)
        let dependencies = world.dispatcher().dependencies
        world.sender.hold()

        try await world.dispatching(Dispatcher(dependencies)) {
            let first = try await world.campaigns.create(app: world.app, world.request())
            await world.sender.batches(1)
            _ = try await world.database.write { connection in
                try connection.run("DELETE FROM dispatcher_sessions")
            }
            world.time.advance(by: .milliseconds(2_500))
            while dependencies.figures.snapshot.lostSessions == 0 { await Task.yield() }
            world.sender.release()
            try await world.wait(for: .sent, of: first.id)
            let second = try await world.campaigns.create(app: world.app, world.request())
            try await world.wait(for: .sent, of: second.id)
        }

        #expect(world.sender.counts.values.allSatisfy { $0 == 2 })
        #expect(try await world.rowCount("SELECT count(*) FROM dispatcher_sessions") <= 1)
    }
}
