import OpenIDConnect

/// The form that leads to the provider.
struct ProviderForm: Sendable {
    let providerAction: String
    let providerButton: String
    /// What the form is for; `nil` when its address says so.
    let providerPurpose: String?

    init?(_ provider: IdentityProvider?, _ look: Look, _ text: String, action: String, purpose: String? = nil) {
        guard let provider else { return nil }
        providerAction = action
        providerButton = look.texts(text, ["name": provider.settings.name])
        providerPurpose = purpose
    }

    /// The form of the page for signing in.
    static func signIn(_ provider: IdentityProvider?, _ look: Look) -> ProviderForm? {
        ProviderForm(provider, look, "provider.signIn", action: ConsolePath.provider)
    }

    /// The form that proves anew who is signed in; `nil` for who has no account at the provider.
    static func again(
        _ provider: IdentityProvider?,
        _ look: Look,
        hasAccount: Bool
    ) -> ProviderForm? {
        guard hasAccount else { return nil }
        return ProviderForm(provider, look, "provider.again", action: ConsolePath.provider, purpose: "again")
    }
}

enum ProviderPages {
    /// The page that leads to the provider.
    struct LeaveView: PageView {
        static let template = "provider-leave"

        let heading: String
        let lead: String
        let address: String
        let button: String

        init(_ name: String, address: String, _ texts: Texts) {
            heading = texts("provider.leaveTitle", ["name": name])
            lead = texts("provider.leaveText", ["name": name])
            self.address = address
            button = texts("provider.leave", ["name": name])
        }
    }

    /// Why nobody was signed in.
    struct ProblemView: PageView {
        static let template = "provider-problem"

        let heading: String
        let lead: String
        /// What the provider says, in its own words.
        let saying: String?

        /// - Parameters:
        ///   - kind: The group of texts: `provider.down.title` and `.text`.
        ///   - name: What the provider is called.
        ///   - texts: The page's texts.
        ///   - saying: What the provider says.
        init(_ kind: Kind, _ name: String, _ texts: Texts, saying: String? = nil) {
            heading = texts("provider.\(kind.rawValue).title", ["name": name])
            lead = texts("provider.\(kind.rawValue).text", ["name": name])
            self.saying = saying
        }

        enum Kind: String, CaseIterable {
            case down, denied, untrusted, unknown, noRole, refused
        }
    }

    /// The page after signing out behind a proxy, which may still know who is there.
    struct EndedView: PageView {
        static let template = "signed-out"

        let heading: String
        /// `nil` when the proxy has no such address.
        let signOutURL: String?
    }
}
