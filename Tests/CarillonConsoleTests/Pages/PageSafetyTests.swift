import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// What holds for all pages.
@Suite(.timeLimit(.minutes(4)))
struct PageSafetyTests {
    /// An App with something on every page, and the paths of its pages.
    private func fill(_ world: PageWorld, _ name: String, text: String) async throws -> (AppID, [String]) {
        let app = try await world.makeApp(name)
        let device = try await world.addDevice(1, user: text, of: app)
        let campaign = try await world.makeCampaign(text, of: app, title: text)
        try await world.deliver(campaign)
        world.clock.advance(bySeconds: 60)
        let daily = try await world.makeCampaign(text, of: app, title: text) { request in
            request.schedule = Schedule(.daily, times: [TimeOfDay("09:00")].compactMap(\.self), zone: "Asia/Taipei")
        }
        let webhook = try await world.engine.webhooks.create(
            app: app,
            WebhookRequest(url: "https://example.org/" + text, topics: [.campaignFinished])
        ).webhook
        let user = FormFields.escaped(text)
        return (
            app,
            [
                "", "/campaigns", "/campaigns?q=\(user)", "/campaigns/\(campaign.id)", "/campaigns/\(daily.id)",
                "/campaigns/\(daily.id)/cancel", "/campaigns/\(campaign.id)/report.csv",
                "/campaigns/\(campaign.id)/report", "/campaigns/\(campaign.id)/recipients",
                "/campaigns/\(campaign.id)/recipients?q=\(user)",
                "/campaigns/\(campaign.id)/export.csv", "/devices", "/devices?q=\(user)", "/devices/\(device)",
                "/users", "/users?q=\(user)", "/users/\(user)", "/statistics", "/statistics.csv", "/settings/webhooks",
                "/settings/webhooks/\(webhook.id)", "/settings/webhooks/\(webhook.id)?state=pending",
            ].map { "/apps/\(app)" + $0 }
        )
    }

    private static let injected = "<script>alert(1)</script>\"'&{{heading}}\u{202E}"

