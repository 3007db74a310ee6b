import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@Suite("Labels for ads", .timeLimit(.minutes(5)))
struct AdWordingTests {
    private func world(_ adRule: App.AdRule = .korean) async throws -> DeliveryWorld {
        let world = try await DeliveryWorld()
        try await world.addDevices(4) { number in
            let languages = ["ko-KR", "kor", "ja", "en"]
            return .init(consent: [.notifications, .ads, .nightAds], language: languages[number - 1])
        }
        _ = try await world.apps.update(world.app, AppUpdate(adRule: adRule))
        return world
    }

    private func ad(_ world: DeliveryWorld, _ position: AdWording.Position? = nil) -> CampaignRequest {
        var message = DeliveryWorld.message("B")
        message.content["ja"] = LocalizedContent(body: "J")
        var request = world.request(.all, message)
        request.isAd = true
        request.adWording = AdWording(contact: "1588-1234", removeGuide: "G", position: position)
        return request
    }

    @Test("T-61 T-62 T-63 Korean phones get the labels for ads with any content, and no other phones do")
    func words() async throws {
        let world = try await world()

        let campaign = try await world.deliver(ad(world))

        #expect(world.texts == [1: "default:B\nG", 2: "default:B\nG", 3: "ja:J", 4: "default:B"])
        #expect(campaign.adWording?.position == .title)
        #expect(try await inbox(world, 1).title == "(광고) 1588-1234")
        #expect(try await inbox(world, 1).body == "B\nG")
        #expect(try await inbox(world, 3).body == "J")
    }

    @Test("T-62 the App sets the position of the labels, and a Campaign may override it")
    func position() async throws {
        let world = try await world()
        _ = try await world.apps.update(world.app, AppUpdate(adWordPosition: .body))

        _ = try await world.deliver(ad(world))
        #expect(world.texts[1] == "default:(광고) 1588-1234\nB\nG")
        let campaign = try await world.deliver(ad(world, .title))
        #expect(campaign.adWording?.position == .title)
    }

    @Test("T-41 where the rules for ads are Korea's, an ad without the labels is refused")
    func required() async throws {
        let world = try await world()
        var request = ad(world)
        request.adWording = nil

        let error = await #expect(throws: EngineError.self) {
            try await world.campaigns.create(app: world.app, request)
        }
        #expect(error?.fieldErrors.first?.field == "adWording.contact")
    }

    @Test("Elsewhere the labels may be missing, and then Korean phones are skipped")
    func skipsKoreanPhonesWithoutLabels() async throws {
        let world = try await world(.everyone)
        var request = ad(world)
        request.adWording = nil

        let campaign = try await world.deliver(request)

        #expect(world.texts == [3: "ja:J", 4: "default:B"])
        #expect(try await world.funnel(campaign.id).skipped == ["NoAdWording": 2])
    }

    private func inbox(_ world: DeliveryWorld, _ device: Int) async throws -> InboxMessage {
        try #require(
            try await world.inboxes.inbox(
                app: world.app,
                device: DeliveryWorld.id(device),
                secret: DeliveryWorld.secret
            ).messages.first
        )
    }
}
