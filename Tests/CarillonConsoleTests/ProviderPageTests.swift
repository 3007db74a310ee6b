import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Testing

@testable import CarillonConsole

struct ProviderPageTests {
    private let fake = FakeProvider()
    private static let back = "/console/login/provider/return"

    private func options(_ change: (inout OutsideRules) -> Void = { _ in }) -> ConsoleWorld.Options {
        var options = ConsoleWorld.Options()
        options.console.outside.provider = fake.provider
        change(&options.outside)
        return options
    }

    /// The address that a page leads to.
    private func address(_ answer: PageAnswer) throws -> String {
        let text = try #require(answer.headers.first { $0.name.canonicalName == "refresh" }?.value, "\(answer.status)")
        return text.replacing("0;url=", with: "")
    }

    /// Signs in at the provider, and comes back.
    private func signIn(_ person: FakeProvider.Person, _ browser: inout Browser) async throws -> PageAnswer {
        _ = try await browser.get("/console/login")
        let page = try await browser.post("/console/login/provider")
        return try await browser.get(Self.back + fake.signIn(person, at: try address(page)))
    }

    /// Links an account with somebody who is signed in.
    private func link(_ subject: String, _ browser: inout Browser) async throws -> PageAnswer {
        _ = try await browser.get("/console/account")
        let page = try await browser.post("/console/account/identities/link")
        let person = FakeProvider.Person(subject: subject, further: #","auth_time":\#(FakeProvider.time)"#)
        return try await browser.get(Self.back + fake.signIn(person, at: try address(page)))
    }

    private func changes(_ world: ConsoleWorld) async throws -> [String] {
        let page = try await world.engine.audit.entries(AuditQuery(), limit: 100)
        return page.items.compactMap(\.change)
    }

    @Test("Somebody unknown is refused, whatever address of mail the provider says, and the audit log has it")
    func unknown() async throws {
        try await ConsoleWorld.run(options()) { world in
            try await world.makeAdmin()
            var browser = world.browser()
            let answer = try await signIn(FakeProvider.Person(groups: ["admins"]), &browser)
            #expect(answer.status == 403)
            #expect(answer.heading == "Nobody here has this account")
            #expect(answer.body.contains("Staff &lt;SSO&gt; knows you"))
            let people = try await world.engine.operators.list(after: nil, limit: 10).items
            #expect(people.count == 1 && people[0].identities == 0)
            let log = try await changes(world)
            #expect(log.contains { $0.hasPrefix("sign-in: refused") })
        }
    }

    @Test("An Operator links an account, signs in with it at a new value, and unlinks it")
    func linking() async throws {
        try await ConsoleWorld.run(options()) { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            let linked = try await link("u1", &browser)
            #expect(linked.location == "/console/account")
            #expect(browser.session != ana.session)
            let account = try await browser.get("/console/account")
            #expect(account.body.contains("https://login.example.org"))

            var other = world.browser()
            let before = try await other.get("/console/login")
            let first = other.session
            let signed = try await signIn(FakeProvider.Person(), &other)
            #expect(before.body.contains("Sign in with Staff &lt;SSO&gt;"))
            #expect(signed.status == 303 && signed.location == "/console/")
            #expect(other.session != first)
            let identity = try #require(try await world.engine.operators.signIns(of: ana.id).identities.first)
            _ = try await browser.get("/console/account")
            let removed = try await browser.post("/console/account/identities/\(identity.id)/remove")
            #expect(removed.location == "/console/account")
            let again = try await other.get("/console/account")
            #expect(again.location?.hasPrefix("/console/login") == true, "its sessions ended")
        }
    }

    @Test("The account of one Operator is not linked with another")
    func taken() async throws {
        try await ConsoleWorld.run(options()) { world in
            let ana = try await world.makeAdmin()
            let ben = try await world.makeOperator("ben@example.org", OperatorRoles(everywhere: .viewer))
            var (anas, bens) = (world.browser(of: ana), world.browser(of: ben))
            _ = try await link("u1", &anas)
            let refused = try await link("u1", &bens)
            #expect(refused.heading == "This account cannot be used")
            let own = try await world.engine.operators.signIns(of: ben.id).identities
            #expect(own.isEmpty)
        }
    }

    @Test("Another browser, another state and the same answer again open nothing")
    func forged() async throws {
        try await ConsoleWorld.run(
            options {
                $0.provisions = true
                $0.groupRoles = [GroupRole(group: "a", role: .viewer)]
            }
        ) {
            world in
            try await world.makeAdmin("root@example.org")
            var browser = world.browser()
            _ = try await browser.get("/console/login")
            let page = try await browser.post("/console/login/provider")
            let query = fake.signIn(FakeProvider.Person(groups: ["a"]), at: try address(page))
            var other = world.browser()
            _ = try await other.get("/console/login")
            let stolen = try await other.get(Self.back + query)
            #expect(stolen.status == 403)
            var copy = browser
            let changed = try await browser.get(Self.back + query + "x")
            #expect(changed.status == 403)
            let ended = try await browser.get(Self.back + query)
            #expect(ended.status == 403, "what was begun has ended")
            var replay = copy
            let right = try await copy.get(Self.back + query)
            #expect(right.status == 303)
            let second = try await replay.get(Self.back + query)
            #expect(second.status == 403)
        }
    }

    @Test("Groups make an Operator with their roles, and take them at the next sign-in")
    func groups() async throws {
        let options = options {
            ($0.provisions, $0.rolesFollow) = (true, true)
            $0.groupRoles = [GroupRole(group: "news", role: .editor), GroupRole(group: "news-leads", role: .sender)]
        }
        try await ConsoleWorld.run(options) { world in
            try await world.makeAdmin("root@example.org")
            var browser = world.browser()
            let none = try await signIn(FakeProvider.Person(groups: ["other"]), &browser)
            #expect(none.status == 403)
            _ = try await signIn(FakeProvider.Person(groups: ["news", "news-leads"]), &browser)
            let people = try await world.engine.operators.list(after: nil, limit: 10).items
            let made = try #require(people.first { $0.address == "ana@example.org" })
            #expect(made.role == .sender && made.state == .active)
            browser.cookies = [:]
            _ = try await signIn(FakeProvider.Person(groups: ["news"]), &browser)
            let demoted = try await world.engine.operators.record(made.id)
            #expect(demoted.role == .editor)
            browser.cookies = [:]
            let left = try await signIn(FakeProvider.Person(), &browser)
            #expect(left.heading == "You have no role here")
        }
    }

    @Test("Somebody with the address of an Operator does not become that one")
    func sameAddress() async throws {
        let options = options {
            $0.provisions = true
            $0.groupRoles = [GroupRole(group: "news", role: .admin)]
        }
        try await ConsoleWorld.run(options) { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser()
            let answer = try await signIn(FakeProvider.Person(groups: ["news"]), &browser)
            #expect(answer.heading == "Nobody here has this account")
            let own = try await world.engine.operators.signIns(of: ana.id).identities
            #expect(own.isEmpty)
        }
    }

    @Test("While the provider is down admins come in with passwords, and others do not when these are off")
    func down() async throws {
        try await ConsoleWorld.run(options { $0.passwords = .admins }) { world in
            let ana = try await world.makeAdmin()
            fake.set(isDown: true)
            var browser = world.browser()
            let page = try await browser.get("/console/login")
            #expect(page.body.contains("Passwords are for admins alone"))
            let failed = try await browser.post("/console/login/provider")
            #expect(failed.status == 503 && failed.heading == "Staff &lt;SSO&gt; cannot be asked now")
            let form: KeyValuePairs = ["address": ana.address, "password": ConsoleWorld.password]
            let signedIn = try await browser.post("/console/login", form)
            #expect(signedIn.status == 303)
            let invited = try await world.engine.operators.invite(
                OperatorInvitation(address: "ben@example.org", roles: OperatorRoles(everywhere: .sender)),
                by: .server
            )
            var ben = world.browser()
            let path = invited.value.link.path
            let offer = try await ben.get(path)
            #expect(offer.body.contains("Accept with Staff") && !offer.body.contains("new-password"))
            let refused = try await ben.post(path, ["password": ConsoleWorld.password])
            #expect(refused.status == 422)
        }
    }

    @Test("An invitation is accepted with an account, once")
    func invitation() async throws {
        try await ConsoleWorld.run(options()) { world in
            try await world.makeAdmin()
            let made = try await world.engine.operators.invite(
                OperatorInvitation(address: "ben@example.org", roles: OperatorRoles(everywhere: .viewer)),
                by: .server
            )
            let path = made.value.link.path
            var browser = world.browser()
            _ = try await browser.get(path)
            let page = try await browser.post(path + "/provider")
            let query = fake.signIn(FakeProvider.Person(subject: "u7"), at: try address(page))
            let accepted = try await browser.get(Self.back + query)
            #expect(accepted.status == 303)
            let record = try await world.engine.operators.record(made.value.person.id)
            #expect(record.state == .active && record.identities == 1)
            let gone = try await browser.get(path)
            #expect(gone.status == 410)
        }
    }

    @Test("What needs a fresh authentication is done after the provider asked anew, and says when")
    func again() async throws {
        try await ConsoleWorld.run(options()) { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            _ = try await link("u1", &browser)
            world.clock.advance(seconds: 1_000)
            let asked = try await browser.get("/console/account/passkeys/new")
            #expect(asked.body.contains("Confirm with Staff"))
            let form: KeyValuePairs = ["purpose": "again", "next": "/console/account/passkeys/new"]
            let page = try await browser.post("/console/login/provider", form)
            let place = try address(page)
            #expect(place.contains("prompt=login"))
            let stale = FakeProvider.Person(further: #","auth_time":\#(FakeProvider.time)"#)
            let refused = try await browser.get(Self.back + fake.signIn(stale, at: place))
            #expect(refused.status == 403, "the provider did not ask")
        }
    }

    @Test("What the provider says is text, and never a way out")
    func hostile() async throws {
        try await ConsoleWorld.run(options()) { world in
            try await world.makeAdmin()
            var browser = world.browser()
            _ = try await browser.get("/console/login")
            let page = try await browser.post("/console/login/provider", ["next": "https://evil.example/"])
            let query = fake.signIn(FakeProvider.Person(), at: try address(page))
            let state = query.split(separator: "=").last ?? ""
            let said = "error=access_denied&error_description=%3Cscript%3Ealert(1)%3C/script%3E"
            let answer = try await browser.get(Self.back + "?\(said)&state=\(state)")
            #expect(answer.status == 403)
            #expect(answer.body.contains("access_denied: &lt;script&gt;"))
        }
    }
}
