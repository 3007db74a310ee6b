import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// The pages of tags.
@Suite(.timeLimit(.minutes(2)))
struct TagPageTests {
    private func tag(_ name: String, _ world: PageWorld, _ app: AppID) async throws -> TagID {
        try await world.engine.tags.create(app: app, TagRequest(name: name)).id
    }

    @Test("K-25 A tag is made, found and renamed; the list tells who made it, and its name is text")
    func makes() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let home = try await world.get("/apps/\(app)/tags").text
            #expect(home.contains("There is no tag yet.") && home.contains("aria-current=\"page\""))
            let made = try await world.send("/apps/\(app)/tags/new", ["name": "<script>&{{x}}"])
            #expect(made.status == .seeOther)
            let twice = try await world.send("/apps/\(app)/tags/new", ["name": "<script>&{{x}}"])
            #expect(twice.status.code == 422 && twice.text.contains("Enter another name"))
            #expect(try await world.send("/apps/\(app)/tags/new", ["name": "a b"]).status.code == 422)
            let list = try await world.get("/apps/\(app)/tags?q=%3CSCRIPT").text
            #expect(list.contains("&lt;script&gt;&amp;{{x}}") && !list.contains("<script>&"))
            #expect(list.contains("<td>Admin</td>"))
            #expect(try await world.get("/apps/\(app)/tags?q=zz").text.contains("No tag has this in its name."))

            let id = try #require(try await world.engine.tags.list(app: app, after: nil, limit: 1).items.first).id
            #expect(try await world.send("/apps/\(app)/tags/\(id)", ["name": "News"]).status == .seeOther)
            let entry = try #require(try await world.lastEntry(of: app))
            #expect(entry.object == "\(id)" && entry.change == "<script>&{{x}} → News")
            let viewer = try await world.session(.viewer, of: app)
            let page = try await world.get("/apps/\(app)/tags/\(id)", as: viewer).text
            #expect(page.contains("<h1") && page.contains("News") && !page.contains("<form class=\"fields\""))
            #expect(try await world.get("/apps/\(app)/tags/zzzzzzzz").status == .notFound)
        }
    }

    @Test("A list of Users gets and loses a tag; ids that are unknown come as a file, and the server keeps none")
    func changesLists() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, user: "ann", of: app)
            let path = "/apps/\(app)/tags/\(try await tag("News", world, app))"
            let some = try await world.upload(path + "/list", ["do": "add", "list": "ann\n=1+1"], file: "bob")
            #expect(some.status == .ok && some.text.contains("Got the tag: 1 Users. Had it already: 0."))
            let file = try #require(some.text.split(separator: "base64,").last?.split(separator: "\"").first)
            #expect(try decoded(String(file)) == "\u{FEFF}line,user,problem\r\n2,'=1+1,unknown\r\n3,bob,unknown\r\n")
            let entry = try #require(try await world.lastEntry(of: app))
            #expect(entry.change == "News: add by list: 1 changed, 0 as before, 2 not found or refused")
            #expect(try await world.get(path).text.contains("/users/ann\">ann</a>"))

            let gone = try await world.upload(path + "/list", ["do": "remove", "list": ""], file: "ann\r\n")
            #expect(gone.status == .seeOther)
            #expect(try await world.get(path).text.contains("Nobody has it."))
            let empty = try await world.upload(path + "/list", ["do": "add", "list": " "], file: "")
            #expect(empty.status.code == 422 && empty.text.contains("choose a file"))
        }
    }

    private func decoded(_ base64: String) throws -> String {
        let escaped = base64.replacing("&#43;", with: "+").replacing("&#61;", with: "=").replacing("&#x3D;", with: "=")
        return String(decoding: try #require(Data(base64Encoded: escaped)), as: UTF8.self)
    }

    @Test("A tag that a rule names stays, and what names it is listed; then it is merged and deleted")
    func merges() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, user: "ann", of: app)
            let (old, new) = (try await tag("old", world, app), try await tag("new", world, app))
            let ann = try #require(UserID(rawValue: "ann"))
            _ = try await world.engine.tags.apply(.add([old]), to: [ann], app: app)
            let request = AudienceRequest(name: "Readers", rule: .term(.tag(old)))
            let audience = try await world.engine.audiences.create(app: app, request)
            let path = "/apps/\(app)/tags/\(old)"
            for (action, form) in [("delete", [:]), ("merge", ["into": "new"])]
                as [(String, KeyValuePairs<String, String>)]
            {
                let refused = try await world.send("\(path)/\(action)", form)
                #expect(
                    refused.status.code == 422 && refused.text.contains("audiences/\(audience.id)\">Audience: Readers")
                )
            }
            try await world.engine.audiences.delete(audience.id, within: app)
            #expect(try await world.send(path + "/merge", ["into": "old"]).status.code == 422)

            let merged = try await world.send(path + "/merge", ["into": "\(new)"])
            #expect(merged.status == .seeOther)
            let change = try #require(try await world.lastEntry(of: app)?.change)
            #expect(change == "old merged into \(new) new: 1 Users, done")
            #expect(try await world.get(path).status == .notFound)
            #expect(try await world.engine.tags.tags(of: ann, app: app) == [new])
            #expect(try await world.send("/apps/\(app)/tags/\(new)/delete", [:]).status == .seeOther)
            #expect(try await world.engine.tags.tags(of: ann, app: app) == [])
        }
    }
}
