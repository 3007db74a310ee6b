import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Testing

@testable import CarillonConsole

/// How somebody comes in, and how that ends.
struct EntryTests {
    static var withFactor: ConsoleWorld.Options {
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
            // What is asked of a passkey is new each time.
            let challenge = /(?:data-options|name="sealed" value)="[^"]*"/
            let first = known.body.replacing(challenge, with: "")
            let second = unknown.body.replacing(challenge, with: "")
            #expect(first.replacing("ana@", with: "eva@") == second)
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
}
