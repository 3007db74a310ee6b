import ArgumentParser
import Foundation
import Testing

@testable import CarillonCommand

struct CredentialOptionsTests {
    private static let rest = ["--message", "m", "--topic", "com.example.app", "--outcomes", "o.csv"]

    private func message(_ arguments: [String]) -> String? {
        do {
            _ = try SendCommand.parse(arguments + Self.rest)
            return nil
        } catch {
            return SendCommand.message(for: error)
        }
    }

    @Test("A key or a certificate is required, not both")
    func exclusion() {
        let key = ["--key", "k.p8", "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ"]
        #expect(message(key) == nil)
        #expect(message(["--certificate", "c.p12"]) == nil)
        let pem = ["--certificate", "c.pem", "--certificate-key", "k.pem", "--passphrase-file", "p"]
        #expect(message(pem) == nil)
        #expect(message(key + ["--certificate", "c.p12"])?.contains("either --key") == true)
        #expect(message([])?.contains("either --key") == true)
        #expect(message(["--key", "k.p8"])?.contains("--key needs --key-id") == true)
        #expect(message(["--certificate", "c.p12", "--key-id", "A"])?.contains("belong to --key.") == true)
        #expect(message(key + ["--passphrase-file", "p"])?.contains("belong to --certificate") == true)
    }

    @Test("An unusable certificate is reported with its file")
    func unusable() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).p12").path
        try "no bundle".write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        for (file, words) in [(path, "neither PEM nor a PKCS #12 bundle"), (path + ".gone", "it cannot be read")] {
            let credentials = try CredentialOptions.parse(["--certificate", file])
            let error = #expect(throws: ValidationError.self) { _ = try credentials.credential() }
            #expect(error?.message.contains(file) == true && error?.message.contains(words) == true)
        }
    }

    @Test("P-44 a malformed proxy is reported without its password")
    func proxy() {
        let arguments = ["--certificate", "c.p12", "--proxy"]
        #expect(message(arguments + ["http://user:hunter2@proxy.example:3128"]) == nil)
        let text = message(arguments + ["https://user:hunter2@proxy.example:3128"])
        #expect(text?.contains("a proxy's URL begins with http://") == true)
        #expect(text?.contains("hunter2") == false)
    }
}
