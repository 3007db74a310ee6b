import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// Fields, rows and days, without a server.
struct MendedFormTests {
    @Test("The first value of a name counts, and all of them are found, in their order")
    func fields() throws {
        let form = try FormFields(urlEncoded: Array("a=1&b=2&a=3%0D%0A".utf8))
        #expect(form["a"] == "1" && form.values("a") == ["1", "3\r\n"] && form["c"] == nil)
        #expect(form.setting(["a": nil, "b": "4"]).encoded == "b=4")
        let tags = (0..<200).map { (name: "language", value: "l\($0)") }
        #expect(ContentForm(fields: FormFields(tags)).languages.count == ContentForm.languageCount)
    }

    @Test("A row of opened Campaigns with an id that is none has no rule")
    func opened() throws {
        let id = CampaignID(rawValue: 77)
        #expect(RuleRow(.opened, .isOne, "\(id)").rule != nil)
        #expect(RuleRow(.opened, .isOne, "\(id), cmp_x").rule == nil)
    }

    @Test("Days of statistics are those of the calendar, also where clocks change", arguments: [7, 30])
    func days(_ count: Int) throws {
        // 2026-11-04 00:30 in New York, three days after the clocks were set back: 04:30 UTC before, 05:30 after.
        let now = Timestamp(rawValue: 1_793_770_200_000)
        let first = StatisticsPage.first(of: count, until: now, in: "America/New_York")
        // Midnight in summer time is 04:00 UTC.
        #expect((first.rawValue / 1_000 - 4 * 3_600) % 86_400 == 0)
        #expect(now.rawValue - first.rawValue == Int64(count - 1) * 86_400_000 + 3_600_000 + 1_800_000)
    }

    @Test("K-83 files of sums are in the audit log")
    func recordsFiles() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let campaign = try await world.makeCampaign("News", of: app)
            for path in ["statistics.csv", "campaigns/\(campaign.id)/report.csv"] {
                let file = try await world.get("/apps/\(app)/\(path)")
                #expect(file.status == .ok)
                let entry = try await world.lastEntry(of: app)
                #expect(entry?.action.hasSuffix(path.contains("report") ? "report.csv" : "statistics.csv") == true)
            }
        }
    }

    @Test("K-14 a large form of nobody is not read, and leads to its page after signing in; a small one is kept")
    func largeForm() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let campaign = try await world.makeCampaign("News", of: app)
            let path = "/apps/\(app)/campaigns/\(campaign.id)/edit/audience"
            let large = FormFields([("list", String(repeating: "x", count: FormCheck.closedLimit))])
            let nobody = try await world.send(path, large, as: SessionValue.make())
            #expect(nobody.status == .ok && nobody.text.contains("too large to be kept"))
            #expect(nobody.text.contains("name=\"next\" value=\"/console\(path)\""))
            let small = FormFields([("list", String(repeating: "x", count: 60_000))])
            let kept = try await world.send(path, small, as: SessionValue.make())
            #expect(kept.text.contains("name=\"_held\"") && !kept.text.contains("too large to be kept"))
            let known = try await world.send(path, large)
            #expect(known.status.code != 413)
        }
    }

    @Test("A row with the name of a tag finds it although it looks like an id")
    func tagNames() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            _ = try await world.engine.tags.create(app: app, TagRequest(name: "students"))
            let author = CampaignAuthor.operator(try #require(OperatorID("opr_000000000001")))
            let draft = try await world.engine.campaigns.newDraft(app: app, name: "Show", by: author)
            let form = FormFields([
                ("version", String(draft.version)), ("who", "rule"), ("outer", "all"), ("g0.join", "all"),
                ("g0.0.field", "tag"), ("g0.0.op", "isOne"), ("g0.0.value", "students"),
            ])
            let answer = try await world.send("/apps/\(app)/campaigns/\(draft.id)/edit/audience", form)
            #expect(answer.status == .seeOther)
            let saved = try await world.engine.campaigns.campaign(draft.id, within: app)
            #expect(saved.audience == .rule(.term(.tagName("students"))))
        }
    }
}
