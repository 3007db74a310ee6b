import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// The review of a draft, its checks, and the confirmation.
@Suite(.timeLimit(.minutes(4)))
struct ReviewTests {
    /// A form of a page, as a browser sends it.
    private func confirm(
        _ world: PageWorld,
        _ path: String,
        as session: String? = nil,
        _ change: KeyValuePairs<String, String?> = [:]
    ) async throws -> PageForm.Answer {
        let page = try await world.get(path + "/edit/review", as: session).text
        return try await PageForm(page).send(world, to: path + "/confirm", as: session, change)
    }

    private func draft(
        _ world: PageWorld,
        of app: AppID,
        title: String = "New exhibition",
        by author: OperatorID? = nil,
        _ change: (inout CampaignUpdate) -> Void = { _ in }
    ) async throws -> Campaign {
        let author = CampaignAuthor.operator(try #require(author ?? OperatorID("opr_000000000001")))
        let made = try await world.engine.campaigns.newDraft(app: app, name: "Show", by: author)
        var update = CampaignUpdate()
        update.audience = .rule(.term(.text(.language, .isEqual("en"))))
        update.message = Message(content: ["default": LocalizedContent(title: title, body: "Come and see")])
        update.isAd = false
        change(&update)
        guard
            case .saved(let saved) = try await world.engine.campaigns.saveDraft(
                made.id,
                within: app,
                update,
                version: made.version,
                by: author
            )
        else {
            Issue.record("The draft is not saved.")
            return made
        }
        return saved
    }

    private func state(_ world: PageWorld, _ campaign: Campaign) async throws -> Campaign.State {
        try await world.engine.campaigns.campaign(campaign.id, within: campaign.app).state
    }

    private func guards(_ world: PageWorld, _ app: AppID, _ change: (inout SendGuardsUpdate) -> Void) async throws {
        var (update, guards) = (AppUpdate(), SendGuardsUpdate())
        change(&guards)
        update.sendGuards = guards
        _ = try await world.engine.apps.update(app, update)
    }

    @Test("K-46 the review names App, environment, exact reach, languages, time, kind, link and hold")
    func sentence() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp("Museum")
            for number in 1...3 { try await world.addDevice(UInt8(number), user: "u\(number)", of: app) }
            try await self.guards(world, app) { ($0.confirmAbove, $0.hold) = (1, 45) }
            let campaign = try await self.draft(world, of: app) {
                $0.message?.content["default"]?.link = "app://events/12"
                $0.sendAt = world.clock.now().advanced(by: .seconds(7_200))
            }
            let page = try await world.get("/apps/\(app)/campaigns/\(campaign.id)/edit/review").text
            let what = try #require(page.firstMatch(of: #/<p class="what">([^<]*)<\/p>/#)).1
            for part in [
                "New exhibition", "App Museum", "(Production)", "3 Devices", "3 Users", "in 1 language", "(UTC, UTC+0)",
                "information, not an advertisement", "app://events/12", "45 seconds to undo", "21 Nov 2026, 10:44",
            ] {
                #expect(what.contains(part), "\(part): \(what)")
            }
            #expect(page.contains("Send to 3 Devices"))
        }
    }

    @Test("K-44 placeholder text blocks until it is ticked, and the tick is in the audit log")
    func placeholder() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, of: app)
            let campaign = try await self.draft(world, of: app, title: "Test")
            let path = "/apps/\(app)/campaigns/\(campaign.id)"
            let refused = try await self.confirm(world, path)
            #expect(refused.status == 422)
            #expect(refused.text.contains("This looks like a try (default.title)"))
            #expect(try await self.state(world, campaign) == .draft)

            let page = try await world.get(path + "/edit/review").text
            let sent = try await PageForm(page, ticksAll: true).send(world, to: path + "/confirm")
            #expect(sent.status == 303)
            #expect(try await self.state(world, campaign) != .draft)
            let query = AuditQuery(app: app, subject: .object(campaign.id.description))
            let entries = try await world.engine.audit.entries(query, limit: 10).items
            #expect(entries.contains { $0.change?.contains("placeholder:default.title") == true })
        }
    }

    @Test("K-45 the same content to some of the same people asks for a tick that names the earlier Campaign")
    func sameContent() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, of: app)
            let first = try await self.draft(world, of: app)
            let path = "/apps/\(app)/campaigns/\(first.id)"
            let page = try await world.get(path + "/edit/review").text
            #expect(try await PageForm(page, ticksAll: true).send(world, to: path + "/confirm").status == 303)
            let second = try await self.draft(world, of: app)
            let review = try await world.get("/apps/\(app)/campaigns/\(second.id)/edit/review").text
            #expect(review.contains("\(first.id) had the same content"))
            #expect(review.contains("value=\"sameContent:\(first.id)\""))
            let other = try await self.draft(world, of: app, title: "Something else")
            let quiet = try await world.get("/apps/\(app)/campaigns/\(other.id)/edit/review").text
            #expect(!quiet.contains("had the same content"))
        }
    }

    @Test("K-41 a local time that is over in some zones cannot be confirmed before somebody chose")
    func passedTime() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, of: app)
            // 08:44 UTC: 08:00 is over for a Device without a zone, which has the schedule's.
            var schedule = Schedule(
                .at([WallTime("2026-11-21T08:00")].compactMap(\.self)),
                zone: "UTC",
                isLocal: true
            )
            let open = try await self.draft(world, of: app) { $0.schedule = schedule }
            let path = "/apps/\(app)/campaigns/\(open.id)"
            let page = try await world.get(path + "/edit/review").text
            let refused = try await PageForm(page, ticksAll: true).send(world, to: path + "/confirm")
            #expect(refused.status == 422)
            #expect(refused.text.contains("The time is over already for 1 Device:"))
            #expect(!refused.text.contains("LocalTimePassed"))
            #expect(try await self.state(world, open) == .draft)
            schedule.passed = .nextDay
            let chosen = try await self.draft(world, of: app) { $0.schedule = schedule }
            let next = "/apps/\(app)/campaigns/\(chosen.id)"
            let form = PageForm(try await world.get(next + "/edit/review").text, ticksAll: true)
            #expect(try await form.send(world, to: next + "/confirm").status == 303)
            #expect(try await self.state(world, chosen) == .scheduled)
        }
    }

    @Test("K-47 K-49 above confirmAbove the right number is typed, and another reach sends nothing")
    func typed() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            for number in 1...5 { try await world.addDevice(UInt8(number), of: app) }
            try await self.guards(world, app) { $0.confirmAbove = 2 }
            let campaign = try await self.draft(world, of: app)
            let path = "/apps/\(app)/campaigns/\(campaign.id)"
            let page = try await world.get(path + "/edit/review").text
            #expect(page.contains("Type the number of Devices: 5"))
            let form = PageForm(page, ticksAll: true)
            for wrong in ["", "4", "five"] {
                let answer = try await form.send(world, to: path + "/confirm", ["typed": wrong])
                #expect(answer.status == 422 && answer.text.contains("Type the number that is shown."))
                #expect(try await self.state(world, campaign) == .draft)
            }
            // Another Device comes meanwhile: more than a tenth.
            try await world.addDevice(6, of: app)
            let changed = try await form.send(world, to: path + "/confirm", ["typed": "5"])
            #expect(changed.status == 422 && changed.text.contains("it now reaches 6 Devices"))
            #expect(try await self.state(world, campaign) == .draft)
            let again = PageForm(try await world.get(path + "/edit/review").text, ticksAll: true)
            #expect(try await again.send(world, to: path + "/confirm", ["typed": " 6 "]).status == 303)
            #expect(try await self.state(world, campaign) == .held)
            // The same form again makes nothing new.
            #expect(try await again.send(world, to: path + "/confirm", ["typed": "6"]).status == 303)
            #expect(try await self.state(world, campaign) == .held)

            let held = try await world.get(path).text
            #expect(held.contains("60 seconds left to undo"))
            #expect(try await PageForm(held).send(world, to: path + "/undo").status == 303)
            #expect(try await self.state(world, campaign) == .draft)
        }
    }

    @Test("K-48 above approveAbove nothing is sent without a recent password, and then it waits for somebody else")
    func approval() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            for number in 1...3 { try await world.addDevice(UInt8(number), of: app) }
            try await self.guards(world, app) { ($0.confirmAbove, $0.approveAbove) = (1, 2) }
            let (author, other) = (try await world.session(.sender), try await world.session(.sender))
            let campaign = try await self.draft(world, of: app)
            let path = "/apps/\(app)/campaigns/\(campaign.id)"
            let page = PageForm(try await world.get(path + "/edit/review", as: author).text, ticksAll: true)
            world.clock.advance(bySeconds: 16 * 60)
            let asked = try await page.send(world, to: path + "/confirm", as: author, ["typed": "3"])
            #expect(asked.text.contains("Confirm that it is you"))
            #expect(try await self.state(world, campaign) == .draft)
            let fresh = try await world.session(.sender)
            let again = PageForm(try await world.get(path + "/edit/review", as: fresh).text, ticksAll: true)
            #expect(try await again.send(world, to: path + "/confirm", as: fresh, ["typed": "3"]).status == 303)
            #expect(try await self.state(world, campaign) == .needsApproval)

            // Who asked sees it, and may not decide.
            let own = try await world.get("/approvals", as: fresh).text
            #expect(own.contains("/campaigns/\(campaign.id)") && own.contains("somebody else decides"))
            #expect(!(try await world.get(path, as: fresh).text.contains(path + "/approve")))
            let queue = try await world.get("/approvals", as: other).text
            #expect(queue.contains("/campaigns/\(campaign.id)") && !queue.contains("somebody else decides"))

            let approver = try await world.session(.sender)
            let shown = PageForm(try await world.get(path, as: approver).text)
            let refusal = try await shown.send(world, to: path + "/refuse", as: approver, ["reason": " "])
            #expect(refusal.status == 422 && refusal.text.contains("Enter a reason"))
            #expect(try await self.state(world, campaign) == .needsApproval)
            let refused = try await shown.send(world, to: path + "/refuse", as: approver, ["reason": "Wrong year"])
            #expect(refused.status == 303)
            #expect(try await self.state(world, campaign) == .refused)
            #expect(try await world.get(path).text.contains("Wrong year"))
            #expect(!(try await world.get("/approvals", as: other).text.contains("/campaigns/\(campaign.id)")))
        }
    }

    @Test("K-49 an approval whose reach has changed is given for the new count alone, whatever number a form says")
    func drift() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            for number in 1...3 { try await world.addDevice(UInt8(number), of: app) }
            try await self.guards(world, app) { ($0.confirmAbove, $0.approveAbove) = (1, 2) }
            let author = try await world.session(.sender)
            let approver = try await world.session(.sender)
            let campaign = try await self.draft(world, of: app)
            let path = "/apps/\(app)/campaigns/\(campaign.id)"
            let review = PageForm(try await world.get(path + "/edit/review", as: author).text, ticksAll: true)
            // K-83: what was refused is in the audit log as well.
            for wrong in ["9223372036854775807", "-9223372036854775808", "10000000001", ""] {
                let answer = try await review.send(
                    world,
                    to: path + "/confirm",
                    as: author,
                    ["typed": "3", "reach": wrong]
                )
                #expect(answer.status == 422, "\(wrong)")
            }
            let query = AuditQuery(app: app, subject: .object(campaign.id.description))
            let entries = try await world.engine.audit.entries(query, limit: 10).items
            #expect(entries.filter { $0.status == 422 && $0.action.hasSuffix("/confirm") }.count == 4)
            #expect(try await review.send(world, to: path + "/confirm", as: author, ["typed": "3"]).status == 303)
            #expect(try await self.state(world, campaign) == .needsApproval)
            #expect(!(try await world.get(path, as: approver).text.contains("name=\"accept\"")))

            try await world.addDevice(4, of: app)
            let page = try await world.get(path, as: approver).text
            #expect(page.contains("It now reaches 4 Devices") && page.contains("Approve for 4 Devices"))
            let form = PageForm(page)
            for wrong in [nil, "3", "9223372036854775807", "-9223372036854775808"] {
                _ = try await form.send(world, to: path + "/approve", as: approver, ["accept": wrong])
                #expect(try await self.state(world, campaign) == .needsApproval)
            }
            let given = try await form.send(world, to: path + "/approve", as: approver, ["accept": "4"])
            #expect(given.status == 303)
            #expect(try await self.state(world, campaign) == .held)
        }
    }

    @Test("The review is read by editors and sent by senders alone")
    func roles() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, of: app)
            let campaign = try await self.draft(world, of: app)
            let path = "/apps/\(app)/campaigns/\(campaign.id)"
            let editor = try await world.session(.editor, of: app)
            let page = try await world.get(path + "/edit/review", as: editor)
            #expect(page.text.contains("A sender can send it."))
            #expect(try await PageForm(page.text).send(world, to: path + "/confirm", as: editor).status == 403)
            #expect(try await world.get("/approvals", as: editor).status == .forbidden)
            #expect(try await self.state(world, campaign) == .draft)
        }
    }

    @Test(
        "K-25 K-87 delivery, review, refusal and approvals are complete in each language, and escape",
        arguments: Language.offered
    )
    func languages(_ language: Language) async throws {
        try await PageWorld.run { world in
            let text = "<script>alert(1)</script>\"'&{{heading}}"
            let app = try await world.makeApp("Bus")
            for number in 1...3 { try await world.addDevice(UInt8(number), of: app) }
            try await self.guards(world, app) { ($0.confirmAbove, $0.approveAbove) = (1, 2) }
            let campaign = try await self.draft(world, of: app, title: text) {
                $0.message?.isLiteral = true
                $0.name = .some(text)
                $0.isAd = true
                $0.adWording = .some(AdWording(contact: "02-123", removeGuide: "Settings"))
                $0.pace = .some(.perMinute(1))
                $0.schedule = Schedule(
                    .at([WallTime("2026-12-21T08:00")].compactMap(\.self)),
                    zone: "UTC",
                    isLocal: true
                )
            }
            let path = "/apps/\(app)/campaigns/\(campaign.id)"
            for end in [path + "/edit/delivery", path + "/edit/review", path + "/refuse", path, "/approvals"] {
                let page = try await world.get(end, language: language)
                #expect(page.status == .ok, "\(end)")
                #expect(page.text.missingKeys.isEmpty, "\(end) \(page.text.missingKeys)")
                #expect(!page.text.contains("<script>alert") && !page.text.contains("style=\""), "\(end)")
                #expect(page.text.contains("<html lang=\"\(language.rawValue)\""), "\(end)")
            }
        }
    }
}
