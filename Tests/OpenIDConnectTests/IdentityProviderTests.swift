import NIOConcurrencyHelpers
import Testing

@testable import OpenIDConnect

struct IdentityProviderTests {
    private static let issuer = "https://login.example.org"
    private static let document =
        #"{"issuer":"https://login.example.org","authorization_endpoint":"https://login.example.org/auth","#
        + #""token_endpoint":"https://login.example.org/token","jwks_uri":"https://login.example.org/keys","#
        + #""userinfo_endpoint":"https://login.example.org/me"}"#

    private let http = FakeProvider()
    private let time = NIOLockedValueBox<Int64>(1_010)
    private let key = SigningKey(id: "one")

    private func provider(_ document: String = Self.document) throws -> IdentityProvider {
        http.set(Self.issuer + "/.well-known/openid-configuration", document)
        http.set(Self.issuer + "/keys", key.set)
        http.set(Self.issuer + "/me", #"{"sub":"u1","groups":["a","b"],"email":"a@example.org","email_verified":true}"#)
        let settings = ProviderSettings(issuer: Self.issuer, clientID: "carillon", clientSecret: "s:1")
        return IdentityProvider(settings, http: http) { [time] in time.withLockedValue { $0 } }
    }

    private func answerWith(_ token: String) {
        http.set(Self.issuer + "/token", #"{"id_token":"\#(token)","access_token":"at"}"#)
    }

    private func request(isFresh: Bool = false) -> ProviderRequest {
        ProviderRequest(
            state: "s1",
            nonce: "n1",
            verifier: "v1",
            redirectURI: "https://push.example.org/r",
            begunAt: 1_005,
            isFresh: isFresh
        )
    }

    private func answer(state: String = "s1", issuer: String? = nil) -> ProviderReturn {
        ProviderReturn(code: "c1", state: state, issuer: issuer, error: nil, errorText: nil)
    }

    private func problem(_ body: () async throws -> Void) async -> ProviderProblem? {
        do {
            try await body()
            return nil
        } catch {
            return error as? ProviderProblem
        }
    }

    @Test("The address asks for a code, with PKCE and the nonce; anew it asks for the password")
    func address() async throws {
        let provider = try provider()
        let address = try await provider.address(for: request())
        #expect(address.hasPrefix("https://login.example.org/auth?response_type=code&client_id=carillon&"))
        #expect(address.contains("&nonce=n1&code_challenge="))
        #expect(address.hasSuffix("&code_challenge_method=S256"))
        let fresh = try await provider.address(for: request(isFresh: true))
        #expect(fresh.hasSuffix("&prompt=login&max_age=5"))
    }

    @Test("What the token does not say is asked for")
    func account() async throws {
        let provider = try provider()
        answerWith(try key.token(claims()))
        let account = try await provider.account(answer(), of: request())
        #expect(account.subject == "u1")
        #expect(account.groups == ["a", "b"])
        #expect(account.verifiedAddress == "a@example.org")
        let redeemed = try #require(http.asked.first { $0.form != nil })
        #expect(
            redeemed.form?.contains("code=c1&redirect_uri=https%3A%2F%2Fpush.example.org%2Fr&code_verifier=v1") == true
        )
        #expect(redeemed.authorization == "Basic Y2FyaWxsb246cyUzQTE=")
    }

    @Test("What the provider says of somebody else is not used")
    func otherInfo() async throws {
        let provider = try provider()
        http.set(Self.issuer + "/me", #"{"sub":"u2","groups":["admins"]}"#)
        answerWith(try key.token(claims()))
        let account = try await provider.account(answer(), of: request())
        #expect(account.groups.isEmpty)
    }

    @Test("Another state, another issuer and an error redeem nothing")
    func refusals() async throws {
        let provider = try provider()
        let state = await problem { _ = try await provider.account(answer(state: "s2"), of: request()) }
        #expect(state?.sentence.contains("(state)") == true)
        let issuer = await problem { _ = try await provider.account(answer(issuer: "https://x"), of: request()) }
        #expect(issuer?.sentence.contains("(iss)") == true)
        var failed = answer()
        (failed.error, failed.errorText) = ("access_denied", "<b>no</b>")
        let denied = await problem { [failed] in _ = try await provider.account(failed, of: request()) }
        #expect(denied == .refused(code: "access_denied", text: "<b>no</b>"))
        #expect(http.asked.allSatisfy { $0.form == nil })
    }

    @Test("An unknown key has the keys read again, once a minute")
    func newKey() async throws {
        let provider = try provider()
        answerWith(try SigningKey(id: "two").token(claims()))
        for _ in 0..<3 { _ = await problem { _ = try await provider.account(answer(), of: request()) } }
        #expect(http.asked.count { $0.url.hasSuffix("/keys") } == 1, "they were read just now")
        time.withLockedValue { $0 += 60 }
        let two = SigningKey(id: "two")
        http.set(Self.issuer + "/keys", two.set)
        answerWith(try two.token(claims()))
        let account = try await provider.account(answer(), of: request())
        #expect(account.subject == "u1")
        #expect(http.asked.count { $0.url.hasSuffix("/keys") } == 2)
    }

    @Test("A provider with another name says what to set")
    func otherName() async throws {
        let provider = try provider(
            Self.document.replacing(#""issuer":"https://login"#, with: #""issuer":"https://sso"#)
        )
        let problem = await problem { try await provider.check() }
        #expect(problem?.sentence.contains("set console.oidc.issuer to exactly") == true)
        let plain = try self.provider(Self.document.replacing(#"jwks_uri":"https"#, with: #"jwks_uri":"http"#))
        let unencrypted = await self.problem { try await plain.check() }
        #expect(unencrypted?.sentence.contains("each with https") == true)
    }
}
