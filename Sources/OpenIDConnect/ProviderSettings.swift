/// An identity provider as the server's configuration names it.
package struct ProviderSettings: Hashable, Sendable {
    /// The provider's address, exactly as it names itself: `https://login.example.org/realms/staff`.
    package var issuer: String
    package var clientID: String
    /// `nil` for a client without one.
    package var clientSecret: String?
    /// What is asked for beside `openid`.
    package var scopes = ["profile", "email"]
    /// The claim with the groups of a person.
    package var groupsClaim = "groups"
    /// What the button for signing in calls the provider.
    package var name = "SSO"
    /// A PEM file with trusted roots for a provider of an inner network; `nil` for those of the system.
    package var rootsFile: String?

    /// Creates settings.
    package init(issuer: String, clientID: String, clientSecret: String?) {
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
    }

    /// The address of the document in which the provider says how it is asked.
    package var discoveryURL: String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }
}

/// Why nobody can be signed in by the provider.
package enum ProviderProblem: Error, Hashable, Sendable {
    /// The provider does not answer, or not as it must.
    case unreachable(String)
    /// The configuration does not fit the provider.
    case misconfigured(String)
    /// The provider refused, with a code and a text of its own, which are text of others.
    case refused(code: String, text: String?)
    /// What the provider said, or what pretends to be of it, is not believed.
    case untrusted(String)

    /// What is wrong, in a sentence for logs and for who administers the server.
    package var sentence: String {
        switch self {
        case .unreachable(let text), .misconfigured(let text), .untrusted(let text): text
        case .refused(let code, let text): "The provider refused: \(code)" + (text.map { " (\($0))" } ?? "")
        }
    }
}
