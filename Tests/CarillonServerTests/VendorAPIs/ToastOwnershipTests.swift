import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Whose registration counts: what an app without the secret key must not move, and what a file must not overwrite.
struct ToastOwnershipTests {
    private func code(
        _ client: ToastClient,
        _ changes: [String: JSONValue?],
        secret: String? = nil
    ) async throws -> Int64? {
        try await client.send(.post, "tokens", try ToastClient.registration(changes), secret: secret).code
    }

    @Test("In a signed App a call without the secret key moves no User's pushes to another token")
    func pushes() async throws {
        try await ToastClient.run(identity: .signed) { client async throws in
            let own = JSONValue.string(ToastClient.token(9))
            #expect(try await code(client, [:], secret: ToastClient.secretKey) == 0)
            #expect(try await code(client, [:]) == 0)
            #expect(try await code(client, ["token": own]) == 40101)
            #expect(try await code(client, ["pushType": "APNS_SANDBOX"]) == 40101)
            #expect(try await client.token(1)?["uid"] == "u-1")
            #expect(try await client.token(9) == nil)
            #expect(try await code(client, ["token": own], secret: ToastClient.secretKey) == 0)
            #expect(try await client.token(9)?["uid"] == "u-1")
        }
    }

    @Test("In a signed App a call without the secret key moves no User's calls to another token")
    func calls() async throws {
        try await ToastClient.run(identity: .signed) { client async throws in
            func voip(_ byte: Int) -> [String: JSONValue?] {
                ["pushType": "APNS_VOIP", "token": .string(ToastClient.token(byte))]
            }
            #expect(try await code(client, [:], secret: ToastClient.secretKey) == 0)
            #expect(try await code(client, voip(9)) == 40101)
            #expect(try await code(client, voip(8), secret: ToastClient.secretKey) == 0)
            #expect(try await code(client, voip(8)) == 0)
            #expect(try await code(client, voip(9)) == 40101)
            #expect(try await client.token(8, "APNS_VOIP") != nil)
            #expect(try await client.token(9, "APNS_VOIP") == nil)
        }
    }

    @Test("In a signed App oldToken without the secret key moves no User", arguments: ["v2.0", "v2.1", "v2.2"])
    func oldTokens(_ version: String) async throws {
        try await ToastClient.run(identity: .signed) { client async throws in
            let client = client.of(version)
            #expect(try await code(client, ["deviceId": nil], secret: ToastClient.secretKey) == 0)
            let changes: [String: JSONValue?] = [
                "deviceId": nil, "token": .string(ToastClient.token(9)), "oldToken": .string(ToastClient.token(1)),
            ]
            #expect(try await code(client, changes) == 40101)
            #expect(try await client.token(1)?["uid"] == "u-1")
            #expect(try await client.token(9) == nil)
            #expect(try await code(client, changes, secret: ToastClient.secretKey) == 0)
            #expect(try await client.token(9)?["uid"] == "u-1")
        }
    }

    private func importLine(
        _ client: ToastClient,
        _ byte: Int,
        language: String,
        isDryRun: Bool = false
    ) async throws -> ImportReport {
        let line =
            #"{"registration":{"token":"\#(ToastClient.token(byte))","user":"u-1","language":"\#(language)","#
            + #""country":"KR","timeZone":"Asia/Seoul","consent":{"notifications":true,"ads":true,"nightAds":true}}}"#
        let parts = AsyncStream { parts in
            parts.yield(Array((line + "\n").utf8))
            parts.finish()
        }
        return try await client.server.engine.registry.imports.importDevices(
            parts,
            app: client.app,
            format: .jsonLines,
            isDryRun: isDryRun
        )
    }

    @Test("An import after the switch leaves what phones registered here alone, a refused consent too")
    func imports() async throws {
        try await ToastClient.run { client async throws in
            try await client.register(1, uid: "u-1", ["isAdAgreement": false, "isNightAdAgreement": false])

            #expect(try await importLine(client, 1, language: "ja", isDryRun: true).registered == 1)
            #expect(try await importLine(client, 1, language: "ja").registered == 1)

            let record = try #require(try await client.token(1))
            #expect(record["isAdAgreement"] == false && record["isNightAdAgreement"] == false)
            #expect(record["language"] == "ko")
        }
    }

    @Test("An imported device is replaced by the next import, until its phone registers, with the same values too")
    func importsAgain() async throws {
        try await ToastClient.run { client async throws in
            #expect(try await importLine(client, 1, language: "ja").added == 1)
            #expect(try await importLine(client, 1, language: "ko").replaced == 1)
            let same = try ToastClient.registration(["deviceId": nil])
            #expect(try await client.of("v2.2").send(.post, "tokens", same, secret: nil).code == 0)

            #expect(try await importLine(client, 1, language: "ja").registered == 1)
            #expect(try await client.token(1)?["language"] == "ko")
        }
    }
}
