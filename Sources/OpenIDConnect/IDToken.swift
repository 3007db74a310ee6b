import CarillonBytes
import Foundation

/// What a provider must have said.
struct TokenExpectation: Sendable {
    let issuer: String
    let clientID: String
    let nonce: String
    /// The access token that came with it.
    let accessToken: String?
    /// Seconds since 1970.
    let now: Int64
    /// The person must have proved who it is since then; `nil` when an earlier time will do.
    let provedSince: Int64?

    /// How far the clocks may differ, in seconds.
    static let tolerance: Int64 = 60
    /// How old a token may be that was asked for just now.
    static let maximumAge: Int64 = 600
}

/// An ID token (OpenID Connect Core 1.0, section 3.1.3.7).
struct IDToken: Sendable {
    /// The text as it came: `header.claims.signature`.
    let text: String
    let algorithm: SigningAlgorithm
    let keyID: String?
    private let claimsJSON: [UInt8]

    /// Reads a token; nothing of it is believed yet.
    init(_ text: String) throws(ProviderProblem) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 65_536, parts.count == 3, let header = Base64URL.decode(parts[0].utf8),
            let claims = Base64URL.decode(parts[1].utf8), !parts[2].isEmpty,
            let fields = try? JSONSerialization.jsonObject(with: Data(header)) as? [String: Any]
        else { throw .untrusted("The ID token cannot be read.") }
        guard let name = fields["alg"] as? String, let algorithm = SigningAlgorithm(rawValue: name) else {
            throw .untrusted("The ID token is not signed with an algorithm that is accepted.")
        }
        // An extension that must be understood.
        guard fields["crit"] == nil else { throw .untrusted("The ID token has an unknown critical extension.") }
        self.text = text
        self.algorithm = algorithm
        keyID = fields["kid"] as? String
        claimsJSON = claims
    }

    /// Whether one of the keys signed it; `nil` when none of them could have.
    func isSigned(by keys: KeySet) async -> Bool? {
        let candidates = keys.keys(named: keyID, for: algorithm)
        guard !candidates.isEmpty else { return nil }
        for key in candidates where await key.signed(text, algorithm) { return true }
        return false
    }

    /// Checks the claims of a token whose signature is right.
    ///
    /// - Returns: The claims.
    /// - Throws: ``ProviderProblem/untrusted(_:)`` naming the claim.
    func claims(_ expected: TokenExpectation) throws(ProviderProblem) -> TokenClaims {
        guard let claims = TokenClaims(json: claimsJSON) else { throw .untrusted("The ID token has no claims.") }
        guard claims.text("iss") == expected.issuer else {
            throw .untrusted("The ID token is of another issuer (iss).")
        }
        let audience = claims.texts("aud")
        guard audience.contains(expected.clientID) else {
            throw .untrusted("The ID token is for another client (aud).")
        }
        let party = claims.text("azp")
        guard party == expected.clientID || party == nil && audience.count == 1 && !claims.has("azp") else {
            throw .untrusted("The ID token was issued to another client (azp).")
        }
        try checkTimes(claims, expected)
        guard claims.text("nonce") == expected.nonce else {
            throw .untrusted("The ID token answers another request (nonce).")
        }
        if claims.has("at_hash") { try check(claims.text("at_hash"), of: expected.accessToken) }
        guard let subject = claims.text("sub"), !subject.isEmpty, subject.utf8.count <= 255 else {
            throw .untrusted("The ID token names nobody (sub).")
        }
        return claims
    }

    // MARK: - Private

    private func checkTimes(_ claims: TokenClaims, _ expected: TokenExpectation) throws(ProviderProblem) {
        let (now, tolerance) = (expected.now, TokenExpectation.tolerance)
        guard let end = claims.time("exp"), now < end + tolerance else {
            throw .untrusted("The ID token has expired (exp); compare the clocks of the provider and of this server.")
        }
        guard let issued = claims.time("iat"), issued <= now + tolerance,
            issued >= now - TokenExpectation.maximumAge
        else {
            throw .untrusted(
                "The ID token is not of now (iat); compare the clocks of the provider and of this server."
            )
        }
        if claims.has("nbf") {
            guard let start = claims.time("nbf"), start <= now + tolerance else {
                throw .untrusted("The ID token is not valid yet (nbf).")
            }
        }
        guard let since = expected.provedSince else { return }
        guard let proved = claims.time("auth_time"), proved >= since - tolerance, proved <= now + tolerance else {
            throw .untrusted("The provider did not ask anew who is there (auth_time).")
        }
    }

    private func check(_ hash: String?, of accessToken: String?) throws(ProviderProblem) {
        guard let hash, let accessToken, Base64URL.decode(hash.utf8) == algorithm.halfHash(of: accessToken) else {
            throw .untrusted("The ID token came with another access token (at_hash).")
        }
    }
}

/// What a provider says about a person.
struct TokenClaims: Sendable {
    private enum Value: Sendable, Decodable {
        case text(String)
        case number(Int64)
        case flag(Bool)
        case texts([String])
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Double.self), abs(number) < 1e15 {
                self = .number(Int64(number))
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let list = try? container.decode([Value].self) {
                self = .texts(
                    list.compactMap {
                        guard case .text(let text) = $0 else { return nil }
                        return text
                    }
                )
            } else {
                self = .other
            }
        }
    }

    private let values: [String: Value]

    /// Reads a JSON object.
    init?(json bytes: [UInt8]) {
        guard let values = try? JSONDecoder().decode([String: Value].self, from: Data(bytes)) else { return nil }
        self.values = values
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    func text(_ name: String) -> String? {
        guard case .text(let text)? = values[name] else { return nil }
        return text
    }

    /// A text, or a list of texts.
    func texts(_ name: String) -> [String] {
        switch values[name] {
        case .text(let text): [text]
        case .texts(let texts): texts
        default: []
        }
    }

    func time(_ name: String) -> Int64? {
        guard case .number(let number)? = values[name] else { return nil }
        return number
    }

    func flag(_ name: String) -> Bool? {
        guard case .flag(let flag)? = values[name] else { return nil }
        return flag
    }
}
