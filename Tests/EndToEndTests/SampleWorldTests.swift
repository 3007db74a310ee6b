import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import CarillonCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The sample App of a demonstration, as a browser finds it.
@Suite(.timeLimit(.minutes(3)))
struct SampleWorldTests {
    @Test("A demonstration's link opens the console once, and the sample has Campaigns of all states and days")
    func opens() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("carillon-sample-" + UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await DemoWorld(folder: folder, port: 0, hasSample: true).whileRunning { world in
            try await checkLink(world)
            try await checkCampaigns(world)
        }
    }

    private func checkLink(_ world: DemoWorld.Running) async throws {
        let sample = try await #require(world.sample).value
        let first = try await status(sample.link)
        #expect(first == 200)
        let second = try await status(sample.link)
        #expect(second == 410)
    }

    private func checkCampaigns(_ world: DemoWorld.Running) async throws {
        let apps: Page<App> = try await world.api.get("v1/apps")
        let app = try #require(apps.items.first { $0.bundleID == SampleContent.bundleID })
        let query: [String: String?] = ["app": app.id.description, "limit": "50"]
        let campaigns: Page<Campaign> = try await world.api.get("v1/campaigns", query)
        let states = Set(campaigns.items.map(\.state))
        #expect(states.isSuperset(of: [.sent, .cancelled, .draft, .scheduled, .needsApproval]))
        let days = Set(campaigns.items.map { $0.createdAt.rawValue / 86_400_000 })
        #expect(days.count >= 7)
        let past = try #require(campaigns.items.last { $0.state == .sent })
        let funnel: Funnel = try await world.api.get("v1/campaigns/\(past.id)/funnel")
        #expect(funnel.failed.count >= 2)
        #expect(funnel.received > 0)
        #expect(funnel.opened > 0)
    }

    /// The status of the page that a browser with its own cookies ends at.
    private func status(_ link: String) async throws -> Int? {
        let session = URLSession(configuration: .ephemeral)
        let (_, response) = try await session.data(from: try #require(URL(string: link)))
        return (response as? HTTPURLResponse)?.statusCode
    }
}
