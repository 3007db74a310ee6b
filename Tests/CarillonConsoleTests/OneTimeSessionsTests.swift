import CarillonEngine
import CarillonOperatorModel
import Testing

@testable import CarillonConsole

/// The link of a demonstration.
struct OneTimeSessionsTests {
    @Test("A demonstration's link signs in once, and only on this machine")
    func opensOnce() async throws {
        try await run { world, link in
            try await check(link, opens: false, world.browser(at: "192.0.2.1"))
            try await check(
                link,
                opens: false,
                world.browser(at: "127.0.0.1", encrypted: true, host: "push.example.org")
            )
            try await check(link, opens: true, world.browser(at: "127.0.0.1"))
            try await check(link, opens: false, world.browser(at: "127.0.0.1"))
        }
    }

    @Test("A demonstration's link expires")
    func expires() async throws {
        try await run { world, link in
            world.clock.advance(seconds: 60)
            try await check(link, opens: false, world.browser(at: "127.0.0.1"))
        }
    }

    @Test("No other server has the page of a demonstration's link")
    func isOfDemonstrationsAlone() {
        let plain = Console.declareRoutes(Console.Configuration()).all.map(\.declared.path)
        #expect(!plain.contains { $0.hasPrefix("/demo") })
        var configuration = Console.Configuration()
        configuration.oneTimeSessions = OneTimeSessions()
        let demonstration = Console.declareRoutes(configuration).all.map(\.declared.path)
        #expect(demonstration.filter { $0.hasPrefix("/demo") } == ["/demo/{once}"])
    }

    // MARK: - Private

    /// Runs a test with a link of 60 seconds.
    private func run(_ test: @Sendable (ConsoleWorld, String) async throws -> Void) async throws {
        let sessions = OneTimeSessions()
        var options = ConsoleWorld.Options()
        options.console.oneTimeSessions = sessions
        try await ConsoleWorld.run(options) { world in
            let admin = try await world.makeAdmin()
            let opened = try await world.engine.operators.signIn(
                address: admin.address,
                password: ConsoleWorld.password,
                by: ConsoleWorld.caller
            )
            let end = world.clock.now().advanced(by: .seconds(60))
            try await test(world, sessions.link(to: opened, until: end))
        }
    }

    private func check(_ link: String, opens: Bool, _ browser: Browser) async throws {
        var browser = browser
        let answer = try await browser.get(link)
        #expect(answer.status == (opens ? 303 : 410), "\(answer.body.prefix(200))")
        let home = try await browser.get("/console/")
        #expect(home.status == (opens ? 200 : 303))
    }
}
