import CarillonBytes
import Crypto
import Foundation

/// What one sign-in at a provider is known by; it is kept in the browser that began it.
package struct ProviderRequest: Hashable, Sendable, Codable {
    package var state: String
    package var nonce: String
    /// The secret of PKCE.
    package var verifier: String
    /// Where the provider leads back to.
    package var redirectURI: String
    /// Seconds since 1970.
    package var begunAt: Int64
    /// Whether the provider must ask anew who is there.
    package var isFresh: Bool

    package init(
        state: String,
        nonce: String,
        verifier: String,
        redirectURI: String,
        begunAt: Int64,
        isFresh: Bool
    ) {
        (self.state, self.nonce, self.verifier) = (state, nonce, verifier)
        (self.redirectURI, self.begunAt, self.isFresh) = (redirectURI, begunAt, isFresh)
    }
}

/// What a provider leads back with.
package struct ProviderReturn: Hashable, Sendable {
    package var code: String?
    package var state: String?
    /// Who answers (RFC 9207).
    package var issuer: String?
    package var error: String?
    package var errorText: String?

    package init(code: String?, state: String?, issuer: String?, error: String?, errorText: String?) {
        (self.code, self.state, self.issuer, self.error, self.errorText) = (code, state, issuer, error, errorText)
    }
}

/// An account that a provider vouches for.
package struct ProviderAccount: Hashable, Sendable {
    package var issuer: String
    package var subject: String
    package var groups: [String]
    /// The address of mail; `nil` when the provider does not say that it is the person's.
    package var verifiedAddress: String?
    package var preferredName: String?
    package var displayName: String?

    package init(issuer: String, subject: String, groups: [String] = []) {
        (self.issuer, self.subject, self.groups) = (issuer, subject, groups)
    }
}

