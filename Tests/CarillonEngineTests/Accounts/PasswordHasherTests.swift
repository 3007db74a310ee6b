import CarillonModel
import NIOConcurrencyHelpers
import Testing

@testable import CarillonEngine

/// Hashing, few at a time.
struct PasswordHasherTests {
    private let app = AppID(rawValue: 1)
    private let password = SaltedPassword("secret", name: "alice")

    private func hasher(queue: Int = 4, logRounds: UInt8 = 10) -> PasswordHasher {
        var options = PasswordHasher.Options()
        (options.concurrency, options.queueLength) = (2, queue)
        options.parameters = .init(logRounds: logRounds, blockSize: 8, parallelism: 1)
        return PasswordHasher(options)
    }

    @Test("A password is right or wrong, and nobody's is never right")
    func verifies() async throws {
        let hasher = hasher()
        let hash = try await hasher.hash(password, try hasher.enter(app))
        #expect(try await hasher.verify(password, hash, try hasher.enter(app)) == .correct)
        let other = SaltedPassword("other", name: "alice")
        #expect(try await hasher.verify(other, hash, try hasher.enter(app)) == .wrong)
        #expect(try await hasher.verify(password, nil, try hasher.enter(app)) == .wrong)
    }

    @Test("A right password is hashed again when the parameters were raised")
    func rehashes() async throws {
        let old = try PasswordHash(
            password,
            salt: [UInt8](repeating: 3, count: 16),
            parameters: .init(logRounds: 11, blockSize: 4, parallelism: 2)
        )
        let hasher = hasher()
        guard case .rehashed(let new) = try await hasher.verify(password, old, try hasher.enter(app)) else {
            Issue.record("It was not hashed again.")
            return
        }
        #expect(new.parameters == hasher.options.parameters)
        #expect(try new.matches(password))
        #expect(try await hasher.verify(SaltedPassword("x", name: "a"), old, try hasher.enter(app)) == .wrong)
    }

    @Test("Further requests are refused at once, and one App has half of the places")
    func isBounded() async throws {
        let hasher = hasher(queue: 4)
        var places: [PasswordHasher.Place] = []
        for _ in 0..<3 { places.append(try hasher.enter(app)) }
        #expect(throws: EngineError.account(.busy)) { try hasher.enter(app) }
        for _ in 0..<3 { places.append(try hasher.enter(AppID(rawValue: 2))) }
        #expect(throws: EngineError.account(.busy)) { try hasher.enter(AppID(rawValue: 3)) }
        #expect(hasher.count == 6)
        places.removeAll()
        #expect(hasher.count == 0)
        _ = try hasher.enter(app)
    }

    @Test("One address has a quarter of the places, in all Apps, and operators are not counted by it")
    func isFair() async throws {
        let hasher = hasher(queue: 6)
        let flood = "192.0.2.1"
        var places = [try hasher.enter(app, network: flood), try hasher.enter(AppID(rawValue: 2), network: flood)]
        #expect(throws: EngineError.account(.busy)) { try hasher.enter(app, network: flood) }
        // What was refused holds nothing.
        #expect(hasher.count == 2)
        places.append(try hasher.enter(app, network: "192.0.2.2"))
        places.append(try hasher.enter(app))
        #expect(hasher.count == 4)
        places.removeAll()
        _ = try hasher.enter(app, network: flood)
        #expect((1...8).contains(PasswordHasher.Options().concurrency))
    }

    @Test("A storm is hashed two at a time, and everybody is answered")
    func survivesStorm() async throws {
        let hasher = hasher(queue: 60)
        let hash = try await hasher.hash(password, try hasher.enter(app))
        let results = await withTaskGroup(of: String.self) { group in
            for number in 0..<200 {
                group.addTask {
                    do throws(EngineError) {
                        let place = try hasher.enter(AppID(rawValue: Int64(number % 4)))
                        let tried = number.isMultiple(of: 2) ? password : SaltedPassword("x", name: "a")
                        return "\(try await hasher.verify(tried, hash, place))"
                    } catch {
                        return error == .account(.busy) ? "busy" : "\(error)"
                    }
                }
            }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(results.values.reduce(0, +) == 200)
        #expect(Set(results.keys).isSubset(of: ["correct", "wrong", "busy"]))
        #expect((results["correct"] ?? 0) > 0)
        #expect(hasher.count == 0)
    }
}
