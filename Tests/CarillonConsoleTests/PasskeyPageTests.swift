import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import TestSupport
import Testing

@testable import CarillonConsole

/// The pages of passkeys, with an authenticator in software.
struct PasskeyPageTests {
    private struct Options: Decodable {
        var challenge: String
        var user: User?

        struct User: Decodable { var id: String }
    }

    /// The answer to what a page asks.
    private func answer(
        _ page: PageAnswer,
        origin: String = "http://localhost"
    ) throws -> SoftwareAuthenticator.Answer {
        let text = try #require(page.between("data-options=\"", "\""), "\(page.body.prefix(2_000))")
        let json = text.replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
        let options = try JSONDecoder().decode(Options.self, from: Data(json.utf8))
        return .init(origin: origin, party: "localhost", challenge: options.challenge)
    }

    /// Signs in with the password, and registers a passkey.
    private func register(
        _ key: SoftwareAuthenticator,
        for person: Person,
        in world: ConsoleWorld,
        _ name: String = "Phone"
    ) async throws -> (answer: PageAnswer, browser: Browser) {
        var browser = world.browser(of: person)
        let page = try await browser.get("/console/account/passkeys/new")
        let credential = try key.registration(try answer(page))
        let sealed = try #require(page.value(of: "sealed"))
        let form: KeyValuePairs = ["name": name, "sealed": sealed, "credential": credential]
        return (try await browser.post("/console/account/passkeys/new", form), browser)
    }

    private func signIn(
        _ key: SoftwareAuthenticator,
        _ person: Person,
        _ browser: inout Browser,
        origin: String = "http://localhost"
    ) async throws -> PageAnswer {
        let page = try await browser.get("/console/login?next=%2Fconsole%2Faccount")
        var answer = try answer(page, origin: origin)
        answer.userHandle = person.id.description
        let sealed = try #require(page.value(of: "sealed"))
        let next = page.value(of: "next") ?? ""
        let form: KeyValuePairs = ["next": next, "sealed": sealed, "credential": try key.assertion(answer)]
        return try await browser.post("/console/login/passkey", form)
    }

    @Test("K-12 A passkey is registered on the account's page, and signs in without a password")
    func signsIn() async throws {
        try await ConsoleWorld.run { world in
            let (ana, key) = (try await world.makeAdmin(), SoftwareAuthenticator())
            let registered = try await register(key, for: ana, in: world)
            #expect(registered.answer.status == 200)
            // The first second factor comes with codes for the time when it is lost.
            #expect(registered.answer.heading == "Recovery codes")

            var browser = world.browser()
            let answer = try await signIn(key, ana, &browser)

            #expect(answer.location == "/console/account")
            let account = try await browser.follow(answer)
            #expect(account.status == 200)
            #expect(account.body.contains(">Phone</a>"))
            let log = try await browser.get("/console/audit").body
            #expect(log.contains("passkey: added") && log.contains("POST /console/login/passkey"))
        }
    }

    @Test("K-12 An answer for another origin, of another browser or of nobody signs nobody in")
    func refuses() async throws {
        try await ConsoleWorld.run { world in
            let (ana, key) = (try await world.makeAdmin(), SoftwareAuthenticator())
            _ = try await register(key, for: ana, in: world)
            var browser = world.browser()
            let foreign = try await signIn(key, ana, &browser, origin: "http://localhost:81")
            #expect(foreign.status == 422)
            #expect(foreign.body.contains("the passkey was not accepted"))
            let unknown = try await signIn(SoftwareAuthenticator(), ana, &browser)
            #expect(unknown.status == 422)
            let empty = try await browser.post("/console/login/passkey")
            #expect(empty.status == 422)
            let account = try await browser.get("/console/account")
            #expect(account.status == 303)
        }
    }

