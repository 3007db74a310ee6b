import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

/// How wrong passwords slow whoever tries them, and nobody else for long.
struct OperatorThrottleTests {
    private let wrong = "not the passphrase at all"

    /// The refusal of a sign-in; `nil` when it succeeded.
    private func refusal(
        _ world: OperatorWorld,
        _ name: String,
        _ password: String,
        from network: String = "192.0.2.1"
    ) async throws -> OperatorRefusal? {
        do {
            _ = try await world.signIn(name, password, from: network)
            return nil
        } catch EngineError.operators(let refusal) {
            return refusal
        }
    }

    @Test("K-03 A known and an unknown name are refused and throttled alike")
    func tellsNothing() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.join("ann").session.owner.id
        let tries: [(String, OperatorID?, String)] = [("ann", ann, "192.0.2.1"), ("nobody", nil, "192.0.2.2")]
        for (name, id, network) in tries {
            var refusals: [OperatorRefusal?] = []
            for _ in 0..<7 { refusals.append(try await refusal(world, name, wrong, from: network)) }
            #expect(
                refusals == Array(repeating: .wrongCredentials(of: id), count: 5)
                    + Array(repeating: .tooMany(retryAfter: .seconds(1)), count: 2)
            )
        }
    }

    @Test("K-03 A known and an unknown name cost one hash each, which is what takes the time")
    func hashesAlike() async throws {
        let world = try await OperatorWorld()
        _ = try await world.join("ann")
        for name in ["ann", "nobody"] {
            let before = world.operators.hasher.hashCount
            _ = try await refusal(world, name, wrong)
            #expect(world.operators.hasher.hashCount == before + 1, "\(name)")
        }
    }

    @Test("K-04 An attempt that has to wait takes no place among the passwords that are hashed")
    func waitsWithoutHashing() async throws {
        let world = try await OperatorWorld()
        _ = try await world.join("ann")
        for _ in 0..<5 { _ = try await refusal(world, "ann", wrong) }
        let before = world.operators.hasher.hashCount
        let places = try takeAll(world)
        #expect(try await refusal(world, "ann", OperatorWorld.password) == .tooMany(retryAfter: .seconds(1)))
        withExtendedLifetime(places) {}
        #expect(world.operators.hasher.hashCount == before)
    }

    @Test("K-04 A password that could not be looked at for want of a place is no wrong one")
    func countsNoBusyOne() async throws {
        let world = try await OperatorWorld()
        _ = try await world.join("ann")
        do {
            let places = try takeAll(world)
            for _ in 0..<70 { #expect(try await refusal(world, "ann", OperatorWorld.password) == .busy) }
            withExtendedLifetime(places) {}
        }
        #expect(try await refusal(world, "ann", OperatorWorld.password) == nil)
    }

    /// Holds all places of the caller's address.
    private func takeAll(_ world: OperatorWorld) throws -> [PasswordHasher.Place] {
        var places: [PasswordHasher.Place] = []
        while let place = try? world.operators.hasher.enter(network: world.caller.network) { places.append(place) }
        return places
    }

    @Test("K-04 After five wrong passwords the next try waits, and the right one works after the wait")
    func waits() async throws {
        let world = try await OperatorWorld()
        let id = try await world.join("ann").session.owner.id
        for _ in 0..<5 { #expect(try await refusal(world, "ann", wrong) == .wrongCredentials(of: id)) }
        #expect(try await refusal(world, "ann", OperatorWorld.password) == .tooMany(retryAfter: .seconds(1)))
        world.clock.advance(milliseconds: 999)
        #expect(try await refusal(world, "ann", OperatorWorld.password) == .tooMany(retryAfter: .milliseconds(1)))
        world.clock.advance(milliseconds: 1)
        #expect(try await refusal(world, "ann", OperatorWorld.password) == nil)
        // The count begins anew.
        for _ in 0..<5 { #expect(try await refusal(world, "ann", wrong) == .wrongCredentials(of: id)) }
    }

    @Test("K-04 The wait grows from 1 through 60 seconds")
    func grows() {
        #expect(
            (0...12).map(OperatorThrottle.wait(after:)) == [
                0, 0, 0, 0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
            ]
        )
        #expect(OperatorThrottle.wait(after: 1_000_000) == 60_000)
    }

    @Test("K-05 Others' wrong passwords never stop the owner longer than 60 seconds")
    func lastsAMinute() async throws {
        let world = try await OperatorWorld { $0.addresses = AttemptLimit(burst: 1_000_000, interval: .seconds(1)) }
        _ = try await world.join("ann")
        // Others try at every moment at which they may.
        func attack() async throws {
            for other in 0..<3 { _ = try await refusal(world, "ann", wrong, from: "198.51.100.\(other)") }
        }
        for _ in 0..<200 {
            try await attack()
            world.clock.advance(milliseconds: 1_000)
        }
        try await attack()
        var waited: Int64 = 0
        while case .tooMany? = try await refusal(world, "ann", OperatorWorld.password, from: "203.0.113.9") {
            world.clock.advance(milliseconds: 500)
            waited += 500
            try await attack()
            #expect(waited <= 60_000)
            guard waited <= 60_000 else { return }
        }
        #expect(waited > 0)
        #expect(try await refusal(world, "ann", OperatorWorld.password, from: "203.0.113.9") == nil)
    }

    @Test("K-05 Wrong codes of who knows the password never stop the owner longer than 60 seconds")
    func codesLastAMinute() async throws {
        let world = try await OperatorWorld { $0.addresses = AttemptLimit(burst: 1_000_000, interval: .seconds(1)) }
        let ann = try await world.joinWithFactor("ann")
        let (theirs, own) = (try await world.signIn("ann"), try await world.signIn("ann"))
        func isRefused(_ value: String, _ code: String, from network: String) async throws -> Bool {
            do throws(EngineError) {
                _ = try await world.operators.passSecondFactor(value, code: code, by: world.caller(network))
                return false
            } catch {
                guard case .operators(.tooMany) = error else { return code != "wrong" }
                return true
            }
        }
        func attack() async throws {
            for other in 0..<3 { _ = try await isRefused(theirs.value, "wrong", from: "198.51.100.\(other)") }
        }
        for _ in 0..<100 {
            try await attack()
            world.advance(.seconds(1))
        }
        try await attack()
        var waited = 0
        while try await isRefused(own.value, world.code(ann.factor), from: "203.0.113.9") {
            world.advance(.seconds(1))
            waited += 1
            try await attack()
            #expect(waited <= 60)
            guard waited <= 60 else { return }
        }
        #expect(waited > 0)
    }

    @Test("A new password that is refused is no wrong attempt")
    func countsNoRefusedPassword() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.join("ann")
        for _ in 0..<7 {
            let error = await #expect(throws: EngineError.self) {
                try await world.operators.changePassword(
                    ann.value,
                    from: OperatorWorld.password,
                    to: "short",
                    by: world.caller
                )
            }
            #expect(error?.fieldErrors.map(\.field) == ["newPassword"])
        }
        #expect(try await refusal(world, "ann", OperatorWorld.password) == nil)
    }

    @Test("An address has 60 wrong passwords an hour, for whatever names; right ones do not count")
    func limitsAddresses() async throws {
        let world = try await OperatorWorld()
        _ = try await world.join("ann")
        for _ in 0..<80 { #expect(try await refusal(world, "ann", OperatorWorld.password) == nil) }
        for number in 0..<60 {
            #expect(try await refusal(world, "nobody \(number)", wrong) == .wrongCredentials(of: nil))
        }
        #expect(try await refusal(world, "nobody 60", wrong) == .tooMany(retryAfter: .seconds(60)))
        #expect(try await refusal(world, "nobody 60", wrong, from: "192.0.2.2") == .wrongCredentials(of: nil))
        world.clock.advance(milliseconds: 60_000)
        #expect(try await refusal(world, "nobody 60", wrong) == .wrongCredentials(of: nil))
    }

    @Test("The Operator sees how many attempts failed since the last sign-in")
    func tellsFailures() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.joinWithFactor("ann")
        #expect(ann.opened.session.failedAttempts == 0)
        for _ in 0..<3 { _ = try await refusal(world, "ann", wrong) }
        world.advance(.seconds(60))
        let half = try await world.signIn("ann")
        #expect(half.session.failedAttempts == 0 && half.session.stage == .secondFactor)
        await #expect(throws: EngineError.operators(.wrongCredentials(of: half.session.owner.id))) {
            try await world.operators.passSecondFactor(half.value, code: "000000", by: world.caller)
        }
        let whole = try await world.operators.passSecondFactor(
            half.value,
            code: world.code(ann.factor),
            by: world.caller
        )
        #expect(whole.session.failedAttempts == 4)
        world.advance(.seconds(60))
        let next = try await world.signIn("ann")
        let again = try await world.operators.passSecondFactor(
            next.value,
            code: world.code(ann.factor),
            by: world.caller
        )
        #expect(again.session.failedAttempts == 0)
    }

    @Test("Wrong codes wait as wrong passwords do")
    func limitsCodes() async throws {
        let world = try await OperatorWorld()
        let ann = try await world.joinWithFactor("ann")
        world.advance(.seconds(60))
        let half = try await world.signIn("ann")
        func pass(_ code: String, _ node: Operators) async throws -> EngineError? {
            do throws(EngineError) {
                _ = try await node.passSecondFactor(half.value, code: code, by: world.caller)
                return nil
            } catch {
                return error
            }
        }
        let id = half.session.owner.id
        for number in 0..<5 {
            let node = number.isMultiple(of: 2) ? world.operators : world.other
            #expect(try await pass("12345\(number)", node) == .operators(.wrongCredentials(of: id)))
        }
        #expect(
            try await pass(world.code(ann.factor), world.other) == .operators(.tooMany(retryAfter: .seconds(1)))
        )
        world.clock.advance(milliseconds: 1_000)
        #expect(try await pass(world.code(ann.factor), world.operators) == nil)
    }
}
