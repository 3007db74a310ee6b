import ApplePushSimulator
import ArgumentParser
import Foundation
import Testing

@testable import CarillonCommand

struct DoctorCommandTests {
    private static let key = ["--key", "k.p8", "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ"]
    private static let topic = ["--topic", "com.example.app"]

    private func check(_ certificate: String, key: String? = nil, passphrase: String? = nil) -> CredentialFileCheck {
        CredentialFileCheck(
            .certificate(path: certificate, keyPath: key, passphraseFile: passphrase),
            topic: "com.example.app"
        )
    }

    @Test("The doctor accepts a key or a certificate, and sends visibly only to a given device")
    func options() throws {
        let good: [[String]] = [
            Self.key + Self.topic, ["--certificate", "c.p12"] + Self.topic,
            Self.key + Self.topic + ["--token", "ab12", "--send", "--environment", "sandbox", "--json"],
            Self.key + Self.topic + ["--server", "https://localhost:2197", "--ca", "ca.pem"],
        ]
        for arguments in good { _ = try DoctorAPNsCommand.parse(arguments) }
        let bad: [[String]] = [
            Self.topic, Self.key, Self.key + Self.topic + ["--certificate", "c.p12"],
            ["--key", "k.p8", "--key-id", "ABC123DEFG"] + Self.topic, Self.key + Self.topic + ["--send"],
            Self.key + Self.topic + ["--token", "abc"], Self.key + Self.topic + ["--token", "00 11"],
            Self.key + Self.topic + ["--server", "http://localhost"], Self.key + Self.topic + ["--timeout", "0"],
            Self.key + Self.topic + ["--environment", "moon"],
        ]
        for arguments in bad {
            #expect(throws: (any Error).self, "\(arguments)") { try DoctorAPNsCommand.parse(arguments) }
        }
    }

    @Test("The command's options reach the simulator")
    func command() async throws {
        let apns = try SimulatedAPNs { $0.rules.deviceTokens = .strict }
        try await apns.run { port in
            let command = try DoctorAPNsCommand.parse(
                [
                    "--key", apns.keyFile, "--key-id", SimulatedAPNs.keyID, "--team-id", SimulatedAPNs.teamID,
                    "--server", "https://localhost:\(port)", "--ca", apns.caFile, "--timeout", "60",
                ] + Self.topic
            )
            let report = try await command.examine()
            #expect(report.isHealthy && report.server == "localhost:\(port)", "\(report.text)")
        }
    }

    @Test("A certificate file that is missing, malformed, without its key, with another's, or expired")
    func certificates() throws {
        let apns = try SimulatedAPNs()
        defer { try? FileManager.default.removeItem(at: apns.folder) }
        let identity = try StrangeServer.Identity()
        let expired = try StrangeServer.Identity(end: -60)
        let chain = try apns.write(identity.pem, to: "chain.pem")
        let key = try apns.write(identity.keyPEM, to: "key.pem")
        let both = try apns.write(identity.pem + "\n" + identity.keyPEM, to: "both.pem")

        for good in [check(chain, key: key), check(both)] {
            #expect(good.credential?.identity != nil && good.findings.allSatisfy { $0.verdict == .good })
        }
        for (bad, words) in [
            (check("/nowhere/c.p12"), "cannot be read"), (check(try apns.write("hello", to: "x.p12")), "neither PEM"),
            (check(chain), "no private key"),
            (check(chain, key: try apns.write(expired.keyPEM, to: "y")), "not that of"),
            (check(try apns.write(expired.pem + "\n" + expired.keyPEM, to: "z")), "expired"),
            (check(both, passphrase: "/nowhere/secret"), "passphrase cannot be read"),
        ] {
            let finding = try #require(bad.findings.first)
            #expect(bad.credential == nil && finding.verdict == .bad && finding.advice?.hasSuffix(".") == true)
            #expect(finding.text.contains(words), "\(finding.text)")
        }
    }
}
