import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import TestStores
import Testing

/// Two nodes on one database, with separate signals.
@Suite(.enabled(if: TestPlace.isPostgreSQL, "nodes share a PostgreSQL database"), .timeLimit(.minutes(5)))
struct NodesTests {
    @Test("A Campaign that one node cancels stops at the other before that reads the store")
    func cancelsAcrossNodes() async throws {
        try await withNodes { here, there in
            try await here.addDevices(1_000)
            let campaign = try await here.campaigns.create(app: here.app, here.request())
            let dispatcher = there.dispatcher {
                $0.chunkSize = 100
                $0.batchSize = 10
                $0.batchesAtOnce = 1
                $0.chunksAtOnce = 1
            }
            there.sender.hold()
            try await there.dispatching(dispatcher) {
                await there.sender.batches(1)
                let occurrence = try #require(
                    try await there.stores.campaigns.campaign(campaign.id, within: nil)?.occurrence
                )
                _ = try await here.campaigns.cancel(campaign.id, within: here.app)
                // The batch is still held, so only the notification can have reported it.
                try await rings(there.signals.work) { there.signals.isStopped(campaign.id, occurrence) }
                there.sender.release()
                try await there.wait(for: .cancelled, of: campaign.id)
            }

            #expect(there.sender.sent.count == 10)
            #expect(try await here.funnel(campaign.id).accepted == 10)
        }
    }

    @Test("K-67 An App that one node pauses stops at the other before that reads the store")
    func pausesAcrossNodes() async throws {
        try await withNodes { here, there in
            try await here.addDevices(1_000)
            let campaign = try await here.campaigns.create(app: here.app, here.request())
            let dispatcher = there.dispatcher { options in
                (options.chunkSize, options.chunksAtOnce) = (100, 1)
                (options.batchSize, options.batchesAtOnce) = (10, 1)
            }
            there.sender.hold()
            try await there.dispatching(dispatcher) {
                await there.sender.batches(1)
                _ = try await here.apps.pauseSending(here.app, by: nil)
                // The batch is still held, so only the notification can have reported it.
                try await rings(there.signals.work) { there.signals.isPaused(there.app) }
                there.sender.release()
                try await there.wait(of: campaign.id) { $0.accepted == 10 }
                #expect(there.sender.sent.count == 10)
                _ = try await here.apps.resumeSending(here.app)
                try await there.wait(for: .sent, of: campaign.id)
            }
            #expect(there.sender.sent.count == 1_000)
        }
    }

    @Test("Work created by one node wakes the other") func wakesOtherNodes() async throws {
        try await withNodes { here, there in
            let work = there.signals.work
            let before = work.count
            here.signals.announceWork()
            try await rings(work) { work.count > before }
        }
    }

    @Test("Two nodes send a Campaign together, each Device once") func sendsTogether() async throws {
        try await withNodes { here, there in
            try await here.addDevices(600)
            let campaign = try await here.campaigns.create(app: here.app, here.request())
            let options: (inout Dispatcher.Options) -> Void = { $0.chunkSize = 20 }

            try await here.dispatching(here.dispatcher(options), there.dispatcher(options)) {
                // The process that completes it signals itself.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for world in [here, there] { group.addTask { try await world.wait(for: .sent, of: campaign.id) } }
                    try await group.next()
                    group.cancelAll()
                }
            }

            #expect(try await here.funnel(campaign.id).accepted == 600)
            let counts = here.sender.counts
            #expect(counts.count == 600 && counts.values.allSatisfy { $0 == 1 })
        }
    }

    /// Provides two nodes that listen to each other.
    private func withNodes(_ body: (DeliveryWorld, DeliveryWorld) async throws -> Void) async throws {
        try await TestPlace.with { place in
            guard case .postgreSQL(let database) = place else { return }
            let here = try await DeliveryWorld(place: place)
            let there = try await DeliveryWorld(sender: here.sender, time: here.time, place: place, app: here.app)
            let notifications = try [here, there].map { try PostgreSQLNotifications(of: database, joining: $0.signals) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                let before = [here, there].map(\.signals.work.count)
                for notifications in notifications { group.addTask { try await notifications.run() } }
                defer { for notifications in notifications { notifications.stop() } }
                for (world, count) in zip([here, there], before) {
                    // They signal once they listen.
                    try await rings(world.signals.work) { world.signals.work.count > count }
                }
                try await body(here, there)
            }
            here.database.close()
            there.database.close()
        }
    }

    /// Waits until a condition holds that a signal announces.
    private func rings(_ signal: AsyncSignal, until isSo: () -> Bool) async throws {
        while true {
            let count = signal.count
            if isSo() { return }
            await signal.wait(after: count)
            try Task.checkCancellation()
        }
    }
}
