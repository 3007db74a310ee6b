import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Testing

@testable import CarillonConsole

/// What a form must have, and what asks anew who is there.
struct FormTests {
    private static let vendorPath = "/push/v2.4/appkeys/none/messages"

    /// What somebody could change, as it is.
    private struct State: Equatable {
        var operators: [Operator]
        var sessions: Int
        var apps: [App]
    }

    private func state(_ world: ConsoleWorld, _ people: [Person]) async throws -> State {
        var sessions = 0
        for person in people { sessions += try await world.engine.operators.sessions(of: person.id).count }
        return State(
            operators: try await world.engine.operators.list(after: nil, limit: 100).items,
            sessions: sessions,
            apps: try await world.engine.apps.list(after: nil, limit: 100).items
        )
    }

    private func path(_ route: DeclaredConsoleRoute, _ app: App, _ person: Person) -> String {
        var path = "/console" + route.path
        path = path.replacing("{app}", with: app.id.description).replacing("{operator}", with: person.id.description)
        while let start = path.firstIndex(of: "{"), let end = path.firstIndex(of: "}") {
            path.replaceSubrange(start...end, with: "unknown")
        }
        return path
    }

    @Test("K-18 A form without its token, with another one, or from another site changes nothing")
    func refusesForeignForms() async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            let ana = try await world.makeAdmin()
            let ben = try await world.makeOperator("ben@example.org", OperatorRoles(everywhere: .viewer))
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/account")
            var bens = world.browser(of: ben)
            _ = try await bens.get("/console/account")
            let before = try await state(world, [ana, ben])

            for route in world.console.declaredRoutes where route.method == "POST" {
                let path = path(route, app, ben)
                let token = browser.token
                for (token, site) in [
                    ("-", "same-origin"), (bens.token, "same-origin"), (token, "cross-site"), (token, "same-site"),
                    (token, "none"), (token, nil),
                ] as [(String, String?)] {
                    let form: KeyValuePairs = ["role": "admin", "address": "eve", "displayName": "Eve"]
                    let answer = try await browser.post(path, form, token: token, site: site)
                    #expect(answer.status == 403, "\(path) \(site ?? "no site")")
                    #expect(answer.heading == "This form cannot be used", "\(path)")
                }
            }

            #expect(try await state(world, [ana, ben]) == before)
        }
    }

    @Test(
        "K-18 Without Sec-Fetch-Site the origin has to be the console's",
        arguments: [
            ("http://localhost", 303), ("http://localhost:81", 403), ("https://localhost", 403), ("null", 403),
            ("http://localhost.evil.example", 403),
        ]
    )
    func checksOrigin(_ origin: String, _ status: Int) async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/account")
            browser.fields["Origin"] = origin

            #expect(try await browser.post("/console/account", ["displayName": "New"], site: nil).status == status)
        }
    }

    @Test("K-19 Looking at pages changes nothing")
    func getsChangeNothing() async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            let ana = try await world.makeAdmin()
            let ben = try await world.makeOperator("ben@example.org", OperatorRoles(everywhere: .viewer))
            var browser = world.browser(of: ana)
            let before = try await state(world, [ana, ben])

            for route in world.console.declaredRoutes where route.method == "GET" {
                _ = try await browser.get(path(route, app, ben))
                let head = try await browser.get(path(route, app, ben), .head)
                #expect(head.body.isEmpty)
            }

            #expect(try await state(world, [ana, ben]) == before)
            // An export is recorded, and nothing else.
            let entries = try await world.engine.audit.entries(AuditQuery(), limit: 1_000).items
            #expect(entries.allSatisfy { $0.action.hasSuffix(".csv") }, "\(entries.map(\.action))")
        }
    }

    @Test("K-20 The cookie opens no API, and an API key opens no page")
    func separatesCredentials() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            for path in ["/v1/apps", "/v1/audit"] {
                let answer = try await browser.get(path)
                #expect(answer.status == 401, "\(path)")
            }
            // A vendor's call is answered as it is without the cookie.
            var other = world.browser()
            let (with, without) = (try await browser.get(Self.vendorPath), try await other.get(Self.vendorPath))
            #expect(with.status == without.status)
            #expect(with.body == without.body)
            var program = world.browser()
            program.fields["Authorization"] = "Bearer " + world.serverKey
            for path in ["/console/", "/console/operators", "/console/account"] {
                let answer = try await program.get(path)
                #expect(answer.status == 303, "\(path)")
                #expect(answer.location?.hasPrefix("/console/login") == true, "\(path)")
            }
            #expect(try await program.get("/v1/apps").status == 200)
        }
    }

    @Test("K-21 What needs a fresh sign-in asks for it after 15 minutes, and then continues")
    func asksAgain() async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            let ana = try await world.makeAdmin()
            let ben = try await world.makeOperator("ben@example.org", OperatorRoles(everywhere: .viewer))
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/account")
            world.clock.advance(seconds: 901)
            let before = try await state(world, [ana, ben])

            let fresh = world.console.declaredRoutes.filter(\.needsFreshAuthentication)
            for route in fresh {
                let path = path(route, app, ben)
                let answer = route.method == "GET" ? try await browser.get(path) : try await browser.post(path)
                #expect(answer.status == 200, "\(path)")
                #expect(answer.heading == "Confirm that it is you", "\(path)")
            }
            #expect(try await state(world, [ana, ben]) == before)
            // What was only asked for is not recorded as done.
            let entries = try await world.engine.audit.entries(AuditQuery(), limit: 1_000).items
            #expect(entries.count == fresh.count { $0.method == "POST" })
            #expect(entries.allSatisfy { $0.status == 401 }, "\(entries.map(\.action))")

            let names = Set(fresh.map { $0.method + " " + $0.path })
            #expect(
                names.isSuperset(of: [
                    "GET /account/password", "POST /account/password", "GET /account/second-factor",
                    "POST /account/second-factor", "POST /account/second-factor/remove", "POST /account/recovery-codes",
                    "POST /operators/invite", "POST /operators/{operator}", "POST /operators/{operator}/disable",
                    "POST /operators/{operator}/enable", "POST /operators/{operator}/link",
                    "POST /operators/{operator}/remove",
                ])
            )
        }
    }

    @Test("K-21 After the password what was begun is done, once, and in the audit log by its own name")
    func continues() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            let ben = try await world.makeOperator("ben@example.org", OperatorRoles(everywhere: .viewer))
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/operators/\(ben.id)")
            world.clock.advance(seconds: 901)
            let asked = try await browser.post("/console/operators/\(ben.id)", ["role": "sender"])
            let held = try #require(asked.value(of: "_held"))
            let wrong = try await browser.post("/console/login/again", ["password": "wrong", "_held": held])
            #expect(wrong.status == 422)
            #expect(try await world.engine.operators.record(ben.id).role == .viewer)

            let done = try await browser.post(
                "/console/login/again",
                ["password": ConsoleWorld.password, "_held": try #require(wrong.value(of: "_held"))]
            )

            #expect(done.location == "/console/operators/\(ben.id)")
            #expect(try await world.engine.operators.record(ben.id).role == .sender)
            // The session goes on with its new value.
            #expect(try await browser.follow(done).status == 200)
            let entries = try await world.engine.audit.entries(AuditQuery(), limit: 10).items
            let own = entries.filter { $0.action == "POST /console/operators/{operator}" }
            // The latest first: done, and before that asked for the password.
            #expect(own.map(\.status) == [200, 401])
            #expect(own.allSatisfy { $0.actor == ana.id.description })
            #expect(own.first?.object == ben.id.description)
        }
    }

    @Test("A form is bounded, and must be a form")
    func bounds() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/account")
            let large = String(repeating: "x", count: 70_000)
            #expect(try await browser.post("/console/account", ["displayName": large]).status == 413)
            browser.fields["Content-Type"] = "application/json"
            var other = browser
            #expect(try await other.get("/console/account", .post).status == 403)
            #expect(try await other.get("/console/account", .put).status == 405)
        }
    }
}