    @Test("K-12 Over plain HTTP from elsewhere and at an address without a name no passkey is offered")
    func offersNone() async throws {
        try await ConsoleWorld.run { world in
            try await world.makeAdmin()
            var browser = world.browser(at: "192.0.2.1", encrypted: true, host: "192.0.2.2")
            let page = try await browser.get("/console/login")
            #expect(page.status == 200)
            #expect(!page.body.contains("data-passkey"))
            var named = world.browser(at: "192.0.2.1", encrypted: true, host: "push.example.org")
            let offered = try await named.get("/console/login")
            #expect(offered.body.contains("data-passkey=\"get\""))
        }
    }

    @Test("K-12 A passkey is renamed and removed, a stranger's does not exist")
    func renames() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            let ben = try await world.makeOperator("ben@example.org", OperatorRoles(everywhere: .viewer))
            var browser = try await register(SoftwareAuthenticator(), for: ana, in: world).browser
            let account = try await browser.get("/console/account")
            let path = try #require(account.between("<td><a href=\"", "\""))
            var other = world.browser(of: ben)
            let foreign = try await other.get(path)
            #expect(foreign.status == 404)

            _ = try await browser.get(path)
            let empty = try await browser.post(path, ["name": " "])
            #expect(empty.status == 422)
            let renamed = try await browser.post(path, ["name": "Work <phone>"])
            #expect(renamed.location == "/console/account")
            let after = try await browser.follow(renamed)
            #expect(after.body.contains("Work &lt;phone&gt;</a>"))
            let removed = try await browser.post(path + "/remove")
            #expect(removed.location == "/console/account")
            let gone = try await browser.follow(removed)
            #expect(!gone.body.contains("/console/account/passkeys/opk_"))
        }
    }

    @Test("K-12 After a removal the passkey signs nobody in")
    func removed() async throws {
        try await ConsoleWorld.run { world in
            let (ana, key) = (try await world.makeAdmin(), SoftwareAuthenticator())
            var browser = try await register(key, for: ana, in: world).browser
            let account = try await browser.get("/console/account")
            let path = try #require(account.between("<td><a href=\"", "\""))
            _ = try await browser.post(path + "/remove")

            var stranger = world.browser()
            let answer = try await signIn(key, ana, &stranger)

            #expect(answer.status == 422)
        }
    }

    @Test("K-12 Registering needs a fresh sign-in; a passkey is one, and what was begun continues")
    func provesFreshness() async throws {
        try await ConsoleWorld.run { world in
            let (ana, key) = (try await world.makeAdmin(), SoftwareAuthenticator())
            var browser = try await register(key, for: ana, in: world).browser
            world.clock.advance(seconds: 901)
            let page = try await browser.get("/console/account/passkeys/new")
            #expect(page.heading == "Confirm that it is you")
            var answer = try answer(page)
            answer.userHandle = ana.id.description
            let sealed = try #require(page.value(of: "sealed"))
            let next = try #require(page.value(of: "next"))
            let form: KeyValuePairs = ["next": next, "sealed": sealed, "credential": try key.assertion(answer)]

            let passed = try await browser.post("/console/login/again", form)

            #expect(passed.location == "/console/account/passkeys/new")
            let registering = try await browser.follow(passed)
            #expect(registering.heading == "Add a passkey")
        }
    }

    @Test("K-12 After the password a passkey is the second factor")
    func isSecondFactor() async throws {
        try await ConsoleWorld.run(EntryTests.withFactor) { world in
            let (ana, key) = (try await world.makeAdmin(), SoftwareAuthenticator())
            _ = try await register(key, for: ana, in: world)
            var browser = try await world.signIn(ana)
            let page = try await browser.get("/console/login/code")
            var answer = try answer(page)
            answer.userHandle = ana.id.description
            let sealed = try #require(page.value(of: "sealed"))
            let form: KeyValuePairs = ["sealed": sealed, "credential": try key.assertion(answer)]

            let passed = try await browser.post("/console/login/code", form)

            #expect(passed.location == "/console/")
            let account = try await browser.get("/console/account")
            #expect(account.status == 200)
        }
    }
}
