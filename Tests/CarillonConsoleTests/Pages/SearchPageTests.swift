import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// The search of each page.
struct SearchPageTests {
    @Test("The search finds Users, Devices, Campaigns and pages, also without script, and nothing of another App")
    func finds() async throws {
        try await PageWorld.run { world in
            let (app, other) = (try await world.makeApp(), try await world.makeApp("Other"))
            let device = try await world.addDevice(1, user: "mei-1", of: app)
            let campaign = try await world.makeCampaign("Spring sale", of: app)
            _ = try await world.makeCampaign("Spring secret", of: other)
            func search(_ text: String, as session: String? = nil) async throws -> String {
                let page = try await world.get("/apps/\(app)/search?q=\(FormFields.escaped(text))", as: session)
                #expect(page.status == .ok)
                return page.text
            }

            let home = try await world.get("/apps/\(app)").text
            #expect(home.contains("role=\"search\" action=\"/console/apps/\(app)/search\""))
            #expect(try await search("mei").contains("/console/apps/\(app)/users/mei-1\""))
            #expect(try await search("\(device)").contains("/console/apps/\(app)/devices/\(device)\""))
            let found = try await search("spring")
            #expect(found.contains("/campaigns/\(campaign.id)\"") && !found.contains("secret"))
            #expect(try await search("webhooks").contains("/settings/"))
            let viewer = try await world.session(.viewer, of: app)
            #expect(!(try await search("webhooks", as: viewer).contains("/settings/")))
            #expect(try await search("nothing of the kind").contains("Nothing matches."))
            #expect(try await world.get("/search?q=bus").text.contains("/console/apps/\(app)\""))
            let foreign = try await world.get("/apps/\(other)/search?q=spring", as: viewer)
            #expect(foreign.status == .notFound)
        }
    }

    @Test("All pages that the search names are there")
    func hasPages() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let texts = try Look.test().texts
            for place in SearchPage.places(of: app, as: .admin, texts) {
                let path = String(place.path.dropFirst("/console".count))
                #expect(try await world.get(path).status == .ok, "\(path)")
                #expect(!place.title.contains("⟦") && !place.title.hasPrefix("nav."), "\(place.title)")
            }
        }
    }
}
