import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// The list of Campaigns and the page of one.
@Suite(.timeLimit(.minutes(2)))
struct CampaignPageTests {
    private static func state(of campaign: Campaign, _ world: PageWorld) async throws -> Campaign.State {
        let now = try await world.engine.campaigns.campaign(campaign.id, within: campaign.app)
        return now.state
    }

    private func hour(_ request: inout CampaignRequest, _ world: PageWorld) {
        request.sendAt = world.clock.now().advanced(by: .seconds(3_600))
    }

    @Test("The list has a first-use text, tabs by state, and a search that says when nothing matches")
    func lists() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let path = "/apps/\(app)/campaigns"
            #expect(try await world.get(path).text.contains("This App has none yet."))

            _ = try await world.makeCampaign("Spring", of: app) { $0.draft = true }
            let later = try await world.makeCampaign("Summer", of: app) { self.hour(&$0, world) }
            let all = try await world.get(path).text
            #expect(all.contains("Spring") && all.contains("Summer"))
            #expect(!all.contains("This App has none yet."))

            let drafts = try await world.get(path + "?state=drafts").text
            #expect(drafts.contains("Spring") && !drafts.contains("Summer"))
            #expect(drafts.contains("/campaigns?state=drafts\" aria-current=\"page\""))
            let found = try await world.get(path + "?q=sUMM").text
            #expect(found.contains("Summer") && !found.contains("Spring"))
            let byID = try await world.get(path + "?q=\(later.id)").text
            #expect(byID.contains("Summer") && !byID.contains("Spring"))
            let none = try await world.get(path + "?q=winter").text
            #expect(none.contains("No Campaign matches.") && none.contains("Clear filters"))
            #expect(none.contains("value=\"winter\""))
        }
    }

    @Test("K-73 Campaigns that are added while somebody pages neither repeat nor hide rows")
    func pages() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            for number in 0..<55 {
                world.clock.advance(bySeconds: 1)
                _ = try await world.makeCampaign("c\(number).", of: app) { $0.draft = true }
            }
            let first = try await world.get("/apps/\(app)/campaigns").text
            let link = try #require(first.firstMatch(of: #/href="/console([^"]*after=[^"]*)"/#)?.1)
            world.clock.advance(bySeconds: 1)
            _ = try await world.makeCampaign("new", of: app) { $0.draft = true }
            let second = try await world.get(String(link)).text

            let names = [first, second].flatMap { $0.matches(of: #/>(c\d+)\.</#).map { String($0.1) } }
            #expect(names == (0..<55).reversed().map { "c\($0)" })
            #expect(second.contains("First page"))
            #expect(!second.contains("after="))
        }
    }

    @Test("K-60 K-61 the page and its CSV have the numbers of V1, with their source, and they add up")
    func funnel() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            for number in 1...3 { try await world.addDevice(UInt8(number), of: app) }
            let campaign = try await world.makeCampaign("News", of: app)
            try await world.deliver(campaign)
            let funnel = try await world.engine.campaigns.funnel(campaign.id, within: app)
            #expect(funnel.accepted == 3)

            let page = try await world.get("/apps/\(app)/campaigns/\(campaign.id)")
            #expect(page.status == .ok)
            #expect(page.text.contains("data-live=\"accepted\">3<"))
            #expect(page.text.contains("of attempted"))
            #expect(page.text.contains("<time datetime=\""))

            let csv = try await world.get("/apps/\(app)/campaigns/\(campaign.id)/report.csv")
            #expect(csv.headers[.contentType]?.hasPrefix("text/csv") == true)
            #expect(csv.text.hasPrefix("\u{FEFF}name,reason,number\r\n"))
            for line in ["targeted,,3", "skipped,,0", "attempted,,3", "accepted,,3", "remaining,,0"] {
                #expect(csv.text.contains("\r\n\(line)\r\n"), "\(line)")
            }
        }
    }

    @Test("K-68 a refusal has number, meaning, consequence and advice; an unknown one is shown verbatim")
    func failures() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, of: app)
            let known = try await world.makeCampaign("Known", of: app)
            try await world.deliver(known, .failed, reason: "PayloadTooLarge")
            let page = try await world.get("/apps/\(app)/campaigns/\(known.id)").text
            for text in [
                "<code>PayloadTooLarge</code>", "The message is larger than Apple permits", "Did not attempt it again",
                "Shorten texts or values", "100 %",
            ] {
                #expect(page.contains(text), "\(text)")
            }

            let unknown = try await world.makeCampaign("Unknown", of: app)
            try await world.deliver(unknown, .failed, reason: "Too<Sunny>")
            let other = try await world.get("/apps/\(app)/campaigns/\(unknown.id)").text
            #expect(other.contains("<code>Too&lt;Sunny&gt;</code>"))
            #expect(other.contains("New to this version"))
        }
    }

    @Test("K-71 a skip has its reason and the rule that applied")
    func skips() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, user: "u1", of: app)
            let campaign = try await world.makeCampaign("News", of: app)
            try await world.deliver(campaign, .skipped, reason: "QuietHours")

            let page = try await world.get("/apps/\(app)/campaigns/\(campaign.id)").text
            #expect(page.contains("<code>QuietHours</code>"))
            #expect(page.contains("The App&#39;s quiet hours applied") || page.contains("quiet hours applied"))
            let own = try await world.get("/apps/\(app)/devices/\(device)").text
            #expect(own.contains("<code>QuietHours</code>") && own.contains("quiet hours applied"))
        }
    }

    @Test("A sender pauses, resumes and cancels; each is confirmed where it cannot be undone, and is in the audit log")
    func actions() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let sender = try await world.session(.sender, of: app)
            let campaign = try await world.makeCampaign("Later", of: app) { self.hour(&$0, world) }
            let path = "/apps/\(app)/campaigns/\(campaign.id)"
            let before = try await world.get(path, as: sender)
            #expect(before.text.contains("action=\"/console\(path)/pause\""))

            let paused = try await world.post(path + "/pause", as: sender)
            #expect(paused.status == .seeOther && paused.headers[.location] == "/console" + path)
            #expect(try await Self.state(of: campaign, world) == .paused)
            #expect(try await world.get(path + "/resume", as: sender).text.contains("Bus"))
            #expect(try await world.post(path + "/resume", as: sender).status == .seeOther)
            #expect(try await Self.state(of: campaign, world) == .scheduled)
            #expect(try await world.get(path + "/cancel", as: sender).text.contains("cannot be resumed"))
            #expect(try await Self.state(of: campaign, world) == .scheduled)
            #expect(try await world.post(path + "/cancel", as: sender).status == .seeOther)
            #expect(try await Self.state(of: campaign, world) == .cancelled)
            // It is over: nothing more can be done.
            #expect(try await world.post(path + "/resume", as: sender).status == .conflict)
            #expect(!(try await world.get(path, as: sender).text.contains("/cancel\"")))

            let query = AuditQuery(app: app, subject: .object(campaign.id.description))
            let entries = try await world.engine.audit.entries(query, limit: 10).items
            #expect(entries.map(\.status) == [409, 200, 200, 200])
            #expect(entries[1].action == "POST /console/apps/{app}/campaigns/{campaign}/cancel")
            #expect(entries[1].change == "scheduled → cancelled")
            #expect(entries[1].session != nil)
            // The page tells who did it.
            #expect(try await world.get(path).text.contains(entries[1].actor))
        }
    }

    @Test("K-16 who may not send is not offered the actions, and is refused when sending the form all the same")
    func refusesViewers() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let campaign = try await world.makeCampaign("Later", of: app) { self.hour(&$0, world) }
            let path = "/apps/\(app)/campaigns/\(campaign.id)"
            for role in [OperatorRole.viewer, .editor] {
                let session = try await world.session(role, of: app)
                let page = try await world.get(path, as: session)
                #expect(page.status == .ok)
                #expect(!page.text.contains(path + "/pause") && !page.text.contains(path + "/cancel"))
                for action in ["pause", "resume", "cancel"] {
                    #expect(try await world.post("\(path)/\(action)", as: session).status == .forbidden)
                }
            }
            #expect(try await world.engine.campaigns.campaign(campaign.id, within: app).state == .scheduled)
        }
    }

    @Test("K-74 the deliveries of all Occurrences are a CSV, which asks again for who is there")
    func exports() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let devices = [try await world.addDevice(1, of: app), try await world.addDevice(2, of: app)]
            let campaign = try await world.makeCampaign("News", of: app)
            try await world.deliver(campaign, .failed, reason: "=cmd|' /C calc'!A0")
            let path = "/apps/\(app)/campaigns/\(campaign.id)/export.csv"

            let lines = try await world.get(path).text.split(separator: "\r\n", omittingEmptySubsequences: true)
            #expect(lines.first == "\u{FEFF}occurrence,device,push_type,outcome,reason,at")
            #expect(lines.count == 3)
            for (line, device) in zip(lines.dropFirst(), devices) {
                #expect(line.contains(",\(device),apns,failed,'=cmd|"))
            }
            let query = AuditQuery(app: app, subject: .object(campaign.id.description))
            #expect(try await world.engine.audit.entries(query, limit: 10).items.count == 1)

            world.clock.advance(bySeconds: 16 * 60)
            let again = try await world.get(path)
            #expect(again.headers[.contentType]?.hasPrefix("text/html") == true)
            #expect(again.text.contains("Confirm that it is you"))
        }
    }

    @Test("K-100 charts have title, description and a table with the same numbers")
    func charts() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            for number in 1...5 { try await world.addDevice(UInt8(number), of: app) }
            let campaign = try await world.makeCampaign("News", of: app)
            try await world.deliver(campaign)
            for path in ["/apps/\(app)/campaigns/\(campaign.id)", "/apps/\(app)/statistics"] {
                let page = try await world.get(path).text
                let charts = page.matches(of: #/<svg (?s:.*?)<\/svg>/#).map { String($0.0) }

                #expect(charts.count >= 3)
                for chart in charts {
                    for part in ["role=\"img\"", "<title id=", "<desc id="] { #expect(chart.contains(part)) }
                    #expect(!chart.contains("style="))
                }
                // One bar in the chart of accepted notifications, and its number in the table.
                #expect(charts[0].matches(of: #/<rect /#).count == 1)
                #expect(page.contains("<td class=\"number\">5</td>"))
            }
        }
    }
}
