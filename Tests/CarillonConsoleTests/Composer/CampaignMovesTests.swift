import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// What follows a Campaign: corrections, duplicates, recipients and the print form.
@Suite(.timeLimit(.minutes(4)))
struct CampaignMovesTests {
    /// A Campaign that two Devices accepted, and its path.
    private func sent(_ world: PageWorld) async throws -> (AppID, Campaign, String) {
        let app = try await world.makeApp()
        for number in 1...2 { try await world.addDevice(UInt8(number), user: "u\(number)", of: app) }
        let campaign = try await world.makeCampaign("News", of: app, title: "Wrong year")
        try await world.deliver(campaign)
        return (app, campaign, "/apps/\(app)/campaigns/\(campaign.id)")
    }

    /// The draft that an answer leads to.
    private func draft(_ answer: PageForm.Answer, _ app: AppID, _ world: PageWorld) async throws -> Campaign {
        #expect(answer.status == 303)
        let part = (answer.location ?? "").split(separator: "/").first { $0.hasPrefix("cmp_") }
        let id = try #require(part.flatMap { CampaignID(String($0)) }, "\(answer.location ?? "")")
        return try await world.engine.campaigns.campaign(id, within: app)
    }

    @Test("K-66 a correction is for exactly the Devices that accepted the first one, and has its collapse id")
    func correction() async throws {
        try await PageWorld.run { world in
            let (app, campaign, path) = try await self.sent(world)
            let page = try await world.get(path).text
            #expect(page.contains(path + "/correct"))
            let made = try await self.draft(try await PageForm(page).send(world, to: path + "/correct"), app, world)
            #expect(made.state == .draft)
            #expect(made.audience == .rule(try AudienceRule(text: "sent(campaign:\(campaign.id))")))
            #expect(made.message.collapseID == campaign.occurrence?.description)
            // A Device that came later did not get the first one.
            try await world.addDevice(3, of: app)
            #expect(try await world.engine.campaigns.reach(of: made) == 2)
            let step = try await world.engine.campaigns.guardStep(of: made, reach: 2)
            #expect(step.isCorrection && step.needsTyping && step.needsFresh && !step.needsApproval)
            #expect(step.hold == .zero)
            // Another collapse id or other people are no correction.
            var other = made
            other.message.collapseID = "else"
            #expect(!(try await world.engine.campaigns.guardStep(of: other, reach: 2).isCorrection))
            other = made
            other.audience = .all
            #expect(!(try await world.engine.campaigns.guardStep(of: other, reach: 2).isCorrection))
            let editor = try await world.session(.editor, of: app)
            #expect(!(try await world.get(path, as: editor).text.contains(path + "/correct")))
            #expect(try await PageForm(page).send(world, to: path + "/correct", as: editor).status == 403)
        }
    }

    @Test("A duplicate has everything but the time, and those who did not open it are an Audience")
    func duplicates() async throws {
        try await PageWorld.run { world in
            let (app, campaign, path) = try await self.sent(world)
            let form = PageForm(try await world.get(path).text)
            let copy = try await self.draft(try await form.send(world, to: path + "/duplicate"), app, world)
            #expect(copy.name == "Copy of News" && copy.message == campaign.message && copy.audience == .all)
            #expect(copy.sendAt == nil && copy.undecided == nil)
            let next = try await self.draft(try await form.send(world, to: path + "/follow/notOpened"), app, world)
            let rule = "sent(campaign:\(campaign.id)) and not opened(campaign:\(campaign.id))"
            #expect(next.audience == .rule(try AudienceRule(text: rule)))
            #expect(next.undecided?.contains(.message) == true)
        }
    }

    @Test("K-69 a recipient is found by User id, Device id and whole token, with the answer and its times")
    func recipients() async throws {
        try await PageWorld.run { world in
            let (app, _, path) = try await self.sent(world)
            let device = "00000000-0000-4000-8000-000000000001"
            let token = try #require(PageWorld.token(1)?.hexadecimal)
            for query in ["u1", device, token] {
                let page = try await world.get(path + "/recipients?q=\(query)").text
                #expect(page.contains("<code>\(device)</code>"), "\(query)")
                #expect(page.contains("APNs accepted it") && page.contains("2026-11-21T08:44"), "\(query)")
                #expect(!page.contains("000000000002</code>"), "\(query)")
            }
            // Part of a token finds nothing.
            let part = try await world.get(path + "/recipients?q=\(token.prefix(40))").text
            #expect(part.contains("Nobody is found") && !part.contains("APNs accepted it"))
            try await world.addDevice(3, user: "u3", of: app)
            #expect(try await world.get(path + "/recipients?q=u3").text.contains("nothing of this Campaign yet"))
            #expect(
                try await world.get(path + "/recipients?outcome=failed").text.contains("No notification has an outcome")
            )
        }
    }

    @Test("K-102 the print form has all numbers of the page, open tables and a foot")
    func report() async throws {
        try await PageWorld.run { world in
            let (_, _, path) = try await self.sent(world)
            let page = try await world.get(path).text
            let report = try await world.get(path + "/report").text
            func numbers(_ text: String) -> [String] {
                text.matches(of: #/<td class="number">([^<]*)/#).map { String($0.1) }
            }
            #expect(!numbers(page).isEmpty && numbers(report) == numbers(page))
            #expect(report.contains("<details class=\"numbers\" open>"))
            #expect(report.contains("Bus · News · ") && report.contains("Admin"))
        }
    }

    @Test("The page of a draft opens no stream, and a stream of it answers 204")
    func drafts() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let campaign = try await world.makeCampaign("Draft", of: app) { $0.draft = true }
            let path = "/apps/\(app)/campaigns/\(campaign.id)"
            let page = try await world.get(path).text
            #expect(!page.contains("data-stream") && page.contains(path + "/edit\""))
            #expect(try await world.get(path + "/live").status.code == 204)
        }
    }
}
