import CarillonBytes
import Crypto
import Foundation
import NIOConcurrencyHelpers
import OpenIDConnect

/// An OpenID provider in memory: whoever a test names has signed in there.
final class FakeProvider: ProviderHTTP {
    /// Who signs in, and what the provider says of it.
    struct Person {
        var subject = "u1"
        var groups: [String] = []
        /// Further claims in JSON: `,"auth_time":1`.
        var further = ""
    }

    private struct State {
        var person = Person()
        var nonce = ""
        var isDown = false
    }

    static let issuer = "https://login.example.org"
    static let time: Int64 = 1_795_250_640

    private let key = P256.Signing.PrivateKey()
    private let state = NIOLockedValueBox(State())

    /// The provider as the console has it.
    var provider: IdentityProvider {
        var settings = ProviderSettings(issuer: Self.issuer, clientID: "carillon", clientSecret: "secret")
        settings.name = "Staff <SSO>"
        return IdentityProvider(settings, http: self) { Self.time }
    }

    func set(isDown: Bool) { state.withLockedValue { $0.isDown = isDown } }

    /// Signs a person in at the provider.
    ///
    /// - Returns: The query with which it leads back.
    func signIn(_ person: Person, at address: String) -> String {
        let query = URLComponents(string: address)?.queryItems ?? []
        func value(_ name: String) -> String { query.first { $0.name == name }?.value ?? "" }
        state.withLockedValue { ($0.person, $0.nonce) = (person, value("nonce")) }
        return "?code=c1&state=" + value("state")
    }

    func ask(_ question: ProviderQuestion) async throws(ProviderProblem) -> ProviderAnswer {
        let state = state.withLockedValue { $0 }
        guard !state.isDown else { throw .unreachable("Nobody is there.") }
        let body =
            switch question.url.dropFirst(Self.issuer.count) {
            case "/.well-known/openid-configuration":
                #"{"issuer":"\#(Self.issuer)","authorization_endpoint":"\#(Self.issuer)/auth","#
                    + #""token_endpoint":"\#(Self.issuer)/token","jwks_uri":"\#(Self.issuer)/keys"}"#
            case "/keys": keys
            default: #"{"id_token":"\#(token(state))","access_token":"at"}"#
            }
        return ProviderAnswer(status: 200, body: Array(body.utf8))
    }

    // MARK: - Private

    private var keys: String {
        let point = Array(key.publicKey.x963Representation)
        let (x, y) = (Base64URL.encode(Array(point[1..<33])), Base64URL.encode(Array(point[33..<65])))
        return #"{"keys":[{"kty":"EC","crv":"P-256","kid":"one","x":"\#(x)","y":"\#(y)"}]}"#
    }

    private func token(_ state: State) -> String {
        let groups = state.person.groups.map { "\"\($0)\"" }.joined(separator: ",")
        let claims =
            #"{"iss":"\#(Self.issuer)","aud":"carillon","sub":"\#(state.person.subject)","nonce":"\#(state.nonce)","#
            + #""email":"ana@example.org","email_verified":true,"groups":[\#(groups)],"#
            + #""iat":\#(Self.time),"exp":\#(Self.time + 300)\#(state.person.further)}"#
        let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"one"}"#.utf8))
        let signed = header + "." + Base64URL.encode(Array(claims.utf8))
        let signature = try? key.signature(for: Data(signed.utf8))
        return signed + "." + Base64URL.encode(Array(signature?.rawRepresentation ?? Data()))
    }
}
