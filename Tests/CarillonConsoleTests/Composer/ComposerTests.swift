import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonConsole

/// A draft and the composer's shell around it.
@Suite(.timeLimit(.minutes(2)))
struct ComposerTests {
    private func draft(_ browser: inout Browser, of app: AppID) async throws -> String {
        _ = try await browser.get("/console/apps/\(app)/campaigns")
        let answer = try await browser.post("/console/apps/\(app)/campaigns")
        #expect(answer.status == 303)
        return try #require(answer.location)
    }

    @Test("The button makes a draft with a name of its time, and leads to the first step")
    func makesDraft() async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            var browser = world.browser(of: try await world.makeAdmin())
            let list = try await browser.get("/console/apps/\(app.id)/campaigns")
            #expect(list.body.contains(">New Campaign</button>"))

            let path = try await draft(&browser, of: app.id)
            #expect(path.hasSuffix("/edit/audience"))
            let page = try await browser.get(path)
            #expect(page.heading == "Untitled, 21 Nov 08:44", "\(page.heading ?? "")")
            #expect(page.value(of: "version") != nil)
            for step in ["audience", "content", "delivery", "review"] {
                #expect(page.body.contains("/edit/\(step)\""), "\(step)")
            }
            #expect(page.body.contains("aria-current=\"step\">Audience</a>"))
        }
    }

    @Test("Save and continue leads to the next step, save stays, and a wrong name comes again with 422")
    func saves() async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            var browser = world.browser(of: try await world.makeAdmin())
            let content = try await draft(&browser, of: app.id).replacing("/audience", with: "/content")
            let version = try #require(try await browser.get(content).value(of: "version"))

            let long = String(repeating: "x", count: 201)
            let wrong = try await browser.post(content, ["version": version, "name": long, "do": "next"])
            #expect(wrong.status == 422)
            #expect(wrong.value(of: "version") == version)
            #expect(wrong.body.contains("href=\"#name\"") && wrong.body.contains(long))

            world.clock.advance(seconds: 1)
            let saved = try await browser.post(content, ["version": version, "name": " Spring ", "do": "next"])
            #expect(saved.status == 303)
            #expect(saved.location == content.replacing("/content", with: "/delivery"))
            let next = try await browser.follow(saved)
            #expect(next.heading == "Spring")
            let newer = try #require(next.value(of: "version"))
            #expect(newer != version)
            let delivery = try #require(saved.location)
            let stayed = try await browser.post(delivery, ["version": newer, "name": "Spring", "do": "save"])
            #expect(stayed.location == delivery)
        }
    }

    @Test("K-57 Saving from an outdated version answers 409 with both versions and loses neither")
    func conflict() async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            var ana = world.browser(of: try await world.makeAdmin())
            let path = try await draft(&ana, of: app.id).replacing("/audience", with: "/content")
            let version = try #require(try await ana.get(path).value(of: "version"))
            world.clock.advance(seconds: 1)
            let ben = try await world.makeOperator("ben@example.org", OperatorRoles(everywhere: .editor))
            var bens = world.browser(of: ben)
            _ = try await bens.get(path)
            #expect(try await bens.post(path, ["version": version, "name": "Of Ben", "do": "save"]).status == 303)

            let conflict = try await ana.post(path, ["version": version, "name": "Of Ana", "do": "save"])
            #expect(conflict.status == 409)
            #expect(conflict.body.contains("<td class=\"text\">Of Ana</td><td class=\"text\">Of Ben</td>"))
            #expect(conflict.value(of: "name") == "Of Ana")
            #expect(conflict.body.contains("Take theirs"))
            #expect(try await ana.get(path).heading == "Of Ben")

            let newer = try #require(conflict.value(of: "version"))
            world.clock.advance(seconds: 1)
            let kept = try await ana.post(path, ["version": newer, "name": "Of Ana", "do": "save"])
            #expect(kept.status == 303)
            #expect(try await ana.get(path).heading == "Of Ana")
        }
    }

    @Test("A viewer finds neither button nor composer; a deleted draft is gone")
    func deletes() async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            var browser = world.browser(of: try await world.makeAdmin())
            let path = try await draft(&browser, of: app.id)
            let viewer = try await world.makeOperator("eve@example.org", OperatorRoles(everywhere: .viewer))
            var eve = world.browser(of: viewer)
            #expect(!(try await eve.get("/console/apps/\(app.id)/campaigns").body.contains("New Campaign")))
            #expect(try await eve.get(path).status == 403)

            _ = try await browser.get(path)
            let gone = try await browser.post(path.replacing("/audience", with: "/delete"))
            #expect(gone.status == 303)
            #expect(try await browser.follow(gone).body.contains("is deleted."))
            #expect(try await browser.get(path).status == 404)
        }
    }
}
