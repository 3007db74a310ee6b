import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Testing

@testable import CarillonConsole

/// The first use of an App without a key of Apple's.
struct PhonePageTests {
    /// The world without a dispatcher: no page waits for an answer.
    private static var options: ConsoleWorld.Options {
        var options = ConsoleWorld.Options()
        options.console.answerTime = .zero
        return options
    }

    @Test("An App without a key gets the simulator, a phone and its first notification by three buttons")
    func firstUse() async throws {
        try await ConsoleWorld.run(Self.options) { world in
            let ana = try await world.makeAdmin()
            let app = try await world.makeApp()
            let home = "/console/apps/\(app.id)"
            var browser = try await world.signIn(ana)
            let first = try await browser.get(home)
            #expect(first.body.contains("action=\"\(home)/simulator\""))
            #expect(!first.body.contains("\(home)/phones"))
            // The first thing to do is the important one, and a Campaign would reach nobody.
            #expect(first.body.contains("class=\"button primary\" href=\"\(home)/settings/apns\""))
            #expect(!first.body.contains(">New Campaign"))

            let chosen = try await browser.follow(try await browser.post(home + "/simulator"))
            #expect(try await world.engine.apps.app(app.id).usesSimulator)
            #expect(chosen.body.contains("action=\"\(home)/phones\"") && !chosen.body.contains("\(home)/simulator"))
            let added = try await browser.post(home + "/phones")
            let devices = try await world.engine.devices.list(app: app.id, user: nil, cursor: nil, limit: 2)
            let device = try #require(devices.items.first)
            #expect(added.status == 303 && added.location == "\(home)/phones/\(device.device)")
            let phone = try await browser.follow(added)
            #expect(phone.heading == "Simulated phone" && phone.body.contains("No notifications yet."))
            let sent = try await browser.post("\(home)/phones/\(device.device)/test")
            #expect(sent.status == 303 && sent.location == "\(home)/phones/\(device.device)")
            let ready = try await browser.get(home)
            #expect(ready.body.contains(">New Campaign"))
            // Tests are not listed; the audit log has which one it was.
            let entries = try await world.engine.audit.entries(AuditQuery(), limit: 10).items
            let entry = try #require(entries.first { $0.action.hasSuffix("/test") })
            #expect(entry.change?.hasPrefix("test send: none → cmp_") == true)
        }
    }

    @Test("Viewers see a simulated phone and send nothing; other Devices and Apps have none")
    func access() async throws {
        try await ConsoleWorld.run(Self.options) { world in
            let ana = try await world.makeAdmin()
            let (app, other) = (try await world.makeApp(), try await world.makeApp("Other"))
            _ = try await world.engine.apps.useSimulator(app.id)
            let phone = try await world.engine.simulatedPhones.add(to: app.id, language: nil, timeZone: nil).device
            let vic = try await world.makeOperator("vic@example.org", OperatorRoles(everywhere: .viewer))
            var viewer = try await world.signIn(vic)
            let path = "/console/apps/\(app.id)/phones/\(phone)"
            let page = try await viewer.get(path)
            #expect(page.status == 200 && !page.body.contains("\(path)/test"))
            #expect(try await viewer.post(path + "/test").status == 403)
            #expect(try await viewer.post("/console/apps/\(app.id)/phones").status == 403)
            var admin = try await world.signIn(ana)
            #expect(try await admin.get("/console/apps/\(other.id)/phones/\(phone)").status == 404)
            _ = try await admin.get("/console/account")
            #expect(try await admin.post("/console/apps/\(other.id)/phones").status == 409)
        }
    }

    @Test("K-09 An App with the simulator is marked as a sandbox, another one on the same server is not")
    func sandboxMark() async throws {
        try await ConsoleWorld.run(Self.options) { world in
            let ana = try await world.makeAdmin()
            let (app, other) = (try await world.makeApp(), try await world.makeApp("Other"))
            _ = try await world.engine.apps.useSimulator(app.id)
            var browser = try await world.signIn(ana)
            for path in ["", "/campaigns", "/templates/new", "/settings/general"] {
                let sandbox = try await browser.get("/console/apps/\(app.id)\(path)").body
                #expect(sandbox.contains("<p class=\"environment\">Sandbox</p>"), "\(path)")
                #expect(sandbox.contains("<span class=\"mark\">(Sandbox)</span>"), "\(path)")
                let production = try await browser.get("/console/apps/\(other.id)\(path)").body
                #expect(production.contains("<p class=\"environment\">Production</p>"), "\(path)")
                #expect(!production.contains("Sandbox"), "\(path)")
            }
        }
    }
}
