import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@Suite("A dry run", .timeLimit(.minutes(5)))
struct DryRunTests {
    @Test func `shows every payload with its sizes, and keeps nothing`() async throws {
        let world = try await DeliveryWorld()
        var request = world.request(.all, DeliveryWorld.message("Hi {{name | max: 10}}"))
        request.message.content["ko"] = LocalizedContent(body: "K")
        request.variants = [Variant(name: "a"), Variant(name: "b", content: ["default": LocalizedContent(body: "B")])]
        request.isAd = true
        request.adWording = AdWording(contact: "1", removeGuide: "G", position: .body)

        let answer = try await world.campaigns.dryRun(app: world.app, request, device: nil)

        #expect(answer.problems.isEmpty && answer.sample == nil)
        #expect(
            answer.renderings.map { [$0.variant, $0.language, $0.hasAdWords ? "ad" : nil] } == [
                ["a", "default", nil], ["a", "default", "ad"], ["a", "ko", nil], ["a", "ko", "ad"],
                ["b", "default", nil],
                ["b", "default", "ad"],
            ]
        )
        let zeros = String(repeating: "0", count: 24)
        #expect(answer.renderings[0].payload == "default:Hi {{attribute.name}}:" + zeros)
        #expect((answer.renderings[0].bytes, answer.renderings[0].mostBytes) == (37, 86))
        #expect(answer.renderings[3].payload == "ko:(광고) 1\nK\nG:" + zeros)
        #expect(answer.renderings[4].bytes == answer.renderings[4].mostBytes)
        #expect(try await world.campaigns.list(app: world.app, after: nil, limit: 10).items.isEmpty)
        #expect(world.sender.sent.isEmpty)
    }

    @Test("C-47, C-48 an App may take fewer bytes than Apple; the worst language is named first")
    func sizes() async throws {
        let world = try await DeliveryWorld()
        _ = try await world.apps.update(world.app, AppUpdate(payloadLimit: 256))
        // The test's payload is the key, two colons, the text and the receipt.
        var request = world.request(.all, DeliveryWorld.message(String(repeating: "d", count: 256 - 24 - 9)))
        let fits = try await world.campaigns.dryRun(app: world.app, request, device: nil)
        #expect(fits.problems.isEmpty && fits.renderings.map(\.bytes) == [256])

        request.message.content["ja"] = LocalizedContent(body: String(repeating: "j", count: 300))
        request.message.content["ko"] = LocalizedContent(body: String(repeating: "k", count: 400))
        let answer = try await world.campaigns.dryRun(app: world.app, request, device: nil)

        #expect(
            answer.problems == [
                FieldError(field: "message.content.ko", problem: "must render to at most 256 bytes, not 428"),
                FieldError(field: "message.content.ja", problem: "must render to at most 256 bytes, not 328"),
            ]
        )
        #expect(answer.renderings.map(\.language) == ["default"])
        await #expect(throws: EngineError.invalid(answer.problems[0])) {
            try await world.campaigns.create(app: world.app, request)
        }
    }

    @Test func `tells what a Device would get, or why it would not`() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(4) { number in
            switch number {
            case 1: .init(language: "ko", user: "u1")
            case 2: .init(consent: [])
            case 3: .init(tokenState: .none)
            default: .init()
            }
        }
        try await world.set("name", .string("Kim"), of: "u1")
        var request = world.request(.all, DeliveryWorld.message("Hi {{name}}"))
        request.message.content["ko"] = LocalizedContent(body: "{{name}}님")
        func sample(_ number: Int) async throws -> DryRun.Sample? {
            try await world.campaigns.dryRun(app: world.app, request, device: DeliveryWorld.id(number)).sample
        }

        let one = try await sample(1)
        #expect(one?.reason == nil && one?.language == "ko")
        #expect(one?.payload == "ko:Kim님:" + String(repeating: "0", count: 24))
        #expect(one?.bytes == one?.payload?.utf8.count)
        #expect(try await sample(2)?.reason == "NoConsent")
        #expect(try await sample(3)?.reason == "NoToken")
        #expect(try await sample(4)?.reason == "MissingValue")
        #expect(try await sample(4)?.payload == nil)
        await #expect(throws: EngineError.notFound(.device)) { _ = try await sample(9) }
    }
}
