import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Testing

@testable import CarillonConsole

/// How somebody comes in, and how that ends.
struct EntryTests {
    private static var withFactor: ConsoleWorld.Options {
        var options = ConsoleWorld.Options()
        options.secondFactorFrom = .sender
        return options
    }

    @Test("K-01 Without an Operator each path asks for the setup link, and nothing signs in")
    func asksForSetup() async throws {
        try await ConsoleWorld.run { world in
            var browser = world.browser()
            let paths = ["", "/", "/login", "/login/code", "/account", "/operators", "/apps/app_1", "/nothing"]
            for path in paths {
                let answer = try await browser.get("/console" + path)
                #expect((answer.status, answer.location ?? "") == (303, "/console/setup"), "\(path)")
                let posted = try await browser.post("/console" + path, ["address": "admin", "password": "admin"])
                #expect((posted.status, posted.location ?? "") == (303, "/console/setup"), "\(path)")
            }

            let page = try await browser.get("/console/setup")

            #expect(page.status == 200)
            #expect(page.body.contains("Open the setup link"))
        }
    }

    @Test("K-02 The setup link makes the first admin once")
    func setsUp() async throws {
        try await ConsoleWorld.run { world in
            let link = try #require(try await world.engine.operators.newSetupLink())
            let other = try #require(try await world.engine.operators.newSetupLink())
            var browser = world.browser()
            let page = try await browser.get(link.path)
            #expect(page.status == 200)

            let answer = try await browser.post(
                link.path,
                ["address": "ana@example.org", "displayName": "Ana", "password": ConsoleWorld.password]
            )

            #expect(answer.location == "/console/")
            let operators = try await world.engine.operators.list(after: nil, limit: 10).items
            #expect(operators.map(\.address) == ["ana@example.org"])
            #expect(operators.map(\.role) == [.admin])
            for used in [link, other] {
                var second = world.browser()
                let gone = try await second.get(used.path)
                #expect(gone.status == 410)
                _ = try await second.get("/console/login")
                let again = try await second.post(used.path, ["address": "eve", "password": ConsoleWorld.password])
                #expect(again.status == 410)
            }
            #expect(try await world.engine.operators.list(after: nil, limit: 10).items.count == 1)
        }
    }

    @Test("K-02 The setup link ends after 60 minutes")
    func setupExpires() async throws {
        try await ConsoleWorld.run { world in
            let link = try #require(try await world.engine.operators.newSetupLink())
            var browser = world.browser()
            world.clock.advance(seconds: 3_599)
            #expect(try await browser.get(link.path).status == 200)
            world.clock.advance(seconds: 2)

            #expect(try await browser.get(link.path).status == 410)
            let form: KeyValuePairs = ["address": "ana", "password": ConsoleWorld.password]
            #expect(try await browser.post(link.path, form).status == 410)
        }
    }

    @Test("K-03 A wrong password and an unknown name have the same answer")
    func sameRefusal() async throws {
        try await ConsoleWorld.run { world in
            try await world.makeAdmin()
            var browser = world.browser()
            _ = try await browser.get("/console/login")

            let known = try await browser.post("/console/login", ["address": "ana@example.org", "password": "wrong"])
            let unknown = try await browser.post("/console/login", ["address": "eva@example.org", "password": "wrong"])

            #expect(known.status == 422)
            #expect(unknown.status == 422)
            #expect(known.body.replacing("ana@", with: "eva@") == unknown.body)
            #expect(known.headers.map(\.name) == unknown.headers.map(\.name))
        }
    }

    @Test("K-04 After five wrong passwords the next try waits, and the right one works after the wait")
    func waits() async throws {
        try await ConsoleWorld.run { world in
            try await world.makeAdmin()
            var browser = world.browser()
            _ = try await browser.get("/console/login")
            for _ in 0..<5 {
                let wrong = try await browser.post("/console/login", ["address": "ana@example.org", "password": "x"])
                #expect(wrong.status == 422)
            }
            let form: KeyValuePairs = ["address": "ana@example.org", "password": ConsoleWorld.password]

            let early = try await browser.post("/console/login", form)

            #expect(early.status == 429)
            let wait = try #require(early.headers[.retryAfter].flatMap { Int64($0) })
            #expect((1...60).contains(wait))
            world.clock.advance(seconds: wait)
            _ = try await browser.get("/console/login")
            let late = try await browser.post("/console/login", form)
            #expect(late.location == "/console/")
            // Who was attacked gets to know it.
            let home = try await browser.follow(late)
            #expect(home.body.contains("Wrong passwords or codes since you signed in last: 5."))
        }
    }

    @Test("K-05 Wrong passwords from other addresses stop an Operator for a minute at most")
    func noLockOut() async throws {
        try await ConsoleWorld.run { world in
            try await world.makeAdmin()
            for number in 0..<60 {
                var other = world.browser(at: "192.0.2.\(number)")
                _ = try await other.get("/console/login")
                _ = try await other.post("/console/login", ["address": "ana@example.org", "password": "x"])
                world.clock.advance(seconds: 2)
            }
            var owner = world.browser(at: "198.51.100.1")
            _ = try await owner.get("/console/login")
            let form: KeyValuePairs = ["address": "ana@example.org", "password": ConsoleWorld.password]
            let first = try await owner.post("/console/login", form)
            #expect(first.status == 429)
            let wait = try #require(first.headers[.retryAfter].flatMap { Int64($0) })
            #expect(wait <= 60)
            // Others go on meanwhile.
            world.clock.advance(seconds: wait)
            var other = world.browser(at: "192.0.2.200")
            _ = try await other.get("/console/login")
            _ = try await other.post("/console/login", ["address": "ana@example.org", "password": "x"])
            _ = try await owner.get("/console/login")

            #expect(try await owner.post("/console/login", form).location == "/console/")
        }
    }

