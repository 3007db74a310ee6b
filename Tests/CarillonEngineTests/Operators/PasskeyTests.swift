import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import TestSupport
import Testing

/// Passkeys of Operators, with keys that the test signs with.
struct PasskeyTests {
    private static let party = PasskeyParty(id: "push.example.org", origin: "https://push.example.org")
    /// The value of the cookie of a browser that is not signed in.
    private static let browser = SessionValue.make()

    private struct Options: Decodable {
        var challenge: String
        var rpId: String?
        var allowCredentials: [Credential]?
        var user: User?

        struct Credential: Decodable { var id: String }
        struct User: Decodable { var id: String }
    }

    private static func options(_ request: PasskeyRequest) throws -> Options {
        try JSONDecoder().decode(Options.self, from: Data(request.options.utf8))
    }

    private static func answer(_ request: PasskeyRequest) throws -> SoftwareAuthenticator.Answer {
        .init(origin: party.origin, party: party.id, challenge: try options(request).challenge)
    }

    private func register(
        _ key: SoftwareAuthenticator,
        for opened: OpenedSession,
        in world: OperatorWorld,
        name: String = "Phone",
        _ change: (inout SoftwareAuthenticator.Answer) -> Void = { _ in }
    ) async throws -> NewRecoveryCodes {
        let request = try await world.operators.beginPasskey(opened.session, opened.value, Self.party)
        var answer = try Self.answer(request)
        change(&answer)
        let proof = PasskeyProof(
            answer: try key.registration(answer),
            sealed: request.sealed,
            party: Self.party
        )
        return try await world.operators.registerPasskey(opened.value, name: name, proof)
    }

    private func signIn(
        _ key: SoftwareAuthenticator,
        in world: OperatorWorld,
        party: PasskeyParty = PasskeyTests.party,
        browser: String = PasskeyTests.browser,
        _ change: (inout SoftwareAuthenticator.Answer) -> Void = { _ in }
    ) async throws -> OpenedSession {
        let request = try world.operators.passkeyRequest(forBrowser: Self.browser, party)
        var answer = try Self.answer(request)
        change(&answer)
        let proof = PasskeyProof(answer: try key.assertion(answer), sealed: request.sealed, party: party)
        return try await world.other.signIn(with: proof, browser: browser, by: world.caller)
    }

    @Test(
        "K-12 A passkey is a second factor, and signs in without a password",
        arguments: SoftwareAuthenticator.Algorithm.allCases
    )
    func signsIn(_ algorithm: SoftwareAuthenticator.Algorithm) async throws {
        let world = try await OperatorWorld()
        let ann = try await world.join("ann", OperatorRoles(everywhere: .admin))
        #expect(ann.session.stage == .enrolment)
        let key = SoftwareAuthenticator(algorithm)

        let made = try await register(key, for: ann, in: world)

        #expect(made.opened.session.stage == .full)
        #expect(made.opened.value != ann.value)
        #expect(made.codes.count == 10)
        let owner = made.opened.session.owner
        #expect(owner.hasSecondFactor && !owner.hasAuthenticator && owner.passkeys == 1)
        let opened = try await signIn(key, in: world) { $0.userHandle = owner.id.description }
        #expect(opened.session.stage == .full && opened.session.method == .passkey)
        #expect(opened.session.owner.id == owner.id)
        #expect(world.operators.isFresh(opened.session))
        // The password alone signs in half.
        let half = try await world.signIn("ann")
        #expect(half.session.stage == .secondFactor)
        let whole = try await world.operators.passSecondFactor(half.value, code: made.codes[0], by: world.caller)
        #expect(whole.session.stage == .full)
    }

