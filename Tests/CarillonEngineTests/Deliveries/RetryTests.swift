import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RetryTests {
    private static let busy = FailureReason(rawValue: "TooManyRequests")

    @Test("A failed attempt is retried after a delay and succeeds") func retries() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10)
        world.sender.answer { $0.device.rawValue <= 4 ? .retryLater(Self.busy, after: nil) : .accepted }
        let campaign = try await world.campaigns.create(app: world.app, world.request())

        try await world.dispatching(world.dispatcher()) {
            try await world.wait(of: campaign.id) { $0.retrying == 4 }
            #expect(try await world.funnel(campaign.id).targeted == 10)
            #expect(try await world.campaigns.campaign(campaign.id, within: nil).state == .sending)
            world.sender.answer { _ in .accepted }
            try await world.advanceToNextRetry(of: campaign.id)
            try await world.wait(for: .sent, of: campaign.id)
        }

        let funnel = try await world.funnel(campaign.id)
        #expect((funnel.targeted, funnel.accepted, funnel.retrying) == (10, 10, 0))
        #expect(world.sender.sent.count == 14)
        #expect(try await world.rowCount(.retryCount) == 0)
    }

    @Test("A retry waits as long as the service asks") func waitsAsLongAsAsked() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        world.sender.answer { _ in .retryLater(Self.busy, after: .seconds(50)) }
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        let start: Timestamp = world.time.now()

        try await world.dispatching(world.dispatcher()) {
            try await world.wait(of: campaign.id) { $0.retrying == 1 }
            world.sender.answer { _ in .accepted }
            try await world.advanceToNextRetry(of: campaign.id)
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(start.duration(to: world.time.now()) == .seconds(50))
    }

    @Test("Retries end when the time is over") func endsRetries() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(7)
        world.sender.answer { _ in .retryLater(Self.busy, after: nil) }
        var request = world.request()
        request.retryFor = 3_600
        let campaign = try await world.campaigns.create(app: world.app, request)
        let start: Timestamp = world.time.now()

        try await world.dispatching(world.dispatcher()) {
            while try await world.advanceToNextRetry(of: campaign.id) {}
        }

        let funnel = try await world.funnel(campaign.id)
        #expect((funnel.targeted, funnel.retrying, funnel.failed) == (7, 0, ["TooManyRequests": 7]))
        #expect(start.duration(to: world.time.now()) == .seconds(3_600))
        #expect(try await world.deliveries(campaign.id).values.allSatisfy { $0.outcome == .expired })
        // 2, 6, 14, 30, 62, 126, 254, 510, 1022, 1622, 2222, 2822, 3422 seconds, and the end.
        #expect(world.sender.counts.values.allSatisfy { $0 == 15 })
    }

    @Test("An expired message is not retried", arguments: [0, 60])
    func endsAtExpiration(_ expiresIn: Int) async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1)
        world.sender.answer { _ in .retryLater(Self.busy, after: nil) }
        var message = DeliveryWorld.message()
        message.expiresIn = expiresIn
        let campaign = try await world.campaigns.create(app: world.app, world.request(.all, message))
        let start: Timestamp = world.time.now()

        try await world.dispatching(world.dispatcher()) {
            while try await world.advanceToNextRetry(of: campaign.id) {}
        }

        #expect(try await world.funnel(campaign.id).failed == ["TooManyRequests": 1])
        // 2, 6, 14, 30 seconds, and the end.
        #expect(world.sender.sent.count == (expiresIn == 0 ? 1 : 6))
        #expect(start.duration(to: world.time.now()) == .seconds(expiresIn))
    }

    @Test("Consent and token are checked again before a retry") func checksConsentAgain() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(4) { _ in .init(tokenAt: nil) }
        world.sender.answer { _ in .retryLater(Self.busy, after: nil) }
        let campaign = try await world.campaigns.create(app: world.app, world.request())

        try await world.dispatching(world.dispatcher()) {
            try await world.wait(of: campaign.id) { $0.retrying == 4 }
            let app = world.app
            _ = try await world.database.write { connection in
                try connection.run("UPDATE devices SET consent = 0 WHERE app_id = $1 AND number = 1", app)
                try connection.run("UPDATE devices SET token_state = 3 WHERE app_id = $1 AND number = 2", app)
                try connection.run("DELETE FROM devices WHERE app_id = $1 AND number = 3", app)
            }
            world.sender.answer { _ in .accepted }
            try await world.advanceToNextRetry(of: campaign.id)
            try await world.wait(for: .sent, of: campaign.id)
        }

        let funnel = try await world.funnel(campaign.id)
        #expect((funnel.targeted, funnel.accepted, funnel.retrying) == (4, 1, 0))
        #expect(funnel.skipped == ["NoConsent": 1, "NoToken": 2])
        #expect(try await world.deliveries(campaign.id)[3]?.device == nil)
    }

    @Test("Many retries form Chunks") func sendsRetriesInChunks() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1_000)
        world.sender.answer { _ in .retryLater(.noAnswer, after: nil) }
        let campaign = try await world.campaigns.create(app: world.app, world.request())

        try await world.dispatching(world.dispatcher { $0.chunkSize = 70 }) {
            try await world.wait(of: campaign.id) { $0.retrying == 1_000 }
            try await world.advanceToNextRetry(of: campaign.id)
            try await world.advanceToNextRetry(of: campaign.id)
            world.sender.answer { _ in .accepted }
            while try await world.advanceToNextRetry(of: campaign.id) {}
        }

        #expect(try await world.funnel(campaign.id).accepted == 1_000)
        #expect(world.sender.counts.values.allSatisfy { $0 == 3 })
    }

    @Test("Retries of a cancelled Campaign are closed") func closesCancelledRetries() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10)
        world.sender.answer { $0.device.rawValue == 1 ? .accepted : .retryLater(Self.busy, after: nil) }
        let campaign = try await world.campaigns.create(app: world.app, world.request())

        try await world.dispatching(world.dispatcher { $0.chunkSize = 4 }) {
            try await world.wait(of: campaign.id) { $0.retrying == 9 }
            _ = try await world.campaigns.cancel(campaign.id, within: world.app)
            try await world.wait(for: .cancelled, of: campaign.id)
        }

        let funnel = try await world.funnel(campaign.id)
        #expect((funnel.targeted, funnel.accepted, funnel.retrying) == (10, 1, 0))
        #expect(funnel.failed == ["Cancelled": 9])
        #expect(world.sender.sent.count == 10)
        #expect(try await world.rowCount(.waveCount) == 0)
    }
}
