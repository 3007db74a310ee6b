import CarillonModel
import CarillonOperatorModel
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOConcurrencyHelpers
import NIOCore
import Testing

/// What an operator reads who sends a wrong push key: the field, what is wrong with it, and what to do.
struct PushKeyMessageTests {
    private static let good = P256.Signing.PrivateKey().pemRepresentation

    private func errors(_ fields: [String: String]) async throws -> [String: String] {
        let found = NIOLockedValueBox<[String: String]>([:])
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            var body = ["keyID": "ABC123DEFG", "teamID": "DEF123GHIJ", "privateKey": Self.good]
            body.merge(fields) { $1 }
            let text = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
            let answer = try await server.send(.put, "/v1/apps/\(app)/push-key", text, key: server.serverKey)
            #expect(!String(buffer: answer.body).contains(Self.good.split(separator: "\n")[1]))
            let problem = try? answer.decoded(Problem.self)
            let errors = Dictionary((problem?.errors ?? []).map { ($0.field, $0.problem) }) { $0 + "; " + $1 }
            found.withLockedValue { $0 = errors }
        }
        return found.withLockedValue { $0 }
    }

    @Test(
        "A file that is no push key is named, with where the right one is",
        arguments: [
            (
                "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
                "is a certificate, or a request for one"
            ),
            ("Bag Attributes\n-----BEGIN CERTIFICATE REQUEST-----\nM\n", "is a certificate, or a request for one"),
            ("-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n", "is a public key"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n", "is an RSA key"),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIE\n-----END ENCRYPTED PRIVATE KEY-----", "is encrypted with"),
            ("0\u{FFFD}\u{FFFD}\u{5}\u{0}", "is not a text file; files such as .p12 and .cer"),
            ("AuthKey_ABC123DEFG.p8", "is the name of a file, not its text"),
            ("MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQg", "has no line -----BEGIN PRIVATE KEY-----"),
            ("-----BEGIN PRIVATE KEY-----\nMIGT\n", "is cut off"),
            ("-----BEGIN PRIVATE KEY----- MIGT -----END PRIVATE KEY-----", "has lost its line breaks"),
            ("-----BEGIN PRIVATE KEY-----\nMIGT\n-----END PRIVATE KEY-----\n", "is damaged, or a key of another kind"),
            (P521.Signing.PrivateKey().pemRepresentation, "is a private key, but not of the curve P-256"),
            ("", "is empty"),
        ]
    )
    func wrongFiles(_ text: String, _ words: String) async throws {
        let errors = try await errors(["privateKey": text])

        #expect(errors.keys.sorted() == ["privateKey"])
        let problem = try #require(errors["privateKey"])
        #expect(problem.hasPrefix(words) && problem.hasSuffix("offers once, under Keys"), "\(problem)")
    }

    @Test(
        "An id's error says what is wrong with it, and where it is",
        arguments: [
            ("keyID", "ABC123DEF", "has 9 characters: the key's id, in the name of Apple's file"),
            ("keyID", "abc123defg", "has small letters: the key's id"),
            ("keyID", "ABC-23DEFG", "has other characters: the key's id"),
            ("teamID", "def123ghij", "has small letters: the team's id, in Apple's developer account"),
            ("teamID", "com.example.app", "has 15 characters: the team's id"),
        ]
    )
    func wrongIDs(_ field: String, _ value: String, _ words: String) async throws {
        let errors = try await errors([field: value])

        #expect(errors.keys.sorted() == [field])
        #expect(errors[field]?.hasPrefix("must be ten capital letters and digits, and " + words) == true, "\(errors)")
    }

    @Test("All mistakes are reported at once; one id in both places is one of them")
    func allAtOnce() async throws {
        let all = try await errors(["keyID": "A", "teamID": "a", "privateKey": "x"])
        #expect(all.keys.sorted() == ["keyID", "privateKey", "teamID"])
        let same = try await errors(["teamID": "ABC123DEFG"])
        #expect(same == ["teamID": "must be the team's id, and is the key's"])
    }

    @Test("A missing or extended topic is explained")
    func topics() async throws {
        try await TestServer.run { server in
            for (fields, words) in [
                (#""name":"x""#, "is required: the app's bundle id in Xcode"),
                (#""name":"x","bundleID":"com.example.app.voip""#, "must be without the ending of a topic"),
                (#""name":"x","bundleID":"My App""#, "must be letters, digits, hyphens and dots: the app's bundle id"),
            ] {
                let answer = try await server.send(.post, "/v1/apps", "{\(fields)}", key: server.serverKey)
                let errors = try answer.decoded(Problem.self).errors ?? []
                #expect(errors.map(\.field) == ["bundleID"])
                #expect(errors.first?.problem.hasPrefix(words) == true, "\(errors)")
                #expect(errors.first?.problem.hasSuffix("is the topic of its pushes") == true)
            }
        }
    }
}
