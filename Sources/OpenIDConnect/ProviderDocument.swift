import Foundation

/// What a provider says about itself (OpenID Connect Discovery 1.0).
struct ProviderDocument: Sendable {
    let authorization: String
    let token: String
    let keys: String
    /// `nil` for a provider without one.
    let userInfo: String?
    /// Whether the secret is sent in a header; else in the form.
    let takesBasic: Bool
    /// Whether answers name their issuer (RFC 9207).
    let namesIssuer: Bool

    /// Reads a document.
    ///
    /// - Throws: ``ProviderProblem``, which says what to do.
    init(json bytes: [UInt8], _ settings: ProviderSettings) throws(ProviderProblem) {
        let place = settings.discoveryURL
        guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
            throw .misconfigured("\(place) is no JSON object: is \(settings.issuer) the provider's issuer?")
        }
        let issuer = object["issuer"] as? String ?? ""
        guard issuer == settings.issuer else {
            throw .misconfigured(
                "The provider at \(place) calls itself \(issuer.prefix(200)), and console.oidc.issuer is "
                    + "\(settings.issuer): set console.oidc.issuer to exactly what the provider calls itself."
            )
        }
        let isEncrypted = settings.issuer.hasPrefix("https://")
        func address(_ name: String) -> String? {
            guard let text = object[name] as? String, let url = URL(string: text), url.host != nil, url.fragment == nil,
                url.scheme == "https" || url.scheme == "http" && !isEncrypted
            else { return nil }
            return text
        }
        guard let authorization = address("authorization_endpoint"), let token = address("token_endpoint"),
            let keys = address("jwks_uri")
        else {
            throw .misconfigured(
                "\(place) names no usable authorization_endpoint, token_endpoint and jwks_uri"
                    + (isEncrypted ? ", each with https." : ".")
            )
        }
        if let methods = object["code_challenge_methods_supported"] as? [String], !methods.contains("S256") {
            throw .misconfigured("The provider at \(place) has no PKCE with S256: switch it on for this client.")
        }
        (self.authorization, self.token, self.keys) = (authorization, token, keys)
        userInfo = address("userinfo_endpoint")
        let methods = object["token_endpoint_auth_methods_supported"] as? [String]
        takesBasic = methods.map { $0.contains("client_secret_basic") || !$0.contains("client_secret_post") } ?? true
        namesIssuer = object["authorization_response_iss_parameter_supported"] as? Bool ?? false
    }
}

/// Texts in forms and queries.
enum FormText {
    static func encoded(_ fields: KeyValuePairs<String, String>) -> String {
        fields.map { "\(escaped($0.key))=\(escaped($0.value))" }.joined(separator: "&")
    }

    static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                result += "%" + (hex.count == 1 ? "0" : "") + hex
            }
        }
    }
}
