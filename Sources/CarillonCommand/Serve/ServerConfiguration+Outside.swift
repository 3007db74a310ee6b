import CarillonConsole
import CarillonEngine
import CarillonServer
import Foundation
import Logging
import NIOSSL
import OpenIDConnect
import ServiceLifecycle

extension ServerConfiguration {
    /// Reads who vouches for Operators: an identity provider, a proxy, or none.
    mutating func readOutside(_ settings: ServerSettings) throws {
        var outside = OutsideRules()
        outside.groupRoles = try settings.texts(.consoleGroups).map { text in
            guard let rule = GroupRole(text) else {
                throw ServerSettings.Failure(
                    description:
                        "console.groups must have GROUP=ROLE or GROUP=ROLE@APP, with a role of viewer, editor, "
                        + "sender, admin; this is none: \(text)"
                )
            }
            return rule
        }
        if let provisions = try settings.flag(.consoleProvision) { outside.provisions = provisions }
        if let follow = try settings.flag(.consoleRolesFollowGroups) { outside.rolesFollow = follow }
        if let asks = try settings.flag(.consoleOwnSecondFactor) { outside.asksForOwnFactor = asks }
        if let passwords = try settings.word(.consolePasswords, OutsideRules.Passwords.self) {
            outside.passwords = passwords
        }
        operators.outside = outside
        identityProvider = try Self.provider(settings)
        let proxy = try Self.proxy(settings)
        console?.outside.proxy = proxy
        guard identityProvider == nil, proxy == nil else { return }
        if outside.provisions || outside.rolesFollow || !outside.groupRoles.isEmpty || outside.passwords == .admins {
            throw ServerSettings.Failure(
                description:
                    "console.groups, console.provision, console.rolesFollowGroups and console.passwords=admins "
                    + "need console.oidc.issuer or console.proxy.userHeader."
            )
        }
    }

    // MARK: - Private

    private static func provider(_ settings: ServerSettings) throws -> ProviderSettings? {
        guard let issuer = try settings.text(.consoleOIDCIssuer) else { return nil }
        guard let url = URL(string: issuer), ["http", "https"].contains(url.scheme), url.host != nil, url.query == nil,
            url.fragment == nil
        else { throw ServerSettings.Failure(description: "console.oidc.issuer must be an address with https.") }
        guard let client = try settings.text(.consoleOIDCClientID) else {
            throw ServerSettings.Failure(description: "console.oidc.clientId must be given with console.oidc.issuer.")
        }
        let secret = try settings.text(.consoleOIDCClientSecretFile).map(secret)
        var provider = ProviderSettings(issuer: issuer, clientID: client, clientSecret: secret)
        let scopes = try settings.texts(.consoleOIDCScopes)
        if !scopes.isEmpty { provider.scopes = scopes }
        if let claim = try settings.text(.consoleOIDCGroupsClaim) { provider.groupsClaim = claim }
        if let name = try settings.text(.consoleOIDCName) { provider.name = name }
        provider.rootsFile = try settings.text(.consoleOIDCCAFile)
        if let file = provider.rootsFile, (try? NIOSSLCertificate.fromPEMFile(file))?.isEmpty != false {
            throw ServerSettings.Failure(
                description: "console.oidc.caFile: cannot read certificates from \(file). Give a PEM file."
            )
        }
        return provider
    }

    /// The text of a file, without the end of its line.
    private static func secret(in file: String) throws -> String {
        let text = (try? String(contentsOfFile: file, encoding: .utf8))?.trimmingCharacters(in: .newlines)
        guard let text, !text.isEmpty else {
            throw ServerSettings.Failure(
                description: "console.oidc.clientSecretFile: cannot read a secret from \(file)."
            )
        }
        return text
    }

    private static func proxy(_ settings: ServerSettings) throws -> ProxyHeader? {
        guard let field = try settings.text(.consoleProxyUserHeader) else { return nil }
        let texts = try settings.texts(.consoleProxyAddresses)
        guard !texts.isEmpty, let proxies = TrustedProxies(texts) else {
            throw ServerSettings.Failure(
                description: "console.proxy.addresses must be addresses or blocks as 10.0.0.0/8: of others anybody "
                    + "could send console.proxy.userHeader."
            )
        }
        let signOut = try settings.text(.consoleProxySignOutURL)
        if let signOut, URL(string: signOut)?.scheme.map({ ["http", "https"].contains($0) }) != true {
            throw ServerSettings.Failure(description: "console.proxy.signOutUrl must be an address with https.")
        }
        return ProxyHeader(
            userField: field,
            groupsField: try settings.text(.consoleProxyGroupsHeader),
            signOutURL: signOut,
            isProxy: proxies.contains
        )
    }
}

extension IdentityProvider {
    /// The provider of a configuration; `nil` without one.
    static func configured(_ settings: ProviderSettings?) -> IdentityProvider? {
        settings.map { settings in
            IdentityProvider(settings, http: BoundedProviderHTTP(rootsFile: settings.rootsFile)) {
                Int64(Date().timeIntervalSince1970)
            }
        }
    }
}

/// Asks the identity provider once when the server starts, so that a wrong setting is in the log before somebody signs in.
///
/// The server runs without it: admins sign in with their passwords.
struct ProviderCheck: Service {
    let provider: IdentityProvider
    let logger: Logger

    func run() async throws {
        do throws(ProviderProblem) {
            try await provider.check()
            logger.info("The identity provider answers", metadata: ["carillon.issuer": "\(provider.settings.issuer)"])
        } catch {
            logger.error(
                "Nobody can be signed in by the identity provider",
                metadata: [
                    "carillon.reason": "\(error.sentence)",
                    "carillon.remedy":
                        "Until then admins sign in with passwords; carillon doctor server checks it again.",
                ]
            )
        }
        try? await gracefulShutdown()
    }
}
