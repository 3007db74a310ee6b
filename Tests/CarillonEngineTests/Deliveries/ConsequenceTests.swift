import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConsequenceTests {
    private static let reason = FailureReason(rawValue: "SomeReason")

    /// Sends to ten Devices, of which number 3 gets a different answer.
    private func send(
        _ consequence: Consequence,
        registeredAt: Int64? = 1_000
    ) async throws -> (DeliveryWorld, CampaignID) {
        let world = try await DeliveryWorld()
        try await world.addDevices(10) { _ in .init(tokenAt: registeredAt) }
        world.sender.answer { $0.device.rawValue == 3 ? consequence : .accepted }
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher()) {
            try await world.wait(for: .sent, of: campaign.id)
        }
        return (world, campaign.id)
    }

    @Test("A refused message fails with its reason") func failsRefusedMessages() async throws {
        let (world, campaign) = try await send(.dropMessage(Self.reason))

        let funnel = try await world.funnel(campaign)
        #expect((funnel.targeted, funnel.accepted) == (10, 9))
        #expect(funnel.failed == ["SomeReason": 1])
        let delivery = try await world.deliveries(campaign)[3]
        #expect(
            delivery
                == Delivery(
                    device: DeliveryWorld.id(3),
                    pushType: .apns,
                    outcome: .failed,
                    reason: "SomeReason",
                    at: world.time.now()
                )
        )
        #expect(
            try await world.campaigns.failures(campaign, within: world.app)
                == [FailureCount(reason: "SomeReason", outcome: .failed, count: 1)]
        )
        #expect(try await world.tokenState(3) == .active)
    }

    @Test("A token that became invalid after its registration is dropped")
    func dropsDeadTokens() async throws {
        let (world, campaign) = try await send(.dropDeviceToken(Self.reason, since: Timestamp(rawValue: 1_001)))

        #expect(try await world.tokenState(3) == .dropped)
        #expect(try await world.tokenState(4) == .active)
        #expect(try await world.funnel(campaign).failed == ["SomeReason": 1])
    }

    @Test("A token that was registered after it became invalid stays active")
    func keepsTokensRegisteredAgain() async throws {
        let (world, campaign) = try await send(.dropDeviceToken(Self.reason, since: Timestamp(rawValue: 999)))

        #expect(try await world.tokenState(3) == .active)
        #expect(try await world.funnel(campaign).failed == ["SomeReason": 1])
    }

    @Test("An invalid token without a known time of registration is dropped")
    func dropsImportedTokens() async throws {
        let (world, _) = try await send(
            .dropDeviceToken(Self.reason, since: Timestamp(rawValue: 1)),
            registeredAt: nil
        )

        #expect(try await world.tokenState(3) == .dropped)
    }

    @Test("A token that changed between sending and answer stays active")
    func keepsAnotherToken() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1) { _ in .init(tokenAt: 1_000) }
        world.sender.answer { _ in .dropDeviceToken(Self.reason, since: nil) }
        world.sender.hold()
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher()) {
            await world.sender.batches(1)
            let app = world.app
            _ = try await world.database.write { connection in
                try connection.run(
                    "UPDATE devices SET token = $1 WHERE app_id = $2",
                    DeliveryWorld.token(99),
                    app
                )
            }
            world.sender.release()
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(try await world.tokenState(1) == .active)
    }

    @Test("A token that belongs elsewhere is quarantined") func quarantinesTokens() async throws {
        let (world, campaign) = try await send(.quarantineDeviceToken(Self.reason))

        #expect(try await world.tokenState(3) == .quarantined)
        #expect(try await world.funnel(campaign).failed == ["SomeReason": 1])

        // Nothing is sent to it again.
        let second = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher()) {
            try await world.wait(for: .sent, of: second.id)
        }
        #expect(try await world.funnel(second.id).targeted == 9)
    }

    @Test("A Campaign pauses when most tokens belong elsewhere, and they stay active")
    func pausesForWrongTokens() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(1_000)
        world.sender.answer { $0.device.rawValue <= 600 ? .quarantineDeviceToken(Self.reason) : .accepted }
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher()) {
            let paused = try await world.wait(for: .paused, of: campaign.id)

            #expect(paused.alarm == "SomeReason")
            let funnel = try await world.funnel(campaign.id)
            #expect((funnel.targeted, funnel.accepted, funnel.failed) == (400, 400, [:]))
            #expect(try await world.tokenState(1) == .active)

            // After the correction it continues, and nobody gets it twice.
            world.sender.answer { _ in .accepted }
            _ = try await world.campaigns.resume(campaign.id, within: world.app)
            try await world.wait(for: .sent, of: campaign.id)
        }
        #expect(try await world.funnel(campaign.id).accepted == 1_000)
        #expect(world.sender.counts.values.count { $0 == 1 } == 400)
        #expect(world.sender.counts.values.count { $0 == 2 } == 600)
    }

    @Test(
        "T-56 a Campaign with refused credentials pauses with an alarm, and continues when they are corrected",
        arguments: [
            FailureReason.noPushKey, FailureReason(rawValue: "TopicDisallowed"),
            FailureReason(rawValue: "InvalidProviderToken"), FailureReason(rawValue: "BadCertificate"),
        ]
    )
    func pausesWhenTheServiceTakesNobodysNotifications(_ reason: FailureReason) async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(10_000)
        world.sender.answer { _ in .halt(reason) }
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(world.dispatcher { $0.chunksAtOnce = 1 }) {
            let paused = try await world.wait(for: .paused, of: campaign.id)

            #expect(paused.alarm == reason.rawValue)
            #expect(try await world.funnel(campaign.id) == Funnel())
            // Only the batches in flight were sent.
            #expect(world.sender.sent.count <= 3_000)

            world.sender.answer { _ in .accepted }
            let resumed = try await world.campaigns.resume(campaign.id, within: world.app)
            #expect((resumed.state, resumed.alarm) == (.sending, nil))
            try await world.wait(for: .sent, of: campaign.id)
        }
        #expect(try await world.funnel(campaign.id).accepted == 10_000)
    }

    @Test("A message that can no longer be rendered fails") func failsUnrenderableMessages() async throws {
        let world = try await DeliveryWorld(sender: FakeSender(limit: 60))
        try await world.addDevices(2) { .init(language: $0 == 1 ? "en" : "ja") }
        var message = DeliveryWorld.message()
        message.content["ja"] = LocalizedContent(body: String(repeating: "x", count: 20))
        let campaign = try await world.campaigns.create(app: world.app, world.request(.all, message))
        // The service's limit becomes smaller between acceptance and sending.
        let small = FakeSender(limit: 45)
        var dependencies = world.dispatcher().dependencies
        dependencies.sender = small
        try await world.dispatching(Dispatcher(dependencies)) {
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(try await world.funnel(campaign.id).failed == ["PayloadTooLarge": 1])
        #expect(small.sent.map(\.device.rawValue) == [1])
    }
}
