import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ChannelTests {
    /// Devices with a device token, with a VoIP token, and with both.
    private func world(_ sender: FakeSender = FakeSender()) async throws -> DeliveryWorld {
        let world = try await DeliveryWorld(sender: sender)
        try await world.addDevices(6) { number in
            switch number {
            case 1: .init()
            case 2: .init(callPushType: .apnsVoIP)
            case 3: .init(consent: [], callPushType: .apnsVoIPSandbox)
            case 4: .init(consent: [], tokenState: .none, callPushType: .apnsVoIP)
            case 5: .init(tokenState: .none)
            default: .init(pushType: .apnsSandbox)
            }
        }
        return world
    }

    @Test("T-36 a notification never reaches a VoIP token")
    func notifications() async throws {
        let world = try await world()

        let campaign = try await world.dispatching(world.dispatcher()) {
            let campaign = try await world.campaigns.create(app: world.app, world.request())
            return try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(Set(world.sender.sent.map(\.device.rawValue)) == [1, 2, 6])
        #expect(world.sender.sent.allSatisfy { !$0.pushType.isVoIP })
        #expect(try await world.funnel(campaign.id).skipped == ["NoConsent": 1])
    }

    @Test("T-65 a call needs no consent and reaches only VoIP tokens")
    func calls() async throws {
        let world = try await world()
        var request = world.request()
        request.channel = .voip
        request.message.collapseID = "mine"
        request.message.priority = .low

        let campaign = try await world.dispatching(world.dispatcher()) { [request] in
            let campaign = try await world.campaigns.create(app: world.app, request)
            return try await world.wait(for: .sent, of: campaign.id)
        }

        let sent = world.sender.sent.sorted { $0.device < $1.device }
        #expect(sent.map(\.device.rawValue) == [2, 3, 4])
        #expect(sent.map(\.pushType) == [.apnsVoIP, .apnsVoIPSandbox, .apnsVoIP])
        #expect(sent.map(\.token) == [2, 3, 4].map { DeliveryWorld.token($0).reversed() })
        let options = DeliveryOptions(purpose: .call, priority: .high, expiration: .immediately, collapseID: nil)
        #expect(sent.allSatisfy { $0.options == options })
        #expect(campaign.channel == .voip)
        let funnel = try await world.funnel(campaign.id)
        #expect((funnel.targeted, funnel.accepted, funnel.skipped) == (3, 3, [:]))
        #expect(try await world.deliveries(campaign.id)[3]?.pushType == .apnsVoIPSandbox)
    }

    @Test("A test send may be a call") func testsCalls() async throws {
        let world = try await world()
        var request = TestSendRequest(device: DeliveryWorld.id(2), message: DeliveryWorld.message())
        request.channel = .voip

        try await world.dispatching(world.dispatcher()) { [request] in
            let campaign = try await world.campaigns.test(app: world.app, request)
            try await world.wait(for: .sent, of: campaign.id)
        }

        #expect(world.sender.sent.map(\.pushType) == [.apnsVoIP])
    }

    @Test("A call that is not accepted is retried only if it may wait") func retriesCallsThatMayWait() async throws {
        let world = try await world(FakeSender { _ in .retryLater(.notSent, after: nil) })
        var request = world.request(.devices([DeliveryWorld.id(2)]))
        request.channel = .voip

        try await world.dispatching(world.dispatcher()) { [request] in
            let now = try await world.campaigns.create(app: world.app, request)
            try await world.wait(for: .sent, of: now.id)
            #expect(try await world.funnel(now.id).failed == ["NotSent": 1])
            var patient = request
            patient.message.expiresIn = 60
            let later = try await world.campaigns.create(app: world.app, patient)
            try await world.wait(of: later.id) { $0.retrying == 1 }
        }
        let end = world.sender.sent.last?.options.expiration
        #expect(end != .immediately && end != .unset)
    }

    @Test("Messages that need consent are refused on the VoIP channel") func refusesAdsAsCalls() async throws {
        let world = try await world()
        var ad = world.request()
        ad.channel = .voip
        ad.isAd = true
        var silent = world.request()
        silent.channel = .voip
        silent.message = Message(content: [:])
        silent.message.silent = true

        for (request, field) in [(ad, "isAd"), (silent, "message.silent")] {
            let problem = FieldError(field: field, problem: "must be false: the channel is voip")
            await #expect(throws: EngineError.invalid(problem)) {
                _ = try await world.campaigns.create(app: world.app, request)
            }
        }
    }

    @Test("Each language is rendered once per environment") func rendersOncePerEnvironment() async throws {
        let sender = CountingSender()
        var message = DeliveryWorld.message()
        message.content["ja"] = LocalizedContent(body: "j")
        let facts = OccurrenceFacts(
            app: AppID(rawValue: 1),
            campaign: CampaignID(rawValue: 2),
            occurrence: OccurrenceID(rawValue: 3),
            audience: .all,
            message: message,
            isAd: false,
            dialect: .corepush,
            startedAt: Timestamp(rawValue: 5),
            retryUntil: Timestamp(rawValue: 9)
        )
        let context = OccurrenceContext(facts: facts, sender: sender)

        for _ in 0..<3 {
            for place in 0..<2 {
                for pushType in PushType.notificationTypes { _ = try context.rendering(at: place, for: pushType) }
            }
        }

        let drafts = sender.drafts
        #expect(drafts.count == 4)
        #expect(Set(drafts.map { "\($0.language ?? "") \($0.isSandbox)" }).count == 4)
        #expect(drafts.allSatisfy { $0.dialect == .corepush && $0.sentAt == Timestamp(rawValue: 5) })
    }
}
