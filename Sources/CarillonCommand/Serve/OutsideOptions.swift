import ArgumentParser
import Configuration

/// The flags of `carillon serve` for identity providers and proxies that sign Operators in.
struct OutsideOptions: ParsableArguments {
    @Option(
        help: .setting(
            .consolePasswords,
            "Whose passwords sign in at the console: everybody, or admins of all Apps alone."
        )
    )
    var consolePasswords: String?

    @Option(
        help: .setting(
            .consoleGroups,
            "The role of a group of the identity provider or proxy, as GROUP=ROLE or GROUP=ROLE@APP. It may be given several times."
        )
    )
    var consoleGroup: [String] = []

    @Flag(help: .setting(.consoleProvision, "Make an Operator of somebody unknown whose group has a role."))
    var consoleProvision = false

    @Flag(help: .setting(.consoleRolesFollowGroups, "Replace the roles by those of the groups at each sign-in."))
    var consoleRolesFollowGroups = false

    @Flag(
        help: .setting(
            .consoleOwnSecondFactor,
            "Ask for the second factor of the console after the identity provider or proxy too."
        )
    )
    var consoleOwnSecondFactor = false

    @Option(
        help: .setting(
            .consoleOIDCIssuer,
            "The issuer of the OpenID provider that signs Operators in, exactly as it calls itself."
        )
    )
    var consoleOidcIssuer: String?

    @Option(help: .setting(.consoleOIDCClientID, "The id of the console at the provider."))
    var consoleOidcClientId: String?

    @Option(help: .setting(.consoleOIDCClientSecretFile, "The file with the client secret."))
    var consoleOidcClientSecretFile: String?

    @Option(
        help: .setting(.consoleOIDCScopes, "A scope that is asked for beside openid. It may be given several times.")
    )
    var consoleOidcScope: [String] = []

    @Option(help: .setting(.consoleOIDCGroupsClaim, "The claim with the groups of a person."))
    var consoleOidcGroupsClaim: String?

    @Option(help: .setting(.consoleOIDCName, "What the button for signing in calls the provider."))
    var consoleOidcName: String?

    @Option(help: .setting(.consoleOIDCCAFile, "Trusted root certificates of the provider, a PEM file."))
    var consoleOidcCaFile: String?

    @Option(
        help: .setting(.consoleProxyUserHeader, "The header field in which a proxy names the Operator by the address.")
    )
    var consoleProxyUserHeader: String?

    @Option(
        help: .setting(
            .consoleProxyAddresses,
            "An address or block of the proxies whose field counts. It may be given several times."
        )
    )
    var consoleProxyAddress: [String] = []

    @Option(help: .setting(.consoleProxyGroupsHeader, "The header field with the groups, separated by commas."))
    var consoleProxyGroupsHeader: String?

    @Option(help: .setting(.consoleProxySignOutURL, "The address where the proxy signs somebody out."))
    var consoleProxySignOutUrl: String?

    /// The given flags.
    var values: [ServerSetting: ConfigValue] { rules.merging(sources) { $1 } }

    private var rules: [ServerSetting: ConfigValue] {
        var values: [ServerSetting: ConfigValue] = [:]
        if let consolePasswords { values[.consolePasswords] = ConfigValue(.string(consolePasswords), isSecret: false) }
        if !consoleGroup.isEmpty { values[.consoleGroups] = ConfigValue(.stringArray(consoleGroup), isSecret: false) }
        if consoleProvision { values[.consoleProvision] = ConfigValue(.bool(true), isSecret: false) }
        if consoleRolesFollowGroups { values[.consoleRolesFollowGroups] = ConfigValue(.bool(true), isSecret: false) }
        if consoleOwnSecondFactor { values[.consoleOwnSecondFactor] = ConfigValue(.bool(true), isSecret: false) }
        return values
    }

    private var sources: [ServerSetting: ConfigValue] {
        var values: [ServerSetting: ConfigValue] = [:]
        if let consoleOidcIssuer {
            values[.consoleOIDCIssuer] = ConfigValue(.string(consoleOidcIssuer), isSecret: false)
        }
        if let consoleOidcClientId {
            values[.consoleOIDCClientID] = ConfigValue(.string(consoleOidcClientId), isSecret: false)
        }
        if let consoleOidcClientSecretFile {
            values[.consoleOIDCClientSecretFile] = ConfigValue(.string(consoleOidcClientSecretFile), isSecret: false)
        }
        if !consoleOidcScope.isEmpty {
            values[.consoleOIDCScopes] = ConfigValue(.stringArray(consoleOidcScope), isSecret: false)
        }
        if let consoleOidcGroupsClaim {
            values[.consoleOIDCGroupsClaim] = ConfigValue(.string(consoleOidcGroupsClaim), isSecret: false)
        }
        if let consoleOidcName { values[.consoleOIDCName] = ConfigValue(.string(consoleOidcName), isSecret: false) }
        if let consoleOidcCaFile {
            values[.consoleOIDCCAFile] = ConfigValue(.string(consoleOidcCaFile), isSecret: false)
        }
        if let consoleProxyUserHeader {
            values[.consoleProxyUserHeader] = ConfigValue(.string(consoleProxyUserHeader), isSecret: false)
        }
        if !consoleProxyAddress.isEmpty {
            values[.consoleProxyAddresses] = ConfigValue(.stringArray(consoleProxyAddress), isSecret: false)
        }
        if let consoleProxyGroupsHeader {
            values[.consoleProxyGroupsHeader] = ConfigValue(.string(consoleProxyGroupsHeader), isSecret: false)
        }
        if let consoleProxySignOutUrl {
            values[.consoleProxySignOutURL] = ConfigValue(.string(consoleProxySignOutUrl), isSecret: false)
        }
        return values
    }
}
