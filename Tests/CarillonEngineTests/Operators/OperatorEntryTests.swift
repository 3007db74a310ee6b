import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

/// How Operators come in: setup, invitations, passwords.
struct OperatorEntryTests {
    @Test("K-01 Without an Operator nobody is set up, and no credentials work")
    func isNotSetUp() async throws {
        let world = try await OperatorWorld()
        #expect(try await !world.operators.isSetUp())
        for (name, password) in [("admin", "admin"), ("admin", "carillon"), ("carillon", "carillon"), ("", "")] {
            await #expect(throws: EngineError.operators(.wrongCredentials(of: nil))) {
                try await world.signIn(name, password)
            }
        }
        #expect(try await world.operators.list(after: nil, limit: 10).items == [])
    }

    @Test("K-02 The setup link makes the first admin once")
    func setsUpOnce() async throws {
        let world = try await OperatorWorld()
        let link = try #require(try await world.operators.newSetupLink())
        let second = try #require(try await world.other.newSetupLink())
        #expect(link.path == "/console/setup/\(link.secret)" && link.secret.count == 43)
        // Looking at it does not use it, nor does a password that is refused.
        for _ in 0..<2 { #expect(try await world.other.link(link.secret, .setup).person == nil) }
        await #expect(throws: EngineError.self) {
            try await world.operators.setUp(
                link.secret,
                address: "a",
                displayName: nil,
                password: "short",
                by: world.caller
            )
        }

        let opened = try await world.operators.setUp(
            link.secret,
            address: "Mei@example.com",
            displayName: "Mei",
            password: OperatorWorld.password,
            by: world.caller
        )
        #expect(opened.session.stage == .enrolment)
        #expect(opened.session.owner.roles == OperatorRoles(everywhere: .admin))
        #expect(opened.session.owner.state == .active && opened.session.owner.displayName == "Mei")
        for node in [world.operators, world.other] { #expect(try await node.isSetUp()) }
        for secret in [link.secret, second.secret] {
            await #expect(throws: EngineError.operators(.linkGone)) { try await world.other.link(secret, .setup) }
            await #expect(throws: EngineError.operators(.linkGone)) {
                try await world.operators.setUp(
                    secret,
                    address: "b@example.com",
                    displayName: nil,
                    password: OperatorWorld.password,
                    by: world.caller
                )
            }
        }
        #expect(try await world.operators.newSetupLink() == nil)
    }

    @Test("K-02 Of two who use a setup link at the same time one is the first Operator")
    func setsUpOneOfTwo() async throws {
        let world = try await OperatorWorld()
        let link = try #require(try await world.operators.newSetupLink())
        let made = await withTaskGroup(of: Bool.self) { group in
            for (node, name) in [(world.operators, "a"), (world.other, "b")] {
                group.addTask {
                    let opened = try? await node.setUp(
                        link.secret,
                        address: name,
                        displayName: nil,
                        password: OperatorWorld.password,
                        by: world.caller
                    )
                    return opened != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(made == 1)
        #expect(try await world.operators.list(after: nil, limit: 10).items.count == 1)
    }

    @Test("K-02 The setup link ends after 60 minutes")
    func setupExpires() async throws {
        let world = try await OperatorWorld()
        let link = try #require(try await world.operators.newSetupLink())
        world.clock.advance(milliseconds: 3_599_999)
        _ = try await world.operators.link(link.secret, .setup)
        world.clock.advance(milliseconds: 1)
        await #expect(throws: EngineError.operators(.linkGone)) { try await world.operators.link(link.secret, .setup) }
    }

    @Test("K-13 An invitation can be looked at often, works once within 24 hours, and gives exactly its role")
    func invitation() async throws {
        let world = try await OperatorWorld()
        let app = try await world.registry.app().app.id
        let roles = OperatorRoles(apps: [OperatorAppRole(app: app, role: .editor)])
        let invited = try await world.operators.invite(OperatorInvitation(address: "kim@x", roles: roles), by: .server)
        let secret = invited.value.link.secret
        #expect(invited.value.person.state == .invited)
        await #expect(throws: EngineError.operators(.wrongCredentials(of: invited.object))) {
            try await world.signIn("kim@x")
        }
        for _ in 0..<3 { #expect(try await world.other.link(secret, .invite).person?.address == "kim@x") }
        // A link of one kind is none of another.
        await #expect(throws: EngineError.operators(.linkGone)) { try await world.operators.link(secret, .reset) }

        world.clock.advance(milliseconds: 86_399_999)
        let opened = try await world.operators.acceptInvitation(
            secret,
            displayName: "Kim",
            password: OperatorWorld.password,
            by: world.caller
        )
        #expect(opened.session.owner.roles == roles && opened.session.stage == .full)
        #expect(opened.session.owner.displayName == "Kim")
        await #expect(throws: EngineError.operators(.linkGone)) {
            try await world.other.acceptInvitation(
                secret,
                displayName: nil,
                password: OperatorWorld.password,
                by: world.caller
            )
        }
        let late = try await world.operators.invite(OperatorInvitation(address: "lee@x", roles: roles), by: .server)
        world.clock.advance(milliseconds: 86_400_000)
        await #expect(throws: EngineError.operators(.linkGone)) {
            try await world.operators.link(late.value.link.secret, .invite)
        }
    }

    @Test("An address is unique whatever its case, and needs a role of Apps that exist")
    func checksInvitations() async throws {
        let world = try await OperatorWorld()
        _ = try await world.join("Ann@example.com")
        let viewer = OperatorRoles(everywhere: .viewer)
        await #expect(throws: EngineError.operators(.addressTaken)) {
            try await world.operators.invite(OperatorInvitation(address: "ANN@EXAMPLE.COM", roles: viewer), by: .server)
        }
        #expect(try await world.signIn("aNN@example.COM").session.owner.address == "Ann@example.com")
        await #expect(throws: EngineError.self) {
            try await world.operators.invite(OperatorInvitation(address: "b", roles: OperatorRoles()), by: .server)
        }
        let nowhere = OperatorRoles(apps: [OperatorAppRole(app: AppID(rawValue: 5), role: .admin)])
        await #expect(throws: EngineError.notFound(.app)) {
            try await world.operators.invite(OperatorInvitation(address: "b", roles: nowhere), by: .server)
        }
        #expect(try await world.operators.list(after: nil, limit: 10).items.map(\.address) == ["Ann@example.com"])
    }

    @Test(
        "A new password has 15 through 128 characters, is no common one, and has no name in it",
        arguments: [
            ("fourteen chars", false), ("fifteen charact", true), (String(repeating: "é–x ", count: 32), false),
            ("passwordpassword", false), ("PasswordPassword", false), ("aaaaaaaaaaaaaaaa", false),
            ("123456789012345", false), ("987654321098765", false), ("qwertyuiopasdfg", false),
            ("the Carillon rings", false), ("likes margaret a lot", false), ("my Tramline account", false),
            ("ein Satz, den niemand rät", true), ("毎日十五文字より長い合言葉を使う人", true),
        ]
    )
    func passwords(_ password: String, _ isAllowed: Bool) {
        let problem = OperatorPassword(password).problem(names: ["margaret@example.com", "Margaret", "Tramline", "Bus"])
        #expect((problem == nil) == isAllowed, "\(password): \(problem ?? "allowed")")
    }

    @Test("A password with an App's name is refused, and a link with a refused password stays valid")
    func refusesAppNames() async throws {
        let world = try await OperatorWorld()
        _ = try await world.registry.apps.create(AppRequest(name: "Tramline", bundleID: "org.example.tram"))
        let viewer = OperatorRoles(everywhere: .viewer)
        let invited = try await world.operators.invite(OperatorInvitation(address: "kim", roles: viewer), by: .server)
        for password in ["the best TRAMLINE of all", "short"] {
            let error = await #expect(throws: EngineError.self) {
                try await world.operators.acceptInvitation(
                    invited.value.link.secret,
                    displayName: nil,
                    password: password,
                    by: world.caller
                )
            }
            #expect(error?.fieldErrors.map(\.field) == ["password"])
        }
        _ = try await world.operators.link(invited.value.link.secret, .invite)
    }

    @Test("A link for a new password ends all sessions, and removes the second factor only when it says so")
    func resets() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.joinWithFactor("ann")
        let id = ann.opened.session.owner.id
        for removes in [false, true] {
            let link = try await world.operators.newLink(for: id, removesSecondFactor: removes, by: .server).value.link
            #expect(link.kind == .reset)
            let opened = try await world.operators.resetPassword(
                link.secret,
                password: "another \(OperatorWorld.password)",
                by: world.caller
            )
            #expect(opened.session.stage == (removes ? .enrolment : .secondFactor))
            #expect(opened.session.owner.hasSecondFactor == !removes)
            #expect(opened.session.owner.recoveryCodes == (removes ? 0 : 10))
            #expect(try await world.other.session(ann.opened.value, by: world.caller) == nil)
            await #expect(throws: EngineError.operators(.linkGone)) {
                try await world.other.link(link.secret, .reset)
            }
        }
    }
}
