import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonConsole

/// Pausing all sending of an App, on pages.
struct PausePageTests {
    @Test("K-67 A sender pauses all sending from any page, and each page of the App says so until it is resumed")
    func pauses() async throws {
        try await PageWorld.run { world in
            let (app, other) = (try await world.makeApp(), try await world.makeApp("Other"))
            let sender = try await world.session(.sender, of: app)
            let pages = ["", "/campaigns", "/devices", "/users", "/statistics"]
            let path = "/apps/\(app)/pause-sending"
            for page in pages {
                #expect(try await world.get("/apps/\(app)\(page)", as: sender).text.contains("/console\(path)\""))
            }
            let confirm = try await world.get(path, as: sender)
            #expect(confirm.text.contains("sends nothing more of Bus"))
            #expect(try await world.engine.apps.app(app).sendingPausedAt == nil)

            let done = try await world.post(path, as: sender)

            #expect(done.status == .seeOther && done.headers[.location] == "/console/apps/\(app)")
            #expect(try await world.engine.apps.app(app).sendingPausedAt == world.clock.now())
            let viewer = try await world.session(.viewer, of: app)
            for page in pages {
                let text = try await world.get("/apps/\(app)\(page)", as: sender).text
                #expect(text.contains("All sending of Bus is paused since"), "\(page)")
                #expect(text.contains("by Person 1"), "\(page)")
                #expect(text.contains("/console/apps/\(app)/resume-sending"), "\(page)")
                let shown = try await world.get("/apps/\(app)\(page)", as: viewer).text
                #expect(shown.contains("All sending of Bus is paused"), "\(page)")
                #expect(!shown.contains("resume-sending") && !shown.contains("pause-sending"), "\(page)")
            }
            #expect(!(try await world.get("/apps/\(other)").text.contains("is paused since")))
            let entries = try await world.get("/audit?object=\(app)").text
            #expect(entries.contains("sending → paused"))

            #expect(try await world.post("/apps/\(app)/resume-sending", as: sender).status == .seeOther)
            #expect(!(try await world.get("/apps/\(app)").text.contains("is paused since")))
            #expect(try await world.get("/audit?object=\(app)").text.contains("paused → sending"))
        }
    }

    @Test("K-67 Editors cannot pause sending")
    func needsSender() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let editor = try await world.session(.editor, of: app)
            for action in ["pause-sending", "resume-sending"] {
                #expect(try await world.get("/apps/\(app)/\(action)", as: editor).status == .forbidden)
                #expect(try await world.post("/apps/\(app)/\(action)", as: editor).status == .forbidden)
            }
            #expect(try await world.engine.apps.app(app).sendingPausedAt == nil)
        }
    }
}