    @Test("K-25 names, titles and ids with HTML, quotation marks and braces appear as text on every page")
    func escapes() async throws {
        try await PageWorld.run { world in
            let (_, paths) = try await self.fill(world, Self.injected, text: Self.injected)
            for path in paths + ["/", "/audit", "/system"] {
                let page = try await world.get(path)

                #expect(page.status == .ok, "\(path)")
                guard page.headers[.contentType]?.hasPrefix("text/html") == true else { continue }
                #expect(!page.text.contains("<script>alert"), "\(path)")
                #expect(!page.text.contains("style=\""), "\(path)")
                // The App's name is on each page of it, unchanged but for the escaping.
                if path != "/audit", path != "/system" { #expect(page.text.contains("{{heading}}\u{202E}"), "\(path)") }
            }
        }
    }

    @Test("K-87 every page is complete in each language, and says which it is", arguments: Language.offered)
    func languages(_ language: Language) async throws {
        try await PageWorld.run { world in
            let (_, paths) = try await self.fill(world, "Bus", text: "news")
            for path in paths + ["/audit", "/system", "/apps/\(try await world.makeApp("Empty"))"] {
                let page = try await world.get(path, language: language)

                #expect(page.status == .ok, "\(path)")
                #expect(page.text.missingKeys.isEmpty, "\(path) \(page.text.missingKeys)")
                guard page.headers[.contentType]?.hasPrefix("text/html") == true else { continue }
                #expect(page.text.contains("<html lang=\"\(language.rawValue)\""), "\(path)")
                #expect(page.text.matches(of: #/<h1>/#).count == 1, "\(path)")
            }
        }
    }

    @Test("K-17 an Operator of one App gets 404 for every page, file and action of another")
    func separatesApps() async throws {
        try await PageWorld.run { world in
            let (own, _) = try await self.fill(world, "Own", text: "own")
            let (other, paths) = try await self.fill(world, "Other", text: "other")
            let session = try await world.session(.admin, of: own)
            #expect(try await world.get("/apps/\(own)", as: session).status == .ok)
            for path in paths {
                #expect(try await world.get(path, as: session).status == .notFound, "\(path)")
                // The other App's object below the own App.
                let mixed = path.replacing("\(other)", with: "\(own)")
                guard mixed.contains("cmp_") || mixed.contains("/webhooks/") else { continue }
                #expect(try await world.get(mixed, as: session).status == .notFound, "\(mixed)")
            }
            let campaign = try await world.engine.campaigns.list(app: other, after: nil, limit: 1).items[0].id
            for app in [own, other] {
                for action in ["pause", "resume", "cancel"] {
                    let path = "/apps/\(app)/campaigns/\(campaign)/\(action)"
                    #expect(try await world.post(path, as: session).status == .notFound, "\(path)")
                }
            }
            for path in ["/audit", "/audit.csv", "/system"] {
                #expect(try await world.get(path, as: session).status == .forbidden, "\(path)")
            }
        }
    }

    @Test("K-16 pages of Campaigns, Devices and statistics need a viewer, those of webhooks an admin")
    func roles() async throws {
        try await PageWorld.run { world in
            let (app, paths) = try await self.fill(world, "Bus", text: "news")
            for role in OperatorRole.allCases {
                let session = try await world.session(role, of: app)
                for path in paths {
                    let needed: OperatorRole =
                        path.contains("/settings/") ? .admin : path.hasSuffix("/cancel") ? .sender : .viewer
                    let status = try await world.get(path, as: session).status
                    #expect(status == (role >= needed ? .ok : .forbidden), "\(role) \(path)")
                }
            }
        }
    }

    @Test("The audit log is filtered, and its CSV is recorded in it")
    func audit() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let campaign = try await world.makeCampaign("Later", of: app) {
                $0.sendAt = world.clock.now().advanced(by: .seconds(3_600))
            }
            _ = try await world.post("/apps/\(app)/campaigns/\(campaign.id)/pause")
            let all = try await world.get("/audit").text
            #expect(all.contains("POST /console/apps/{app}/campaigns/{campaign}/pause"))
            #expect(all.contains("scheduled → paused"))
            #expect(try await world.get("/audit?object=\(campaign.id)").text.contains("scheduled → paused"))
            #expect(try await world.get("/audit?object=cmp_000000000000").text.contains("No entry matches."))
            #expect(try await world.get("/audit?until=2020-01-01").text.contains("No entry matches."))

            let csv = try await world.get("/audit.csv?app=\(app)")
            #expect(csv.text.hasPrefix("\u{FEFF}id,at,actor,session,address,action,app,object,status,change,hash\r\n"))
            #expect(csv.text.contains("scheduled → paused"))
            #expect(try await world.get("/audit").text.contains("GET /console/audit.csv"))
        }
    }

    @Test("K-79 every page of an App tells what stops its sending, with a link, and so does the page of the server")
    func halted() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let campaign = try await world.makeCampaign("Broken", of: app) {
                $0.sendAt = world.clock.now().advanced(by: .seconds(3_600))
            }
            _ = try await world.engine.campaigns.pause(campaign.id, within: app)
            try await world.setAlarm("InvalidProviderToken", of: campaign)

            let first = try await world.get("/apps/\(app)").text
            #expect(first.contains("Halted: these wait for you"))
            #expect(first.contains("/campaigns/\(campaign.id)\""))
            let page = try await world.get("/apps/\(app)/campaigns/\(campaign.id)").text
            #expect(page.contains("<code>InvalidProviderToken</code>"))
            #expect(page.contains("Apple does not accept the push key"))
            let banner = "Sending stopped: Apple does not accept the push key"
            for path in ["", "/campaigns", "/devices", "/users", "/statistics", "/settings/webhooks"] {
                let text = try await world.get("/apps/\(app)\(path)").text
                #expect(text.contains(banner) && text.contains("/campaigns/\(campaign.id)\""), "\(path)")
            }
            #expect(try await world.get("/system").text.contains("<code>InvalidProviderToken</code>"))
            let other = try await world.makeApp("Other")
            #expect(!(try await world.get("/apps/\(other)").text.contains("Sending stopped")))

            _ = try await world.engine.campaigns.cancel(campaign.id, within: app)
            #expect(!(try await world.get("/apps/\(app)").text.contains("Sending stopped")))
        }
    }
}
