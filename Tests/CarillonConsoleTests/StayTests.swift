import CarillonEngine
import CarillonModel
import Testing

@testable import CarillonConsole

/// The end of a session, as pages tell it.
struct StayTests {
    private func left(_ page: PageAnswer) -> Int? { page.between("data-session-left=\"", "\"").flatMap { Int($0) } }

    @Test("K-99 Each page has the end of its session, and staying puts it off")
    func stays() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            let first = try await browser.get("/console/account")
            #expect(left(first) == 3_600)
            world.clock.advance(seconds: 3_540)

            let stayed = try await browser.post("/console/account/stay")

            #expect(stayed.status == 200)
            #expect(left(stayed) == 3_600)
            world.clock.advance(seconds: 3_590)
            let later = try await browser.get("/console/account")
            #expect(later.status == 200)
            let log = try await browser.get("/console/audit").body
            #expect(!log.contains("POST /console/account/stay"))
        }
    }

    @Test("K-99 After twelve hours staying puts nothing off, and the page says so")
    func isFinal() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            for _ in 0..<23 {
                world.clock.advance(seconds: 1_800)
                let page = try await browser.get("/console/account")
                #expect(page.status == 200)
            }
            world.clock.advance(seconds: 1_700)
            let page = try await browser.post("/console/account/stay")
            #expect(left(page) == 100)
            #expect(page.body.contains("data-session-final"))
            world.clock.advance(seconds: 101)
            let over = try await browser.post("/console/account/stay")
            #expect(over.heading == "Sign in")
            #expect(left(over) == nil)
        }
    }
}
