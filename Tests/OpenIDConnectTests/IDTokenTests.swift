import CarillonBytes
import Foundation
import Testing

@testable import OpenIDConnect

struct IDTokenTests {
    private func expectation(_ accessToken: String? = nil, provedSince: Int64? = nil) -> TokenExpectation {
        TokenExpectation(
            issuer: "https://login.example.org",
            clientID: "carillon",
            nonce: "n1",
            accessToken: accessToken,
            now: 1_010,
            provedSince: provedSince
        )
    }

    /// Why a token with some claims is refused; `nil` when it is not.
    private func refusal(_ changed: [String: String?], _ expected: TokenExpectation? = nil) throws -> String? {
        let token = try IDToken(SigningKey(id: "one").token(claims(changed)))
        do throws(ProviderProblem) {
            _ = try token.claims(expected ?? expectation())
            return nil
        } catch {
            return error.sentence
        }
    }

    @Test("A token with right claims is accepted, also with several audiences and a party")
    func right() throws {
        #expect(try refusal([:]) == nil)
        #expect(try refusal(["aud": #"["other","carillon"]"#, "azp": #""carillon""#]) == nil)
        #expect(try refusal(["exp": "951"]) == nil, "the clocks differ by less than a minute")
    }

    @Test(
        "Each wrong claim refuses the token, and is named",
        arguments: [
            ("iss", #""https://login.example.org/""#), ("iss", nil), ("aud", #""other""#), ("aud", nil), ("aud", "[]"),
            ("azp", #""other""#), ("azp", "7"), ("exp", "950"), ("exp", nil), ("exp", #""1300""#), ("exp", "true"),
            ("iat", "1071"), ("iat", "400"), ("iat", nil), ("nbf", "1071"), ("nbf", #""x""#), ("nonce", #""n2""#),
            ("nonce", nil), ("sub", nil), ("sub", #""""#), ("sub", "7"), ("at_hash", #""AAAA""#),
        ] as [(String, String?)]
    )
    func wrong(_ name: String, _ value: String?) throws {
        let refusal = try refusal([name: value])
        #expect(refusal?.contains("(\(name))") == true, "\(refusal ?? "accepted")")
    }

    @Test("Several audiences need a party")
    func noParty() throws {
        #expect(try refusal(["aud": #"["other","carillon"]"#])?.contains("(azp)") == true)
    }

    @Test("The access token must be the one of at_hash")
    func accessToken() throws {
        let hash = Base64URL.encode(SigningAlgorithm.es256.halfHash(of: "secret"))
        #expect(try refusal(["at_hash": "\"\(hash)\""], expectation("secret")) == nil)
        #expect(try refusal(["at_hash": "\"\(hash)\""], expectation("other"))?.contains("(at_hash)") == true)
    }

    @Test("Asked anew, the provider must say that it did ask", arguments: [nil, "900", "1071"] as [String?])
    func freshness(_ proved: String?) throws {
        let asked = expectation(provedSince: 1_000)
        #expect(try refusal(["auth_time": proved], asked)?.contains("(auth_time)") == true)
        #expect(try refusal(["auth_time": "1005"], asked) == nil)
    }

    @Test(
        "Algorithms without a key pair, and extensions, are not even read",
        arguments: [
            #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":"HS256","kid":"one"}"#, #"{}"#, #"{"alg":["ES256"]}"#,
            #"{"alg":"ES256","crit":["exp"]}"#,
        ]
    )
    func algorithms(_ header: String) {
        #expect(throws: ProviderProblem.self) { try IDToken(SigningKey(id: "one").token(claims(), header: header)) }
        #expect(throws: ProviderProblem.self) { try IDToken(SigningKey.unsigned(claims(), header) + ".") }
    }

    @Test("The public key is no shared secret")
    func confusion() {
        #expect(throws: ProviderProblem.self) { try IDToken(SigningKey(id: "one").forged(claims())) }
    }

    @Test("Only the key that the token names is tried, and only for its own algorithm")
    func signatures() async throws {
        let (one, other) = (SigningKey(id: "one"), SigningKey(id: "one"))
        let set = try #require(KeySet(json: Array(one.set.utf8)))
        let right = try await IDToken(one.token(claims())).isSigned(by: set)
        #expect(right == true)
        let forged = try await IDToken(other.token(claims())).isSigned(by: set)
        #expect(forged == false)
        let unknown = try await IDToken(SigningKey(id: "two").token(claims())).isSigned(by: set)
        #expect(unknown == nil)
        let short = #"{"alg":"RS256","kid":"short"}"#
        let weak = try await IDToken(one.token(claims(), header: short)).isSigned(by: set)
        #expect(weak == nil, "a short RSA key is none")
        let mixed = try await IDToken(one.token(claims(), header: #"{"alg":"ES384","kid":"one"}"#)).isSigned(by: set)
        #expect(mixed == nil)
    }

    @Test("Changed claims have a wrong signature")
    func changed() async throws {
        let key = SigningKey(id: "one")
        let set = try #require(KeySet(json: Array(key.set.utf8)))
        var parts = try key.token(claims()).split(separator: ".").map(String.init)
        parts[1] = Base64URL.encode(Array(claims(["sub": #""admin""#]).utf8))
        let isSigned = try await IDToken(parts.joined(separator: ".")).isSigned(by: set)
        #expect(isSigned == false)
    }
}