/// An OpenID provider: authorization code with PKCE.
///
/// Its document and its keys are kept for an hour; an unknown key has them read again at most once a minute.
package actor IdentityProvider {
    private static let keptTime: Int64 = 3_600
    private static let keyInterval: Int64 = 60

    package nonisolated let settings: ProviderSettings
    private let http: any ProviderHTTP
    private let now: @Sendable () -> Int64
    private var document: (value: ProviderDocument, at: Int64)?
    private var keys: (value: KeySet, at: Int64)?
    private var askedKeysAt: Int64?

    /// Creates a provider, which is not asked before somebody signs in.
    ///
    /// - Parameters:
    ///   - settings: What the configuration says.
    ///   - http: Asks it.
    ///   - now: Seconds since 1970.
    package init(_ settings: ProviderSettings, http: any ProviderHTTP, now: @escaping @Sendable () -> Int64) {
        (self.settings, self.http, self.now) = (settings, http, now)
    }

    /// Asks the provider about itself, and for its keys.
    ///
    /// - Throws: ``ProviderProblem``, which says what to do.
    package func check() async throws(ProviderProblem) {
        document = nil
        _ = try await readKeys()
    }

    /// The address at which the provider asks who is there.
    package func address(for request: ProviderRequest) async throws(ProviderProblem) -> String {
        let endpoint = try await readDocument().authorization
        let challenge = Base64URL.encode(Array(SHA256.hash(data: Data(request.verifier.utf8))))
        var query = FormText.encoded([
            "response_type": "code", "client_id": settings.clientID, "redirect_uri": request.redirectURI,
            "scope": (["openid"] + settings.scopes.filter { $0 != "openid" }).joined(separator: " "),
            "state": request.state, "nonce": request.nonce, "code_challenge": challenge,
            "code_challenge_method": "S256",
        ])
        // Not 0 seconds: with these some providers ask again for ever. The token's auth_time is checked in any case.
        if request.isFresh { query += "&" + FormText.encoded(["prompt": "login", "max_age": "5"]) }
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    /// Finds out who signed in.
    ///
    /// - Parameters:
    ///   - answer: What the provider led back with.
    ///   - request: What the same browser began.
    /// - Returns: The account.
    /// - Throws: ``ProviderProblem``.
    package func account(
        _ answer: ProviderReturn,
        of request: ProviderRequest
    ) async throws(ProviderProblem) -> ProviderAccount {
        guard let state = answer.state, Self.isSame(state, request.state) else {
            throw .untrusted("The answer belongs to another sign-in (state).")
        }
        let document = try await readDocument()
        guard answer.issuer == settings.issuer || answer.issuer == nil && !document.namesIssuer else {
            throw .untrusted("The answer is of another issuer (iss).")
        }
        if let error = answer.error {
            throw .refused(code: String(error.prefix(100)), text: answer.errorText.map { String($0.prefix(500)) })
        }
        guard let code = answer.code, !code.isEmpty else { throw .untrusted("The answer has no code.") }
        let tokens = try await redeem(code, request, document)
        let token = try IDToken(tokens.idToken)
        try await checkSignature(of: token)
        let claims = try token.claims(
            TokenExpectation(
                issuer: settings.issuer,
                clientID: settings.clientID,
                nonce: request.nonce,
                accessToken: tokens.accessToken,
                now: now(),
                provedSince: request.isFresh ? request.begunAt : nil
            )
        )
        return try await account(claims, tokens.accessToken, document)
    }

    // MARK: - Private

    private struct Tokens: Sendable {
        let idToken: String
        let accessToken: String?
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        let key = SymmetricKey(size: .bits256)
        let code = HMAC<SHA256>.authenticationCode(for: Data(one.utf8), using: key)
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Data(other.utf8), using: key)
    }

    private func readDocument() async throws(ProviderProblem) -> ProviderDocument {
        let time = now()
        if let document, time >= document.at, time - document.at < Self.keptTime { return document.value }
        let answer = try await http.ask(ProviderQuestion(url: settings.discoveryURL))
        guard answer.status == 200 else {
            throw .misconfigured(
                "\(settings.discoveryURL) answered \(answer.status): is \(settings.issuer) the provider's issuer?"
            )
        }
        let value = try ProviderDocument(json: answer.body, settings)
        document = (value, time)
        return value
    }

    private func readKeys() async throws(ProviderProblem) -> KeySet {
        let address = try await readDocument().keys
        let time = now()
        askedKeysAt = time
        let answer = try await http.ask(ProviderQuestion(url: address))
        guard answer.status == 200, let set = KeySet(json: answer.body) else {
            throw .unreachable("The provider's keys at \(address) cannot be read (status \(answer.status)).")
        }
        keys = (set, time)
        return set
    }

    private func checkSignature(of token: IDToken) async throws(ProviderProblem) {
        var set: KeySet
        let time = now()
        if let keys, time >= keys.at, time - keys.at < Self.keptTime {
            set = keys.value
        } else {
            set = try await readKeys()
        }
        var isSigned = await token.isSigned(by: set)
        if isSigned == nil, askedKeysAt.map({ time - $0 >= Self.keyInterval || time < $0 }) ?? true {
            // The provider has a new key.
            set = try await readKeys()
            isSigned = await token.isSigned(by: set)
        }
        switch isSigned {
        case true?: return
        case false?: throw .untrusted("The ID token's signature is wrong.")
        case nil: throw .untrusted("The ID token is signed with a key that the provider does not publish (kid).")
        }
    }

    private func redeem(
        _ code: String,
        _ request: ProviderRequest,
        _ document: ProviderDocument
    ) async throws(ProviderProblem) -> Tokens {
        var question = ProviderQuestion(url: document.token)
        var form = FormText.encoded([
            "grant_type": "authorization_code", "code": code, "redirect_uri": request.redirectURI,
            "code_verifier": request.verifier, "client_id": settings.clientID,
        ])
        if let secret = settings.clientSecret {
            if document.takesBasic {
                let pair = FormText.escaped(settings.clientID) + ":" + FormText.escaped(secret)
                question.authorization = "Basic " + Data(pair.utf8).base64EncodedString()
            } else {
                form += "&" + FormText.encoded(["client_secret": secret])
            }
        }
        question.form = form
        let answer = try await http.ask(question)
        let object = (try? JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]) ?? [:]
        guard answer.status == 200, let token = object["id_token"] as? String else {
            let error = object["error"] as? String
            throw .refused(
                code: String((error ?? "status \(answer.status), no id_token").prefix(100)),
                text: (object["error_description"] as? String).map { String($0.prefix(500)) }
            )
        }
        return Tokens(idToken: token, accessToken: object["access_token"] as? String)
    }

    /// Reads what is known of the person; what the token does not have is asked for.
    private func account(
        _ claims: TokenClaims,
        _ accessToken: String?,
        _ document: ProviderDocument
    ) async throws(ProviderProblem) -> ProviderAccount {
        let subject = claims.text("sub") ?? ""
        var account = ProviderAccount(issuer: settings.issuer, subject: subject)
        var further: TokenClaims?
        if !claims.has(settings.groupsClaim) || !claims.has("email"), let place = document.userInfo, let accessToken {
            let question = ProviderQuestion(url: place, authorization: "Bearer " + accessToken)
            let answer = try await http.ask(question)
            further = answer.status == 200 ? TokenClaims(json: answer.body) : nil
            // Section 5.3.2: of somebody else it must not be used.
            if let read = further, read.text("sub") != subject { further = nil }
        }
        func source(_ name: String) -> TokenClaims? { claims.has(name) ? claims : further }
        account.groups = Array((source(settings.groupsClaim)?.texts(settings.groupsClaim) ?? []).prefix(1_000))
        if let mail = source("email"), mail.flag("email_verified") == true {
            account.verifiedAddress = mail.text("email")
        }
        account.preferredName = source("preferred_username")?.text("preferred_username")
        account.displayName = source("name")?.text("name")
        return account
    }
}
