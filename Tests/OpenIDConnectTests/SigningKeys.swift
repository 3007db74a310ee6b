import CarillonBytes
import Crypto
import Foundation
import NIOConcurrencyHelpers

@testable import OpenIDConnect

/// A provider's key, and tokens that it signs.
struct SigningKey {
    let id: String
    let key = P256.Signing.PrivateKey()

    /// The key as the provider publishes it.
    var published: String {
        let point = Array(key.publicKey.x963Representation)
        let (x, y) = (Base64URL.encode(Array(point[1..<33])), Base64URL.encode(Array(point[33..<65])))
        return #"{"kty":"EC","crv":"P-256","kid":"\#(id)","use":"sig","x":"\#(x)","y":"\#(y)"}"#
    }

    /// A set with it, beside keys that must not be used.
    var set: String {
        let secret = Base64URL.encode(Array(key.publicKey.x963Representation))
        return
            #"{"keys":[{"kty":"oct","kid":"\#(id)","k":"\#(secret)"},{"kty":"RSA","kid":"short","n":"AQAB","e":"AQAB"},"#
            + published + "]}"
    }

    /// A token.
    ///
    /// - Parameters:
    ///   - claims: Its claims in JSON.
    ///   - header: Its header; `nil` for that of the key.
    /// - Returns: The text.
    /// - Throws: When the key cannot sign.
    func token(_ claims: String, header: String? = nil) throws -> String {
        let signed = Self.unsigned(claims, header ?? #"{"alg":"ES256","typ":"JWT","kid":"\#(id)"}"#)
        let signature = try key.signature(for: Data(signed.utf8))
        return signed + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }

    /// A token that is signed with the public key as a shared secret.
    func forged(_ claims: String) -> String {
        let signed = Self.unsigned(claims, #"{"alg":"HS256","kid":"\#(id)"}"#)
        let secret = SymmetricKey(data: key.publicKey.x963Representation)
        let code = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: secret)
        return signed + "." + Base64URL.encode(Array(code))
    }

    static func unsigned(_ claims: String, _ header: String) -> String {
        Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
    }
}

/// Claims of a token that is right, but for those that a test replaces.
func claims(_ changed: [String: String?] = [:]) -> String {
    var all: [String: String?] = [
        "iss": #""https://login.example.org""#, "aud": #""carillon""#, "sub": #""u1""#, "nonce": #""n1""#,
        "iat": "1000", "exp": "1300",
    ]
    for (name, value) in changed { all[name] = value }
    return "{" + all.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.sorted().joined(separator: ",")
        + "}"
}

/// A provider in memory.
final class FakeProvider: ProviderHTTP {
    struct State {
        var answers: [String: ProviderAnswer] = [:]
        var asked: [ProviderQuestion] = []
    }

    private let state = NIOLockedValueBox(State())

    var asked: [ProviderQuestion] { state.withLockedValue { $0.asked } }

    func set(_ url: String, _ body: String, status: Int = 200) {
        state.withLockedValue { $0.answers[url] = ProviderAnswer(status: status, body: Array(body.utf8)) }
    }

    func ask(_ question: ProviderQuestion) async throws(ProviderProblem) -> ProviderAnswer {
        let answer = state.withLockedValue { state in
            state.asked.append(question)
            return state.answers[question.url]
        }
        guard let answer else { throw .unreachable("Nobody is at \(question.url).") }
        return answer
    }
}