/// What the audit log has of the console.
struct ConsoleAuditTests {
    @Test("K-83 A wrong password of the account's page is in the audit log")
    func recordsAccount() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/account/password")
            let form: KeyValuePairs = ["password": "wrong", "newPassword": "three other words here"]
            #expect(try await browser.post("/console/account/password", form).status == 422)
            let page = try await browser.get("/console/account/second-factor")
            let code: KeyValuePairs = ["sealed": try #require(page.value(of: "sealed")), "code": "wrong"]
            #expect(try await browser.post("/console/account/second-factor", code).status == 422)

            let entries = try await world.engine.audit.entries(AuditQuery(), limit: 10).items.reversed()
            #expect(
                entries.map { "\($0.action) \($0.status)" } == [
                    "POST /console/account/password 401", "POST /console/account/second-factor 401",
                ]
            )
            #expect(entries.allSatisfy { $0.actor == ana.id.description })
        }
    }

    @Test("K-83 Forms of strangers that are refused take no place of wrong passwords")
    func recordsGuesses() async throws {
        try await ConsoleWorld.run { world in
            try await world.makeAdmin()
            var browser = world.browser()
            _ = try await browser.get("/console/login")
            for _ in 0..<25 { _ = try await browser.post("/console/login", token: "-") }
            _ = try await browser.get("/console/login")
            let form: KeyValuePairs = ["address": "ana@example.org", "password": "wrong"]
            #expect(try await browser.post("/console/login", form).status == 422)

            let entries = try await world.engine.audit.entries(AuditQuery(), limit: 100).items
            #expect(entries.first?.status == 401)
            #expect((1...21).contains(entries.count { $0.status == 403 }))
        }
    }

    @Test("K-83 Sign-ins, wrong passwords, changes and refusals are in the audit log")
    func records() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            let ben = try await world.makeOperator("ben@example.org", OperatorRoles(everywhere: .viewer))
            var browser = world.browser()
            _ = try await browser.get("/console/login")
            _ = try await browser.post("/console/login", ["address": ben.address, "password": "wrong"])
            _ = try await browser.post("/console/login", ["address": ben.address, "password": ConsoleWorld.password])
            _ = try await browser.get("/console/operators")
            _ = try await browser.get("/console/account")
            _ = try await browser.post("/console/account", ["displayName": "Benno"])
            _ = try await browser.post("/console/account", ["zone": "Nowhere"])
            _ = try await browser.post("/console/operators/\(ana.id)/remove")

            let entries = try await world.engine.audit.entries(AuditQuery(), limit: 100).items.reversed()
            let shown = entries.map { "\($0.actor == ben.id.description ? "ben" : $0.actor) \($0.action) \($0.status)" }
            #expect(
                Array(shown) == [
                    "unknown POST /console/login 401", "ben POST /console/login 200", "ben GET /console/operators 403",
                    "ben POST /console/account 200", "ben POST /console/operators/{operator}/remove 403",
                ]
            )
            #expect(entries.first?.object == ben.id.description)
            #expect(entries.allSatisfy { $0.address == "local" })
            #expect(entries.dropFirst().allSatisfy { $0.session != nil })
            #expect(entries.contains { $0.change == "displayName: changed" })
        }
    }
}
