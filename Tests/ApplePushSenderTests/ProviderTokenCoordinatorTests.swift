import ApplePush
import CarillonEngine
import CarillonModel
import Crypto
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import ApplePushSender

@Suite struct ProviderTokenCoordinatorTests {
    private let clock = MovedClock()
    private let store = KeptTokens()

    @Test("P-29 concurrent callers share one new token")
    func sharesOneMinting() async throws {
        let keeper = try keeper()

        let tokens = await withTaskGroup(of: ProviderToken?.self) { group in
            for _ in 0..<50 { group.addTask { try? await keeper.token() } }
            return await group.reduce(into: Set<ProviderToken?>()) { $0.insert($1) }
        }

        #expect(tokens.count == 1)
        #expect(tokens.first != .some(nil))
        #expect(store.writes == 1)
    }

    @Test("P-30 a token is renewed at 50 minutes")
    func renewsAt50Minutes() async throws {
        let keeper = try keeper()
        let first = try await keeper.token()

        clock.advance(seconds: 50 * 60 - 1)
        #expect(try await keeper.token() == first)
        clock.advance(seconds: 1)
        #expect(try await keeper.token() != first)
        #expect(store.writes == 2)
    }

    @Test("A restart creates no second token") func reusesStoredTokens() async throws {
        let first = try await keeper().token()
        clock.advance(seconds: 49 * 60)

        #expect(try await keeper().token() == first)
        #expect(store.writes == 1)
    }

    @Test("P-31 a burst of refusals as expired creates one token")
    func mintsOnceForABurstOfRefusals() async throws {
        let keeper = try keeper()
        let first = try await keeper.token()
        clock.advance(seconds: 60)

        for _ in 0..<100 { await keeper.refusedAsExpired(first) }
        let second = try await keeper.token()
        for _ in 0..<100 { await keeper.refusedAsExpired(first) }

        #expect(second != first)
        #expect(try await keeper.token() == second)
        #expect(store.writes == 2)
    }

    @Test("P-32 a second refusal within 20 minutes creates none")
    func waitsBetweenForcedMints() async throws {
        let keeper = try keeper()
        await keeper.refusedAsExpired(try await keeper.token())
        let second = try await keeper.token()
        await keeper.refusedAsExpired(second)

        await #expect(throws: ProviderTokenCoordinator.Problem.stuck(until: clock.now(plus: 20 * 60))) {
            try await keeper.token()
        }
    }

    @Test("Another node's token wins") func usesOtherNodesTokens() async throws {
        let (one, other) = (try keeper(), try keeper())
        let first = try await one.token()
        _ = try await other.token()
        clock.advance(seconds: 50 * 60)

        let renewed = try await one.token()

        #expect(renewed != first)
        #expect(try await other.token() == renewed)
        #expect(store.writes == 2)
    }

    @Test("A failing store is reported") func reportsStoreFailures() async throws {
        store.failure = .unavailable("away")

        await #expect(throws: ProviderTokenCoordinator.Problem.store(.unavailable("away"))) {
            try await keeper().token()
        }
    }

    @Test("S1-M1 another key with the same ids neither uses nor replaces a token")
    func bindsTokensToTheirKey() async throws {
        let other = P256.Signing.PrivateKey().pemRepresentation
        let right = try await keeper().token()
        let wrong = try await keeper(other).token()
        #expect(right != wrong)
        #expect(try await keeper().token() == right, "after a restart too")

        clock.advance(seconds: 50 * 60)
        let renewed = try await keeper().token()
        let isRight = try renewed.isSigned(by: signingKey(Self.key))
        #expect(isRight && renewed != right)
        #expect(store.all.count == 2)
    }

    @Test("S1-M1 a stored token that another key has signed is not used")
    func verifiesStoredTokens() async throws {
        let other = try signingKey(P256.Signing.PrivateKey().pemRepresentation)
        let foreign = try ProviderToken(signedWith: other, at: clock.now().date)
        let key = try signingKey(Self.key)
        let name = ProviderKey(
            keyID: key.keyID,
            teamID: key.teamID,
            publicKeyHash: Array(SHA256.hash(data: key.publicKey.rawRepresentation))
        )
        store.put(StoredProviderToken(token: foreign.rawValue, issuedAt: clock.now(plus: -60)), of: name)
        #expect(!foreign.isSigned(by: key) && foreign.isSigned(by: other))

        let used = try await keeper().token()
        #expect(used.isSigned(by: key))
        #expect(try await keeper().token() == used)
    }

    private static let key = P256.Signing.PrivateKey().pemRepresentation

    private func signingKey(_ pem: String) throws -> SigningKey {
        try SigningKey(pem: pem, keyID: "ABCDE12345", teamID: "TEAM567890")
    }

    private func keeper(_ pem: String = Self.key) throws -> ProviderTokenCoordinator {
        ProviderTokenCoordinator(key: try signingKey(pem), store: store, clock: clock)
    }
}
