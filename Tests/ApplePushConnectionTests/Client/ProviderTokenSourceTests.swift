import ApplePush
import ApplePushConnection
import Crypto
import Foundation
import NIOConcurrencyHelpers
import Testing

struct ProviderTokenSourceTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// A source, and the clock that a test sets.
    private func source() throws -> (ProviderTokenSource, NIOLockedValueBox<Date>) {
        let clock = NIOLockedValueBox(start)
        return (ProviderTokenSource(key: try SampleKey.make()) { clock.withLockedValue { $0 } }, clock)
    }

    @Test("P-29 P-30 a token is shared for 50 minutes, then renewed")
    func renewal() throws {
        let (source, clock) = try source()
        let first = try source.token()
        clock.withLockedValue { $0 += 3_000 - 1 }
        #expect(try source.token() == first)
        clock.withLockedValue { $0 += 1 }
        let second = try source.token()
        #expect(second != first && second.issuedAt == start + 3_000)
    }

    @Test("P-31 P-32 a token that APNs finds expired is replaced once, then a clock is wrong")
    func expired() throws {
        let (source, clock) = try source()
        let first = try source.token()
        source.refusedAsExpired(first)
        clock.withLockedValue { $0 += 1 }
        let second = try source.token()
        #expect(second != first)
        source.refusedAsExpired(first)
        #expect(try source.token() == second)
        source.refusedAsExpired(second)
        #expect(throws: ProviderTokenSource.ClockProblem.self) { try source.token() }
        clock.withLockedValue { $0 += 1_200 }
        #expect(try source.token() != second)
    }

    @Test("a key file is read from the disk")
    func file() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).p8").path
        let key = P256.Signing.PrivateKey()
        try key.pemRepresentation.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let read = try SigningKey(file: path, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        #expect(read.publicKey.rawRepresentation == key.publicKey.rawRepresentation)
        #expect(throws: (any Error).self) {
            try SigningKey(file: path + ".missing", keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        }
        try Data(repeating: 65, count: 65_537).write(to: URL(fileURLWithPath: path))
        #expect(throws: SigningKey.Problem.notPEM) {
            try SigningKey(file: path, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        }
    }
}

/// Keys as Apple issues them, made here.
enum SampleKey {
    static func make() throws -> SigningKey {
        try SigningKey(pem: P256.Signing.PrivateKey().pemRepresentation, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    }
}