    @Test("K-06 The cookie changes with each step, and only the last value opens a page")
    func changesValue() async throws {
        try await ConsoleWorld.run(Self.withFactor) { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser()
            _ = try await browser.get("/console/login")
            let before = try #require(browser.session)
            let form: KeyValuePairs = ["address": "ana@example.org", "password": ConsoleWorld.password]
            let signedIn = try await browser.post("/console/login", form)
            #expect(signedIn.location == "/console/login/code")
            let between = try #require(browser.session)
            _ = try await browser.follow(signedIn)
            world.clock.advance(seconds: 30)
            let passed = try await browser.post("/console/login/code", ["code": world.code(of: ana)])
            #expect(passed.location == "/console/")
            let after = try #require(browser.session)

            #expect(Set([before, between, after]).count == 3)
            for (value, status) in [(before, 303), (between, 303), (after, 200)] {
                var other = world.browser()
                other.session = value
                #expect(try await other.get("/console/account").status == status)
            }
        }
    }

    @Test(
        "K-07 A session ends after an hour without use, and after twelve hours",
        arguments: [3_601, 43_201] as [Int64]
    )
    func expires(after seconds: Int64) async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            let step = seconds > 40_000 ? Int64(1_800) : seconds
            var passed: Int64 = 0
            while passed + step <= seconds {
                if passed > 0 { #expect(try await browser.get("/console/account").status == 200) }
                world.clock.advance(seconds: step)
                passed += step
            }
            world.clock.advance(seconds: seconds - passed)

            let answer = try await browser.get("/console/operators?after=opr_1")

            #expect(answer.status == 303)
            #expect(answer.location == "/console/login?next=%2Fconsole%2Foperators%3Fafter%3Dopr_1")
            _ = try await browser.follow(answer)
            let back = try await browser.post(
                "/console/login",
                ["address": ana.address, "password": ConsoleWorld.password, "next": "/console/operators?after=opr_1"]
            )
            #expect(back.location == "/console/operators?after=opr_1")
        }
    }

    @Test("K-08 After signing out the old cookie opens nothing, on no node")
    func signsOut() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/account")
            let answer = try await browser.post("/console/logout")
            #expect(answer.location == "/console/login")
            #expect(browser.session == nil)

            try await expectEnded(ana.session, world)
        }
    }

    @Test("K-08 After a change of the password the old cookies open nothing, on no node")
    func changesPassword() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            let other = try await world.signIn(ana)
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/account/password")
            let answer = try await browser.post(
                "/console/account/password",
                ["password": ConsoleWorld.password, "newPassword": "three other words here"]
            )
            #expect(answer.location == "/console/account")
            let answer1 = try await browser.follow(answer)
            #expect(answer1.body.contains("The password is changed"))

            try await expectEnded(ana.session, world)
            try await expectEnded(try #require(other.session), world)
        }
    }

    @Test("K-08 After an Operator was disabled the old cookie opens nothing, on no node")
    func disables() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            let ben = try await world.makeOperator("ben@example.org", OperatorRoles(everywhere: .viewer))
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/operators/\(ben.id)")
            let answer = try await browser.post("/console/operators/\(ben.id)/disable")
            #expect(answer.location == "/console/operators/\(ben.id)")

            try await expectEnded(ben.session, world)
        }
    }

    private func expectEnded(_ session: String, _ world: ConsoleWorld) async throws {
        var here = world.browser()
        var there = world.browser(at: "local", node: world.otherNode)
        (here.session, there.session) = (session, session)
        for answer in [try await here.get("/console/account"), try await there.get("/console/account")] {
            #expect(answer.status == 303)
            #expect(answer.location?.hasPrefix("/console/login") == true)
        }
    }

    @Test("K-10 A code is accepted once, on one node")
    func codeOnce() async throws {
        try await ConsoleWorld.run(Self.withFactor) { world in
            let ana = try await world.makeAdmin()
            world.clock.advance(seconds: 30)
            let code = world.code(of: ana)
            var browsers = [world.browser(), world.browser(), world.browser(at: "local", node: world.otherNode)]
            var statuses: [Int] = []
            for index in browsers.indices {
                _ = try await browsers[index].get("/console/login")
                let form: KeyValuePairs = ["address": ana.address, "password": ConsoleWorld.password]
                let answer = try await browsers[index].post("/console/login", form)
                _ = try await browsers[index].follow(answer)
                statuses.append(try await browsers[index].post("/console/login/code", ["code": code]).status)
            }

            #expect(statuses == [303, 422, 422])
        }
    }

    @Test("K-11 A recovery code works once, and the number that is left is shown")
    func recoveryCode() async throws {
        try await ConsoleWorld.run(Self.withFactor) { world in
            let ana = try await world.makeAdmin()
            let code = try #require(ana.recoveryCodes.first)
            for status in [303, 422] {
                var browser = world.browser()
                _ = try await browser.get("/console/login")
                let form: KeyValuePairs = ["address": ana.address, "password": ConsoleWorld.password]
                _ = try await browser.follow(try await browser.post("/console/login", form))

                let answer = try await browser.post("/console/login/code", ["code": code])

                #expect(answer.status == status)
                guard status == 303 else { continue }
                let answer2 = try await browser.follow(answer)
                #expect(answer2.body.contains("Recovery codes left: 9."))
                let answer3 = try await browser.get("/console/account")
                #expect(answer3.body.contains("Recovery codes left: 9."))
            }
        }
    }

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
