import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonConsole

struct ProxyHeaderTests {
    private func options(_ change: (inout OutsideRules) -> Void = { _ in }) -> ConsoleWorld.Options {
        var options = ConsoleWorld.Options()
        options.console.outside.proxy = ProxyHeader(
            userField: "X-User",
            groupsField: "X-Groups",
            signOutURL: "https://proxy.example.org/out",
            isProxy: { $0 == "10.0.0.1" }
        )
        change(&options.outside)
        return options
    }

    @Test("The header of the proxy signs an Operator in, and that of others does not")
    func header() async throws {
        try await ConsoleWorld.run(options()) { world in
            try await world.makeAdmin()
            var stranger = world.browser(at: "10.0.0.2")
            stranger.fields = ["X-User": "ana@example.org"]
            let ignored = try await stranger.get("/console/account")
            #expect(ignored.location?.hasPrefix("/console/login") == true)
            let page = try await stranger.get("/console/login")
            #expect(page.status == 200)

            var browser = world.browser(at: "10.0.0.1")
            browser.fields = ["X-User": "Ana@example.org"]
            let opened = try await browser.get("/console/account")
            #expect(opened.status == 303 && opened.location == "/console/account")
            let account = try await browser.get("/console/account")
            #expect(account.status == 200 && account.heading == "Account")
            stranger.session = browser.session
            let around = try await stranger.get("/console/account")
            #expect(around.status == 303, "the session counts behind the proxy alone")
        }
    }

    @Test("A session ends when the header names somebody else, or nobody")
    func otherPerson() async throws {
        try await ConsoleWorld.run(options()) { world in
            try await world.makeAdmin()
            var browser = world.browser(at: "10.0.0.1")
            browser.fields = ["X-User": "ana@example.org"]
            _ = try await browser.get("/console/account")
            browser.fields = ["X-User": "eve@example.org"]
            let other = try await browser.get("/console/account")
            #expect(other.status == 403 && other.heading == "Nobody here has this account")
            browser.fields = [:]
            let nobody = try await browser.get("/console/account")
            #expect(nobody.location?.hasPrefix("/console/login") == true)
        }
    }

    @Test("The proxy proves nothing anew: a password of here does")
    func fresh() async throws {
        try await ConsoleWorld.run(options()) { world in
            try await world.makeAdmin()
            var browser = world.browser(at: "10.0.0.1")
            browser.fields = ["X-User": "ana@example.org"]
            _ = try await browser.get("/console/account")
            let asked = try await browser.get("/console/account/passkeys/new")
            #expect(asked.heading == "Confirm that it is you")
            world.clock.advance(seconds: 1)
            let form: KeyValuePairs = ["password": ConsoleWorld.password, "next": "/console/account/passkeys/new"]
            _ = try await browser.post("/console/login/again", form)
            let page = try await browser.get("/console/account/passkeys/new")
            #expect(page.heading == "Add a passkey")
        }
    }

    @Test("Signing out ends the session, and does not sign in again by itself; forms need their token")
    func signOut() async throws {
        try await ConsoleWorld.run(options()) { world in
            try await world.makeAdmin()
            var browser = world.browser(at: "10.0.0.1")
            browser.fields = ["X-User": "ana@example.org"]
            _ = try await browser.get("/console/account")
            _ = try await browser.get("/console/account")
            let forged = try await browser.post("/console/account", ["displayName": "X"], token: "x")
            #expect(forged.status == 403)
            _ = try await browser.get("/console/account")
            let out = try await browser.post("/console/logout")
            #expect(out.location == "/console/login/ended")
            let page = try await browser.get("/console/login/ended")
            #expect(page.body.contains("https://proxy.example.org/out"))
        }
    }

    @Test("Groups of the proxy make an Operator when that is on")
    func groups() async throws {
        let options = options {
            $0.provisions = true
            $0.groupRoles = [GroupRole(group: "news", role: .editor)]
        }
        try await ConsoleWorld.run(options) { world in
            try await world.makeAdmin()
            var browser = world.browser(at: "10.0.0.1")
            browser.fields = ["X-User": "ben@example.org", "X-Groups": "other, news"]
            let opened = try await browser.get("/console/account")
            #expect(opened.status == 303)
            let people = try await world.engine.operators.list(after: nil, limit: 10).items
            #expect(people.first { $0.address == "ben@example.org" }?.role == .editor)
        }
    }
}
