import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import OpenIDConnect
import Testing

@testable import CarillonCommand

/// Settings of identity providers and proxies.
struct OutsideSettingsTests {
    private func configuration(_ arguments: [String]) async throws -> ServerConfiguration {
        let flags = try ServeOptions.parse(arguments).values
        let settings = try await ServerSettings(flags: flags, environment: [:], file: nil)
        return try ServerConfiguration(settings, folder: URL(filePath: "/nofolder"))
    }

    @Test("A provider and the roles of groups are read")
    func provider() async throws {
        let read = try await configuration([
            "--console-oidc-issuer", "https://login.example.org", "--console-oidc-client-id", "c1",
            "--console-group", "a=b=admin", "--console-group", "news=sender@app_0fk2m9q3tw7x",
            "--console-passwords", "admins", "--console-oidc-scope", "groups",
        ])
        #expect(read.identityProvider?.issuer == "https://login.example.org")
        #expect(read.identityProvider?.scopes == ["groups"])
        let rules = read.operators.outside
        #expect(rules.passwords == .admins && !rules.provisions)
        #expect(rules.roles(of: ["a=b"]).everywhere == .admin)
        #expect(rules.roles(of: ["news"]).apps.map(\.role) == [.sender])
    }

    @Test(
        "What would let in everybody, or nobody, is refused with what to do",
        arguments: [
            (["--console-oidc-issuer", "login.example.org"], "console.oidc.issuer"),
            (["--console-oidc-issuer", "https://login.example.org"], "console.oidc.clientId"),
            (["--console-passwords", "admins"], "console.oidc.issuer"),
            (["--console-group", "a=root"], "console.groups"),
            (["--console-proxy-user-header", "X-User"], "console.proxy.addresses"),
            (
                ["--console-proxy-user-header", "X-User", "--console-proxy-address", "all"],
                "console.proxy.addresses"
            ),
            (
                [
                    "--console-oidc-issuer", "https://login.example.org", "--console-oidc-client-id", "c1",
                    "--console-oidc-client-secret-file", "/nofile",
                ], "console.oidc.clientSecretFile"
            ),
        ]
    )
    func refused(_ arguments: [String], _ setting: String) async throws {
        let failure = await #expect(throws: ServerSettings.Failure.self) { try await configuration(arguments) }
        #expect(failure?.description.contains(setting) == true)
    }
}
