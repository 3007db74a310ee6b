import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// The pages of saved Audiences.
@Suite(.timeLimit(.minutes(2)))
struct AudiencePageTests {
    private static let rule = "language in [ja, ko] and consent.ads"

    private func make(_ world: PageWorld, _ app: AppID) async throws -> SavedAudience {
        let rule = try AudienceRule(text: Self.rule)
        return try await world.engine.audiences.create(app: app, AudienceRequest(name: "Readers", rule: rule))
    }

    @Test("An editor makes an Audience, and its page tells the rule in words with its count")
    func makes() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, of: app)
            let editor = try await world.session(.editor, of: app)
            let empty = try await world.get("/apps/\(app)/audiences", as: editor)
            #expect(empty.text.contains("There is no saved Audience yet."))

            let made = try await world.send(
                "/apps/\(app)/audiences/new",
                ["name": "English", "rule": "language = en"],
                as: editor
            )
            #expect(made.status == .seeOther)
            let path = String(try #require(made.headers[.location]).dropFirst("/console".count))
            let page = try await world.get(path, as: editor)
            #expect(page.text.contains("<li>Language is, or is one of: en</li>"))
            #expect(page.text.contains("<dt>Devices that match</dt><dd>1</dd>"))
            let entry = try #require(try await world.lastEntry(of: app))
            #expect(entry.change == "English: language = en")
            let list = try await world.get("/apps/\(app)/audiences", as: editor)
            #expect(list.text.contains(">English</a>"))
        }
    }

    @Test("Wrong fields come back with what was typed")
    func refuses() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let audience = try await make(world, app)
            let path = "/apps/\(app)/audiences/new"

            let wrong = try await world.send(path, ["name": "A", "rule": "language = ja and\nnothing"])
            #expect(wrong.status == .unprocessableContent)
            #expect(wrong.text.contains("Mend the rule at line 2") && wrong.text.contains("value=\"A\""))
            let taken = try await world.send(path, ["name": "Readers", "rule": "language = ja"])
            #expect(taken.status == .unprocessableContent && taken.text.contains("Enter another name"))
            let unknown = try await world.send(path, ["name": "B", "rule": "tag:ZZPP00b6"])
            #expect(unknown.status == .unprocessableContent && unknown.text.contains("a tag or a Campaign"))
            let viewer = try await world.session(.viewer, of: app)
            let refused = try await world.send("/apps/\(app)/audiences/\(audience.id)", ["name": "C"], as: viewer)
            #expect(refused.status == .forbidden)
            let shown = try await world.get("/apps/\(app)/audiences/\(audience.id)", as: viewer)
            #expect(shown.status == .ok && !shown.text.contains("name=\"rule\""))
        }
    }

    @Test("A scheduled Campaign with the rule is named beside the form, and an old form changes nothing")
    func warns() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let audience = try await make(world, app)
            _ = try await world.makeCampaign("Autumn", of: app, title: "Autumn") { request in
                request.audience = .saved(audience.id)
                request.schedule = Schedule(.daily, times: [TimeOfDay("09:00")].compactMap(\.self), zone: "Asia/Taipei")
            }
            let path = "/apps/\(app)/audiences/\(audience.id)"

            let page = try await world.get(path)
            #expect(page.text.contains("keep it when you change it here: Autumn."))
            let old = try await world.send(path, ["name": "Readers", "rule": "language = ja", "seen": "1"])
            #expect(old.status == .conflict && old.text.contains("language = ja") && old.text.contains(Self.rule))
            #expect(old.text.contains("name=\"seen\" value=\"\(audience.changedAt.rawValue)\""))
            let seen = String(audience.changedAt.rawValue)
            let saved = try await world.send(path, ["name": "Readers", "rule": "language = ja", "seen": seen])
            #expect(saved.status == .seeOther)
            let after = try await world.engine.audiences.audience(audience.id, within: app)
            #expect(after.rule == "language = ja")
        }
    }

    @Test("An Audience is not deleted while a draft is for it")
    func deletes() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let audience = try await make(world, app)
            let author = CampaignAuthor.operator(OperatorID(rawValue: 1))
            let campaigns = world.engine.campaigns
            let draft = try await campaigns.newDraft(app: app, name: "Later", by: author)
            var update = CampaignUpdate()
            update.audience = .saved(audience.id)
            _ = try await campaigns.saveDraft(draft.id, within: app, update, version: draft.version, by: author)
            let path = "/apps/\(app)/audiences/\(audience.id)"

            let page = try await world.get(path)
            #expect(page.text.contains(">Later</a>"))
            let refused = try await world.send(path + "/delete", [:])
            #expect(refused.status == .unprocessableContent && refused.text.contains("then delete it"))
            try await campaigns.delete(draft.id, within: app)
            let done = try await world.send(path + "/delete", [:])
            #expect(done.status == .seeOther)
            let gone = try await world.get(path)
            #expect(gone.status == .notFound)
        }
    }
}
