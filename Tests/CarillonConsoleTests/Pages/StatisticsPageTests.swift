import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// Statistics by id, by day and by Campaign.
@Suite(.timeLimit(.minutes(2)))
struct StatisticsPageTests {
    @Test("K-100 counts are shown by statistics id: as sums, by day, as bars with a table, and as a file")
    func byID() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            for number in 1...3 { try await world.addDevice(UInt8(number), of: app) }
            let ids = "/apps/\(app)/statistics/ids"
            #expect(try await world.get(ids).text.contains("There is no statistics id"))
            #expect(try await world.send(ids, ["name": ""]).status.code == 422)
            #expect(try await world.send(ids, ["name": "Autumn"]).status == .seeOther)
            #expect(try await world.lastEntry(of: app)?.change == "name → Autumn")
            let key = try #require(try await world.engine.statistics.keys(app: app, after: nil, limit: 1).items.first)
            let counted = try await world.makeCampaign("Leaves", of: app) { $0.statisticsID = key.id }
            try await world.deliver(counted)
            // A later Campaign with the same text goes to the same Devices again.
            world.clock.advance(bySeconds: 60)
            let other = try await world.makeCampaign("Snow", of: app)
            try await world.deliver(other)

            func accepted(_ query: String) async throws -> String? {
                let page = try await world.get("/apps/\(app)/statistics" + query).text
                return page.firstMatch(of: #/>Accepted<\/th><td class="number">(\d+)</#).map { String($0.1) }
            }
            #expect(try await accepted("") == "6")
            #expect(try await accepted("?id=\(key.id)") == "3")
            #expect(try await accepted("?id=\(key.id)&days=7") == "3")
            let page = try await world.get("/apps/\(app)/statistics?id=\(key.id)").text
            for text in ["Received", "Opened", "Launched", "<rect", "<details class=\"numbers\">", "id=\(key.id)\""] {
                #expect(page.contains(text), "\(text)")
            }
            let csv = try await world.get("/apps/\(app)/statistics.csv?id=\(key.id)").text
            #expect(csv.contains(",3,0,3,0,0,") && !csv.contains(",6,0,6,"))
            let list = try await world.get(ids).text
            #expect(list.matches(of: #/<td class="number">3<\/td>/#).count == 3)
            #expect(list.contains("/statistics?id=\(key.id)\"") && list.contains("/campaigns/\(other.id)\""))
        }
    }

    @Test("A viewer makes no statistics id, and surveys say what will be there")
    func roles() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let viewer = try await world.session(.viewer, of: app)
            let ids = "/apps/\(app)/statistics/ids"
            #expect(!(try await world.get(ids, as: viewer).text.contains("Make the statistics id")))
            #expect(try await world.send(ids, ["name": "X"], as: viewer).status == .forbidden)
            #expect(try await world.get("/apps/\(app)/surveys", as: viewer).text.contains("not in the console yet"))
        }
    }
}
