import ApplePush
import Crypto
import Foundation
import Testing

struct ProviderTokenTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    private func key(_ id: String = "ABC123DEFG") throws -> SigningKey {
        try SigningKey(pem: TestKey.pem, keyID: id, teamID: "DEF123GHIJ")
    }

    private func decode(_ part: Substring) throws -> Data {
        let text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return try #require(Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)))
    }

    @Test("P-35 the claims are exactly iss and iat, iat is a number, the header has alg and kid")
    func claims() throws {
        let token = try ProviderToken(signedWith: key(), at: start)
        let parts = token.rawValue.split(separator: ".", omittingEmptySubsequences: false)

        try #require(parts.count == 3)
        #expect(String(decoding: try decode(parts[0]), as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
        #expect(String(decoding: try decode(parts[1]), as: UTF8.self) == #"{"iss":"DEF123GHIJ","iat":1700000000}"#)
        #expect(token.issuedAt == start && token.keyID == "ABC123DEFG")
        #expect(try ProviderToken(signedWith: key(), at: start + 0.999).issuedAt == start)
    }

    @Test("P-35 the signature is raw R and S in base64url without padding, and verifies")
    func signature() throws {
        for second in 0..<20 {
            let token = try ProviderToken(signedWith: key(), at: start + Double(second)).rawValue
            let parts = token.split(separator: ".")
            let raw = try decode(parts[2])

            #expect(token.utf8.allSatisfy { "-_.".utf8.contains($0) || Character(UnicodeScalar($0)).isASCIIWord })
            #expect(raw.count == 64)
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
            let signed = Data((parts[0] + "." + parts[1]).utf8)
            #expect(TestKey.privateKey.publicKey.isValidSignature(signature, for: signed))
        }
    }

    @Test("P-35 a key in either PEM form is read")
    func pemForms() throws {
        #expect(try key().publicKey.rawRepresentation == TestKey.privateKey.publicKey.rawRepresentation)
        let windows = TestKey.pem.replacingOccurrences(of: "\n", with: "\r\n") + "\r\n"
        #expect(throws: Never.self) { try SigningKey(pem: windows, keyID: "A", teamID: "B") }
    }

    @Test("A bad key file is named by what is wrong with it")
    func badKeys() {
        func problem(_ pem: String, key: String = "ABC123DEFG", team: String = "DEF123GHIJ") -> SigningKey.Problem? {
            do throws(SigningKey.Problem) {
                _ = try SigningKey(pem: pem, keyID: key, teamID: team)
                return nil
            } catch {
                return error
            }
        }
        let good = TestKey.pem
        let publicKey = TestKey.privateKey.publicKey.pemRepresentation
        let longer = P384.Signing.PrivateKey().pemRepresentation

        #expect(problem(good) == nil)
        #expect(problem("") == .notPEM)
        #expect(problem("not a key") == .notPEM)
        #expect(problem(String(good.prefix(100))) == .notPEM)
        #expect(problem(publicKey) == .notAPrivateKey)
        #expect(problem("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----") == .notAPrivateKey)
        #expect(problem("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END X-----") == .notAPrivateKey)
        #expect(problem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----") == .notP256)
        #expect(problem(longer) == .notP256)
        #expect(problem(good, key: "") == .badKeyID)
        #expect(problem(good, key: #"A","x":"B"#) == .badKeyID)
        #expect(problem(good, team: "é") == .badTeamID)
        #expect(problem(good, team: String(repeating: "A", count: 33)) == .badTeamID)
    }
}

extension Character {
    fileprivate var isASCIIWord: Bool { isASCII && (isLetter || isNumber) }
}

struct ProviderTokenRenewalTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    private func token(at date: Date) -> ProviderToken {
        ProviderToken(rawValue: "jwt-\(date)", keyID: "K", issuedAt: date)
    }

    private func started() -> ProviderTokenRenewal {
        ProviderTokenRenewal(stored: token(at: start))
    }

    @Test("P-29 the first caller mints, the others wait, then all use the one token")
    func singleFlight() {
        var lifetime = ProviderTokenRenewal()

        #expect(lifetime.decide(at: start) == .mint)
        #expect(lifetime.decide(at: start) == .wait)
        lifetime.minted(token(at: start))
        #expect(lifetime.decide(at: start + 1) == .use(token(at: start)))
    }

    @Test("P-29 a token left by an earlier run is used")
    func restart() {
        var lifetime = started()
        #expect(lifetime.decide(at: start + 60) == .use(token(at: start)))
    }

    @Test("P-30 a token is renewed 50 minutes after its issue, however idle it was")
    func renewal() {
        var lifetime = started()

        #expect(lifetime.decide(at: start + 2999) == .use(token(at: start)))
        #expect(lifetime.decide(at: start + 3000) == .mint)
        lifetime.minted(token(at: start + 3000))
        #expect(lifetime.decide(at: start + 5999) == .use(token(at: start + 3000)))
        #expect(lifetime.decide(at: start + 50_000) == .mint)
    }

    @Test("P-31 a burst of ExpiredProviderToken causes one mint")
    func expiredBurst() {
        var lifetime = started()
        for _ in 0..<1000 { lifetime.refusedAsExpired(token(at: start)) }

        #expect(lifetime.decide(at: start + 100) == .mint)
        for _ in 0..<1000 { lifetime.refusedAsExpired(token(at: start)) }
        lifetime.minted(token(at: start + 100))
        for _ in 0..<1000 { lifetime.refusedAsExpired(token(at: start)) }

        #expect(lifetime.decide(at: start + 101) == .use(token(at: start + 100)))
    }

    @Test("P-32 a token minted because of ExpiredProviderToken is not replaced within 20 minutes")
    func noMintingLoop() {
        var lifetime = started()
        lifetime.refusedAsExpired(token(at: start))
        #expect(lifetime.decide(at: start + 10) == .mint)
        lifetime.minted(token(at: start + 10))

        lifetime.refusedAsExpired(token(at: start + 10))

        #expect(lifetime.decide(at: start + 11) == .stuck(until: start + 1210))
        #expect(lifetime.decide(at: start + 1209) == .stuck(until: start + 1210))
        #expect(lifetime.decide(at: start + 1210) == .mint)
    }

    @Test("P-32 no two mints within 20 minutes whatever the clock does, unless Apple calls for one")
    func clockChanges() {
        var lifetime = started()

        for now in [start - 10_000, start - 1, start, start + 1199] {
            #expect(lifetime.decide(at: now) == .use(token(at: start)))
        }
    }

    @Test("P-32 a new key mints at once")
    func keyChange() {
        var lifetime = started()
        lifetime.keyChanged()
        #expect(lifetime.decide(at: start + 1) == .mint)
    }

    @Test("A failed mint lets the next caller try")
    func failedMint() {
        var lifetime = started()
        lifetime.refusedAsExpired(token(at: start))
        #expect(lifetime.decide(at: start + 5) == .mint)
        lifetime.mintingFailed()
        #expect(lifetime.decide(at: start + 6) == .mint)
    }
}
