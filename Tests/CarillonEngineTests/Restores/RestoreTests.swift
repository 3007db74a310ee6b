import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Logging
import NIOConcurrencyHelpers
import TestStores
import Testing

/// A store restored from a backup lacks everything sent since.
@Suite(.timeLimit(.minutes(5)))
struct RestoreTests {
    @Test("A Campaign that was sent after the backup is not sent again after a restore")
    func doesNotSendAgain() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, backup) = (folder.appending(path: "a.sqlite").path, folder.appending(path: "backup.sqlite").path)
        let before = try await DeliveryWorld(place: .file(file))
        try await before.addDevices(3)
        var request = before.request()
        let now: Timestamp = before.time.now()
        request.sendAt = now.advanced(by: .seconds(600))
        let campaign = try await before.campaigns.create(app: before.app, request)
        try await SQLiteBackup.copy(file, to: backup, at: before.time.now())
        before.time.advance(by: .seconds(600))
        try await before.dispatching(before.dispatcher()) { try await before.wait(for: .sent, of: campaign.id) }
        #expect(before.sender.sent.count == 3)
        before.database.close()

        before.time.advance(by: .seconds(60))
        let restored = folder.appending(path: "b.sqlite").path
        try await SQLiteBackup.restore(backup, to: restored)
        let after = try await DeliveryWorld(time: before.time, place: .file(restored), app: before.app)
        defer { after.database.close() }
        #expect(try await start(after) == 1)

        try await after.dispatching(after.dispatcher()) {
            let fresh = try await after.campaigns.create(app: after.app, after.request())
            try await after.wait(for: .sent, of: fresh.id)
            let held = try await after.campaigns.campaign(campaign.id, within: nil)
            #expect(held.state == .paused)
            #expect(held.alarm == "Restored from a backup of 2026-03-01T12:00:00Z; resume or cancel")
            #expect(after.sender.sent.count == 3)
            _ = try await after.campaigns.resume(campaign.id, within: nil)
            try await after.wait(for: .sent, of: campaign.id)
        }
        #expect(after.sender.sent.count == 6)
        #expect(try await start(after) == nil)
    }

    @Test("Campaigns due or being sent at a backup are paused, later ones are not")
    func pausesDueCampaigns() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        let now: Timestamp = world.time.now()
        let underWay = try await world.campaigns.create(app: world.app, world.request())
        var request = world.request()
        request.sendAt = now.advanced(by: .seconds(60))
        let due = try await world.campaigns.create(app: world.app, request)
        request.sendAt = now.advanced(by: .seconds(3_600))
        let later = try await world.campaigns.create(app: world.app, request)
        request.schedule = Schedule(.daily, times: [TimeOfDay("21:01")].compactMap(\.self), zone: "Asia/Seoul")
        request.sendAt = nil
        let daily = try await world.campaigns.create(app: world.app, request)
        request.schedule = nil
        request.draft = true
        let draft = try await world.campaigns.create(app: world.app, request)
        try await world.stores.restores.markRestored(from: now)

        world.time.advance(by: .seconds(120))
        #expect(try await start(world) == 3)

        func state(_ campaign: Campaign) async throws -> Campaign.State {
            try await world.campaigns.campaign(campaign.id, within: nil).state
        }
        #expect(try await state(underWay) == .paused)
        #expect(try await state(due) == .paused)
        #expect(try await state(daily) == .paused)
        #expect(try await state(later) == .scheduled)
        #expect(try await state(draft) == .draft)
        #expect(try await start(world) == nil)
    }

    @Test("Campaigns are paused in several transactions") func pausesInSteps() async throws {
        let world = try await DeliveryWorld()
        for _ in 0..<230 { _ = try await world.campaigns.create(app: world.app, world.request()) }
        try await world.stores.restores.markRestored(from: world.time.now())

        #expect(try await start(world) == 230)

        #expect(try await world.count("SELECT count(*) FROM campaigns WHERE state = 'sending'") == 0)
        #expect(try await world.count("SELECT count(*) FROM restore_marks") == 0)
    }

    // MARK: - Late beginnings

    @Test("A Campaign more than an hour late waits until somebody resumes it") func waitsWhenLate() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2)
        var request = world.request()
        let now: Timestamp = world.time.now()
        request.sendAt = now.advanced(by: .seconds(600))
        let campaign = try await world.campaigns.create(app: world.app, request)

        world.time.advance(by: .seconds(600 + 3_601))
        try await world.dispatching(world.dispatcher()) {
            try await world.wait(for: .paused, of: campaign.id)
            #expect(
                try await world.campaigns.campaign(campaign.id, within: nil).alarm
                    == "Late: due at 2026-03-01T12:10:00Z; resume or cancel"
            )
            #expect(world.sender.sent.isEmpty)
            // It is sent when somebody resumes it, however late.
            world.time.advance(by: .seconds(7_200))
            _ = try await world.campaigns.resume(campaign.id, within: nil)
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(world.sender.sent.count == 2)
    }

    @Test("A Campaign an hour late is sent, and so is a later one under a higher limit")
    func sendsSlightlyLateCampaigns() async throws {
        for (limit, late) in [(3_600, 3_600), (86_400, 80_000)] {
            let world = try await DeliveryWorld()
            try await world.addDevices(1)
            var request = world.request()
            let now: Timestamp = world.time.now()
            request.sendAt = now.advanced(by: .seconds(600))
            let campaign = try await world.campaigns.create(app: world.app, request)

            world.time.advance(by: .seconds(600 + late))
            try await world.dispatching(world.dispatcher { $0.lateness = .seconds(limit) }) {
                try await world.wait(for: .sent, of: campaign.id)
            }

            #expect(world.sender.sent.count == 1)
        }
    }

    @Test("Groups that were due during a pause follow the one that was resumed") func resumesGroups() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(40)
        var request = world.request()
        let now: Timestamp = world.time.now()
        request.sendAt = now.advanced(by: .seconds(600))
        request.pace = .groups(4, every: 600)
        let campaign = try await world.campaigns.create(app: world.app, request)

        world.time.advance(by: .seconds(10_000))
        try await world.dispatching(world.dispatcher()) {
            try await world.wait(for: .paused, of: campaign.id)
            _ = try await world.campaigns.resume(campaign.id, within: nil)
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(world.sender.sent.count == 40)
    }

    /// Does what a server does at its start.
    private func start(_ world: DeliveryWorld) async throws -> Int? {
        try await RestoredStore(
            store: world.stores.restores,
            clock: world.time,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ).pauseWhatWasDue()
    }
}