    @Test("K-12 A passkey passes the second factor, and proves anew who is there")
    func provesAgain() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.join("ann", OperatorRoles(everywhere: .admin))
        let key = SoftwareAuthenticator()
        _ = try await register(key, for: ann, in: world)
        let half = try await world.signIn("ann")
        func proof(_ opened: OpenedSession) async throws -> PasskeyProof {
            let request = try #require(
                try await world.operators.passkeyRequest(proving: opened.session, opened.value, Self.party)
            )
            #expect(
                try Self.options(request).allowCredentials?.map(\.id) == [SoftwareAuthenticator.text(key.credentialID)]
            )
            return PasskeyProof(
                answer: try key.assertion(try Self.answer(request)),
                sealed: request.sealed,
                party: Self.party
            )
        }
        let whole = try await world.operators.passSecondFactor(
            half.value,
            passkey: try await proof(half),
            by: world.caller
        )
        #expect(whole.session.stage == .full)
        world.advance(.seconds(1_000))
        #expect(!world.operators.isFresh(whole.session))
        let fresh = try await world.operators.authenticate(
            whole.value,
            with: .passkey(try await proof(whole)),
            by: world.caller
        )
        #expect(world.operators.isFresh(fresh.session))
        #expect(fresh.value != whole.value)
    }

    @Test("K-12 A passkey fails for another origin, party, challenge, browser, user, or without verification")
    func refusesOthers() async throws {
        let world = try await OperatorWorld { $0.addresses = AttemptLimit(burst: 1_000, interval: .seconds(1)) }
        let ann = try await world.join("ann")
        let key = SoftwareAuthenticator()
        _ = try await register(key, for: ann, in: world)
        let changes: [(String, (inout SoftwareAuthenticator.Answer) -> Void)] = [
            ("origin", { $0.origin = "https://push.example.org.evil.example" }),
            ("port", { $0.origin = "https://push.example.org:8443" }), ("party", { $0.party = "evil.example" }),
            ("challenge", { $0.challenge = "AAAA" }), ("type", { $0.type = "webauthn.create" }),
            ("frame", { $0.isCrossOrigin = true }), ("presence", { $0.isPresent = false }),
            ("verification", { $0.isVerified = false }), ("user", { $0.userHandle = "opr_0" }),
        ]
        for (name, change) in changes {
            await #expect(throws: EngineError.self, "\(name)") { try await signIn(key, in: world, change) }
            world.advance(.seconds(61))
        }
        await #expect(throws: EngineError.operators(.wrongCredentials(of: nil))) {
            try await signIn(key, in: world, browser: SessionValue.make())
        }
        let stranger = SoftwareAuthenticator()
        await #expect(throws: EngineError.operators(.wrongCredentials(of: nil))) {
            try await signIn(stranger, in: world)
        }
        let elsewhere = PasskeyParty(id: "other.example", origin: "https://other.example")
        await #expect(throws: EngineError.self) {
            try await signIn(key, in: world, party: elsewhere) {
                ($0.party, $0.origin) = (elsewhere.id, elsewhere.origin)
            }
        }
        world.advance(.seconds(61))
        _ = try await signIn(key, in: world)
    }

    @Test("K-12 A challenge is answered once, within five minutes, on whatever node")
    func answersOnce() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.join("ann")
        let key = SoftwareAuthenticator()
        _ = try await register(key, for: ann, in: world)
        let request = try world.operators.passkeyRequest(forBrowser: Self.browser, Self.party)
        let proof = PasskeyProof(
            answer: try key.assertion(try Self.answer(request)),
            sealed: request.sealed,
            party: Self.party
        )
        _ = try await world.operators.signIn(with: proof, browser: Self.browser, by: world.caller)
        for node in [world.operators, world.other] {
            await #expect(throws: EngineError.operators(.wrongCredentials(of: ann.session.owner.id))) {
                try await node.signIn(with: proof, browser: Self.browser, by: world.caller)
            }
        }
        let late = try world.operators.passkeyRequest(forBrowser: Self.browser, Self.party)
        let answer = try key.assertion(try Self.answer(late))
        world.advance(.seconds(300))
        await #expect(throws: EngineError.operators(.wrongCredentials(of: nil))) {
            let proof = PasskeyProof(answer: answer, sealed: late.sealed, party: Self.party)
            return try await world.operators.signIn(with: proof, browser: Self.browser, by: world.caller)
        }
    }

    @Test("K-12 An authenticator that counts backwards is a copy, and is refused")
    func refusesCopies() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.join("ann")
        let key = SoftwareAuthenticator()
        _ = try await register(key, for: ann, in: world) { $0.signCount = 7 }
        for count in [7, 3, 0] as [UInt32] {
            await #expect(throws: EngineError.self, "\(count)") {
                try await signIn(key, in: world) { $0.signCount = count }
            }
        }
        _ = try await signIn(key, in: world) { $0.signCount = 8 }
    }

    @Test("K-12 A wrong registration makes no passkey")
    func refusesRegistrations() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.join("ann")
        let changes: [(inout SoftwareAuthenticator.Answer) -> Void] = [
            { $0.origin = "https://evil.example" }, { $0.party = "evil.example" }, { $0.challenge = "AAAA" },
            { $0.isVerified = false }, { $0.type = "webauthn.get" },
        ]
        for change in changes {
            await #expect(throws: EngineError.operators(.wrongCredentials(of: ann.session.owner.id))) {
                try await register(SoftwareAuthenticator(), for: ann, in: world, change)
            }
        }
        for name in ["", "  ", String(repeating: "x", count: 65)] {
            let error = await #expect(throws: EngineError.self) {
                try await register(SoftwareAuthenticator(), for: ann, in: world, name: name)
            }
            #expect(error?.fieldErrors.map(\.field) == ["name"])
        }
        #expect(try await world.operators.signIns(of: ann.session).passkeys == [])
        world.advance(.seconds(1_000))
        await #expect(throws: EngineError.operators(.freshAuthenticationRequired)) {
            try await register(SoftwareAuthenticator(), for: ann, in: world)
        }
    }

    @Test("K-12 A removed passkey signs nobody in, and the last second factor of an admin stays")
    func removes() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.join("ann", OperatorRoles(everywhere: .admin))
        let (first, second) = (SoftwareAuthenticator(), SoftwareAuthenticator())
        let made = try await register(first, for: ann, in: world)
        let again = try await register(second, for: made.opened, in: world, name: "Key")
        #expect(again.codes.isEmpty)
        let passkeys = try await world.operators.signIns(of: again.opened.session).passkeys
        #expect(passkeys.map(\.name) == ["Phone", "Key"])
        try await world.operators.renamePasskey(passkeys[1].id, to: "Blue key", of: again.opened.session)

        let left = try await world.operators.removePasskey(again.opened.value, passkeys[0].id)

        #expect(try await world.operators.signIns(of: left.session).passkeys.map(\.name) == ["Blue key"])
        await #expect(throws: EngineError.operators(.wrongCredentials(of: nil))) {
            try await signIn(first, in: world)
        }
        await #expect(throws: EngineError.operators(.secondFactorRequired)) {
            try await world.operators.removePasskey(left.value, passkeys[1].id)
        }
        // An admin may, and ends all sessions with it.
        let change = try await world.operators.removePasskey(passkeys[1].id, of: left.session.owner.id, by: .server)
        #expect(change.change == "passkey: \(passkeys[1].id) removed")
        #expect(try await world.operators.session(left.value, by: world.caller) == nil)
        #expect(try await world.operators.record(left.session.owner.id).recoveryCodes == 0)
    }

    @Test("K-12 A passkey of a disabled Operator opens nothing")
    func refusesDisabled() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.join("ann")
        let key = SoftwareAuthenticator()
        _ = try await register(key, for: ann, in: world)
        var update = OperatorUpdate()
        update.isDisabled = true
        _ = try await world.operators.update(ann.session.owner.id, update, by: .server)
        await #expect(throws: EngineError.operators(.wrongCredentials(of: ann.session.owner.id))) {
            try await signIn(key, in: world)
        }
    }
}
