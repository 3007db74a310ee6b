import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// Sessions, second factors and fresh authentication.
struct OperatorSessionTests {
    @Test("K-06 The values before, after the password and after the second factor differ, and only the last is whole")
    func renewsValues() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.joinWithFactor("ann")
        world.advance(.seconds(60))
        let visitor = SessionValue.make()
        #expect(try await world.operators.session(visitor, by: world.caller) == nil)
        let half = try await world.signIn("ann")
        #expect(half.session.stage == .secondFactor && half.session.role(in: nil) == nil)
        #expect(throws: EngineError.operators(.incomplete)) { try half.session.require(.viewer, in: nil) }
        let whole = try await world.operators.passSecondFactor(
            half.value,
            code: world.code(ann.factor),
            by: world.caller
        )
        #expect(whole.session.stage == .full && whole.session.role(in: nil) == .admin)
        #expect(Set([visitor, half.value, whole.value]).count == 3)
        #expect(whole.session.id == half.session.id)
        #expect(try await world.other.session(half.value, by: world.caller) == nil)
        #expect(try await world.other.session(whole.value, by: world.caller)?.stage == .full)
    }

    @Test("K-06 A session that has not passed the second factor changes nothing")
    func isIncomplete() async throws {
        let world = try await OperatorWorld()
        _ = try await world.joinWithFactor("ann")
        let half = try await world.signIn("ann")
        await #expect(throws: EngineError.operators(.incomplete)) {
            try await world.operators.changePassword(
                half.value,
                from: OperatorWorld.password,
                to: "something else entirely",
                by: world.caller
            )
        }
        await #expect(throws: EngineError.operators(.incomplete)) {
            try await world.operators.removeSecondFactor(half.value, by: world.caller)
        }
        #expect(throws: EngineError.operators(.incomplete)) { try world.operators.beginSecondFactor(half.session) }
        await #expect(throws: EngineError.operators(.incomplete)) {
            try await world.operators.authenticate(
                half.value,
                with: .password(OperatorWorld.password),
                by: world.caller
            )
        }
        await #expect(throws: EngineError.operators(.incomplete)) {
            try await world.operators.setPreferences(OperatorPreferences(), of: half.session)
        }
        let invitation = OperatorInvitation(address: "b", roles: OperatorRoles(everywhere: .viewer))
        await #expect(throws: EngineError.operators(.incomplete)) {
            try await world.operators.invite(invitation, by: .session(half.session))
        }
    }

    @Test("K-07 A session ends after 60 minutes without use, and after 12 hours in any case")
    func expires() async throws {
        let world = try await OperatorWorld()
        func session(_ value: String) async throws -> OperatorSession? {
            try await world.operators.session(value, by: world.caller)
        }
        let idle = try await world.join("ann")
        world.clock.advance(milliseconds: 3_599_999)
        #expect(try await session(idle.value) != nil)
        world.clock.advance(milliseconds: 3_600_000)
        #expect(try await session(idle.value) == nil)

        let used = try await world.signIn("ann")
        for _ in 0..<23 {
            world.advance(.seconds(1_800))
            #expect(try await session(used.value) != nil)
        }
        world.clock.advance(milliseconds: 1_799_999)
        #expect(try await session(used.value) != nil)
        world.clock.advance(milliseconds: 1)
        #expect(try await session(used.value) == nil)
    }

    @Test("K-08 After logout, a new password or disabling, the old value opens nothing on any node")
    func ends() async throws {
        let world = try await OperatorWorld()
        func isOpen(_ value: String) async throws -> Bool {
            let here = try await world.operators.session(value, by: world.caller) != nil
            #expect(try await (world.other.session(value, by: world.caller) != nil) == here)
            return here
        }
        let ann = try await world.join("ann")
        #expect(try await world.other.signOut(ann.value)?.id == ann.session.id)
        #expect(try await !isOpen(ann.value))

        let (first, second) = (try await world.signIn("ann"), try await world.signIn("ann"))
        let changed = try await world.operators.changePassword(
            first.value,
            from: OperatorWorld.password,
            to: "something else entirely",
            by: world.caller
        )
        for value in [first.value, second.value] { #expect(try await !isOpen(value)) }
        #expect(try await isOpen(changed.value))
        await #expect(throws: EngineError.operators(.wrongCredentials(of: ann.session.owner.id))) {
            try await world.signIn("ann")
        }

        var update = OperatorUpdate()
        update.isDisabled = true
        _ = try await world.other.update(ann.session.owner.id, update, by: .server)
        #expect(try await !isOpen(changed.value))
        await #expect(throws: EngineError.operators(.wrongCredentials(of: ann.session.owner.id))) {
            try await world.signIn("ann", "something else entirely")
        }
    }

    @Test("Another role ends all sessions, and the next one has it")
    func endsWithRole() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.join("ann")
        var update = OperatorUpdate()
        update.role = .role(.sender)
        let change = try await world.operators.update(ann.session.owner.id, update, by: .server)
        #expect(change.change == "role: viewer → sender")
        #expect(try await world.other.session(ann.value, by: world.caller) == nil)
        // A sender needs a second factor.
        #expect(try await world.signIn("ann").session.stage == .enrolment)
    }

    @Test("K-10 A code of the authenticator is accepted once, and never again, also not on another node")
    func usesCodesOnce() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.joinWithFactor("ann")
        let first = try await world.signIn("ann")
        // The code that set it up is used too.
        await #expect(throws: EngineError.self) {
            try await world.other.passSecondFactor(first.value, code: world.code(ann.factor), by: world.caller)
        }
        world.advance(.seconds(30))
        let code = world.code(ann.factor)
        let second = try await world.signIn("ann")
        let passed = await withTaskGroup(of: Bool.self) { group in
            for (node, value) in [(world.operators, first.value), (world.other, second.value)] {
                group.addTask { (try? await node.passSecondFactor(value, code: code, by: world.caller)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 1)
        world.advance(.seconds(30))
        let third = try await world.signIn("ann")
        await #expect(throws: EngineError.self) {
            try await world.operators.passSecondFactor(third.value, code: code, by: world.caller)
        }
        #expect(
            try await world.other.passSecondFactor(third.value, code: world.code(ann.factor), by: world.caller).session
                .stage
                == .full
        )
    }

    @Test("K-10 The code of the step before is accepted, an older or a later one is not")
    func acceptsOneStep() {
        let factor = OneTimeCode(secret: Array("12345678901234567890".utf8))
        let now: Int64 = 1_111_111_111_000
        let step = OneTimeCode.step(at: now)
        #expect(factor.step(of: factor.code(step), at: now) == step)
        #expect(factor.step(of: factor.code(step - 1), at: now) == step - 1)
        for other in [step - 2, step + 1] { #expect(factor.step(of: factor.code(other), at: now) == nil) }
        for text in ["", "05047", "0504711", "abcdef", "٠٥٠٤٧١"] { #expect(factor.step(of: text, at: now) == nil) }
    }

    @Test(
        "Codes are those of RFC 6238",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)]
    )
    func vectors(_ seconds: Int64, _ code: String) {
        let factor = OneTimeCode(secret: Array("12345678901234567890".utf8))
        #expect(factor.code(OneTimeCode.step(at: seconds * 1_000)) == code)
        #expect(factor.text == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
        #expect(
            factor.url(account: "mei@example.com")
                == "otpauth://totp/Carillon:mei%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                + "&issuer=Carillon&algorithm=SHA1&digits=6&period=30"
        )
    }

    @Test("K-11 A recovery code works once, however it is typed, and the rest is counted")
    func recovers() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.joinWithFactor("ann")
        #expect(ann.codes.count == 10 && Set(ann.codes).count == 10 && ann.opened.session.owner.recoveryCodes == 10)
        let half = try await world.signIn("ann")
        let typed = ann.codes[3].uppercased().replacing("-", with: " ")
        let whole = try await world.operators.passSecondFactor(half.value, code: typed, by: world.caller)
        #expect(whole.session.stage == .full && whole.session.owner.recoveryCodes == 9)
        let again = try await world.signIn("ann")
        await #expect(throws: EngineError.operators(.wrongCredentials(of: whole.session.owner.id))) {
            try await world.other.passSecondFactor(again.value, code: ann.codes[3], by: world.caller)
        }
        let renewed = try await world.operators.newRecoveryCodes(whole.value, by: world.caller)
        #expect(renewed.opened.session.owner.recoveryCodes == 10)
        await #expect(throws: EngineError.self) {
            try await world.other.passSecondFactor(again.value, code: ann.codes[4], by: world.caller)
        }
        #expect(
            try await world.other.passSecondFactor(again.value, code: renewed.codes[4], by: world.caller)
                .session.owner.recoveryCodes == 9
        )
    }

    @Test("K-26 The store has neither passwords, values of sessions, secrets of links nor seeds")
    func storesHashes() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.joinWithFactor("ann")
        let found = try await world.registry.stores.operators.find(ann.opened.session.owner.id)
        let sealed = try #require(found?.secondFactor)
        let seed = try OperatorWorld.bytes(base32: ann.factor.text)
        #expect(sealed.count > seed.count && !sealed.indices.contains { sealed[$0...].starts(with: seed.prefix(8)) })
    }
}
