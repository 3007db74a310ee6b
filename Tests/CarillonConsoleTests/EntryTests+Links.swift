import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Testing

@testable import CarillonConsole

/// Invitations, forms that wait for a sign-in, and the addresses of the console.
extension EntryTests {
    @Test("K-13 An invitation can be looked at again and again, and is accepted once, with the invited role")
    func invitation() async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/operators/invite")
            let made = try await browser.post(
                "/console/operators/invite",
                ["address": "ben@example.org", "role": "", "role-\(app.id)": "editor"]
            )
            let link = try #require(made.between("<code>http://localhost", "</code>"))
            var guest = world.browser()
            for _ in 0..<3 { #expect(try await guest.get(link).status == 200) }
            let form: KeyValuePairs = ["displayName": "Ben", "password": ConsoleWorld.password]
            #expect(try await guest.post(link, ["password": "short"]).status == 422)
            _ = try await guest.get(link)

            #expect(try await guest.post(link, form).location == "/console/")

            let operators = try await world.engine.operators.list(after: nil, limit: 10).items
            let ben = try #require(operators.first { $0.address == "ben@example.org" })
            #expect(ben.roles == OperatorRoles(apps: [OperatorAppRole(app: app.id, role: .editor)]))
            #expect(ben.displayName == "Ben")
            var second = world.browser()
            _ = try await second.get("/console/login")
            #expect(try await second.post(link, form).status == 410)
        }
    }

    @Test("An admin who was made in the store opens the link while there is no other, and comes in")
    func madeAdmin() async throws {
        try await ConsoleWorld.run { world in
            let link = try await world.engine.operators.makeAdmin(address: "mei@example.org").value.link
            var browser = world.browser()
            #expect(try await browser.get(link.path).status == 200)

            let form: KeyValuePairs = ["displayName": "Mei", "password": ConsoleWorld.password]
            let answer = try await browser.post(link.path, form)

            #expect(answer.location == "/console/")
            #expect(try await browser.follow(answer).status == 200)
            // Nothing else is open before.
            #expect(try await world.engine.operators.isSetUp())
        }
    }

    @Test("K-13 An invitation ends after 24 hours")
    func invitationExpires() async throws {
        try await ConsoleWorld.run { world in
            try await world.makeAdmin()
            let invitation = OperatorInvitation(address: "ben", roles: OperatorRoles(everywhere: .viewer))
            let made = try await world.engine.operators.invite(invitation, by: .server)
            world.clock.advance(seconds: 86_401)
            var browser = world.browser()
            _ = try await browser.get("/console/login")

            #expect(try await browser.get(made.value.link.path).status == 410)
            let form: KeyValuePairs = ["password": ConsoleWorld.password]
            #expect(try await browser.post(made.value.link.path, form).status == 410)
        }
    }

    @Test("K-14 A form of an ended session leads to signing in, and then to the form with what was typed")
    func holdsForm() async throws {
        try await ConsoleWorld.run(Self.withFactor) { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/account")
            world.clock.advance(seconds: 3_700)
            let typed = "Ana \"the <first>\""

            let asked = try await browser.post("/console/account", ["displayName": typed, "zone": "Asia/Taipei"])

            #expect(asked.status == 200)
            #expect(asked.heading == "Sign in")
            let held = try #require(asked.value(of: "_held"))
            #expect(!held.contains("Taipei"))
            let code = try await browser.post(
                "/console/login",
                ["address": ana.address, "password": ConsoleWorld.password, "_held": held]
            )
            #expect(code.heading == "Enter your code")
            let form = try await browser.post(
                "/console/login/code",
                ["code": world.code(of: ana), "_held": try #require(code.value(of: "_held"))]
            )
            #expect(form.status == 200)
            #expect(form.heading == "Account")
            #expect(form.body.contains("value=\"Ana &quot;the &lt;first&gt;&quot;\""))
            #expect(form.body.contains("value=\"Asia/Taipei\""))
            // It was shown, not done.
            #expect(try await world.engine.operators.record(ana.id).displayName == "Ana")
            let form2: KeyValuePairs = ["displayName": typed, "zone": "Asia/Taipei"]
            #expect(try await browser.post("/console/account", form2).location == "/console/account")
            #expect(try await world.engine.operators.record(ana.id).displayName == typed)
        }
    }

    @Test(
        "K-27 After signing in somebody comes to a page of ours, whatever the link says",
        arguments: [
            "https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/console//evil",
            "/console/../v1", "/v1/apps", "/consoleevil", "/console/\u{0D}\u{0A}Set-Cookie:a=b", "",
        ]
    )
    func redirectsToOwnPages(_ next: String) async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser()
            let page = try await browser.get("/console/login?next=" + FormFields.escaped(next))
            #expect(page.value(of: "next") == nil)

            let answer = try await browser.post(
                "/console/login",
                ["address": ana.address, "password": ConsoleWorld.password, "next": next]
            )

            #expect(answer.location == "/console/")
        }
    }

    @Test("Plain HTTP beyond this machine is refused, unless it was allowed, and then each page warns")
    func refusesPlainHTTP() async throws {
        try await ConsoleWorld.run { world in
            try await world.makeAdmin()
            var plain = world.browser(at: "192.0.2.1", host: "push.example.org")
            let refused = try await plain.get("/console/login")
            #expect(refused.status == 403)
            #expect(refused.heading == "Use https")
        }
        var options = ConsoleWorld.Options()
        options.console.allowsPlainHTTP = true
        try await ConsoleWorld.run(options) { world in
            try await world.makeAdmin()
            var plain = world.browser(at: "192.0.2.1", host: "push.example.org")
            let allowed = try await plain.get("/console/login")
            #expect(allowed.status == 200)
            #expect(allowed.body.contains("served over plain HTTP"))
        }
    }

    @Test("The cookie over TLS is bound to the host, and not readable by scripts")
    func securesCookie() async throws {
        try await ConsoleWorld.run { world in
            try await world.makeAdmin()
            var browser = world.browser(at: "192.0.2.1", encrypted: true, host: "push.example.org")
            let page = try await browser.get("/console/login")

            let cookie = try #require(page.headers[values: .setCookie].first)
            #expect(cookie.hasPrefix("__Host-carillon="))
            #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure"))
            var local = world.browser()
            let other = try await local.get("/console/login").headers[values: .setCookie].first
            #expect(other?.hasPrefix("carillon-dev=") == true)
            #expect(other?.contains("Secure") == false)
        }
    }
}
