import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Testing

@testable import CarillonConsole

/// How a session begins, changes and ends.
extension EntryTests {
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
}
