import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonConsole

/// The stream of a Campaign's numbers.
@Suite(.timeLimit(.minutes(2)))
struct CampaignStreamTests {
    private static func step(_ accepted: Int, _ state: Campaign.State, retrying: Int = 0) -> CampaignProgress {
        var funnel = Funnel()
        funnel.targeted = accepted + retrying + 5
        funnel.skipped = ["NoConsent": 2]
        funnel.failed = ["Unregistered": 2, "Expired": 1]
        (funnel.accepted, funnel.retrying) = (accepted, retrying)
        return CampaignProgress(campaign: CampaignID(rawValue: 1), state: state, funnel: funnel)
    }

    /// Writes a stream of some steps and returns its text.
    private func written(_ steps: [CampaignProgress], language: Language = .english) async throws -> String {
        let (sequence, continuation) = AsyncStream.makeStream(of: CampaignProgress.self)
        for step in steps { continuation.yield(step) }
        continuation.finish()
        var stream = CampaignStream(
            steps: sequence,
            look: try Look.test(language),
            now: { Timestamp(rawValue: 1_795_250_640_000) },
            isOpen: { true }
        )
        stream.pace.interval = .zero
        let body = stream.body(holding: nil)
        let responder = CallbackResponder<BasicRequestContext> { _, _ in Response(status: .ok, body: body) }
        return try await Application(responder: responder).test(.router) { client in
            String(buffer: try await client.executeRequest(uri: "/", method: .get, headers: [:], body: nil).body)
        }
    }

    @Test("K-60 the last event has the last numbers, whatever a slow reader missed, as finished texts")
    func writes() async throws {
        let steps = [Self.step(0, .sending, retrying: 7), Self.step(1_234, .sending), Self.step(1_234_567, .sent)]
        let text = try await written(steps)

        #expect(text.hasPrefix("retry: 3000\n\n"))
        let last = try #require(text.matches(of: #/id: \d+\nevent: progress\ndata: (.*)\n\n/#).last)
        let event = try JSONDecoder().decode(
            CampaignStream<AsyncStream<CampaignProgress>>.Event.self,
            from: Data(String(last.1).utf8)
        )
        #expect(event.state == "sent")
        #expect(event.numbers["accepted"] == "1,234,567")
        #expect(event.shares["accepted"] == "100 %")
        #expect(event.at == "2026-11-21 08:44:00")
    }

    @Test("K-61 in every event the parts add up")
    func addsUp() async throws {
        let (sequence, continuation) = AsyncStream.makeStream(of: CampaignProgress.self)
        continuation.finish()
        let stream = CampaignStream(
            steps: sequence,
            look: try Look.test(),
            now: { Timestamp(rawValue: 0) },
            isOpen: { true }
        )
        for accepted in [0, 1, 999, 1_000, 54_321] {
            for retrying in [0, 3] {
                let event = stream.event(Self.step(accepted, .sending, retrying: retrying))
                func number(_ name: String) throws -> Int {
                    try #require(event.numbers[name].flatMap { Int($0.replacing(",", with: "")) })
                }

                let parts = try number("skipped") + number("attempted") + number("remaining")
                #expect(try number("targeted") == parts)
                let outcomes = try number("accepted") + number("refused") + number("failed")
                #expect(try number("attempted") == outcomes)
            }
        }
    }

    @Test("K-63 the stream of a Campaign that is over answers 204, and its page has none")
    func ends() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, of: app)
            let campaign = try await world.makeCampaign("News", of: app)
            let path = "/apps/\(app)/campaigns/\(campaign.id)"
            #expect(try await world.get(path).text.contains("data-stream=\"/console\(path)/live\""))

            try await world.deliver(campaign)
            #expect(try await world.get(path + "/live").status == .noContent)
            #expect(!(try await world.get(path).text.contains("data-stream")))
            // Those of another App are not found.
            let other = try await world.makeApp("Other")
            #expect(try await world.get("/apps/\(other)/campaigns/\(campaign.id)/live").status == .notFound)
        }
    }
}
