import CarillonBytes
import Foundation
import Testing

@testable import CarillonEngine

@Suite struct SecretTests {
    @Test("A secret is a prefix and 32 random bytes") func secretFormat() {
        let secret = Secret.text(prefix: "ck")

        #expect(secret.hasPrefix("ck_"))
        #expect(secret.count == 46)
        #expect(Base64URL.decode(String(secret.dropFirst(3)).utf8)?.count == 32)
        #expect(Secret.text(prefix: "ck") != secret)
    }

    @Test(
        "base64url agrees with Foundation in both directions",
        arguments: [[], [0], [255, 254], [1, 2, 3], Array(0...255)] as [[UInt8]]
    )
    func agreesWithFoundation(_ bytes: [UInt8]) {
        let expected = Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")

        #expect(Base64URL.encode(bytes) == expected)
        #expect(Base64URL.decode(expected.utf8) == bytes)
    }

    @Test("Invalid base64url is refused", arguments: ["a", "a b=", "ab+/", "é", "abcde"])
    func refusesInvalidText(_ text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }

    @Test("A hash is SHA-256 of the text") func hashesWithSHA256() throws {
        let hash = SecretHash(of: "abc")

        let hexadecimal = hash.withUnsafeBytes { $0.map { String(format: "%02x", $0) }.joined() }

        #expect(hexadecimal == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(hash.withUnsafeBytes { SecretHash(bytes: $0) } == hash)
        #expect(hash != SecretHash(of: "abd"))
        #expect([UInt8](repeating: 0, count: 31).withUnsafeBytes { SecretHash(bytes: $0) } == nil)
    }

    @Test("The vault opens a value only with the purpose that it was sealed with") func checksPurposes() throws {
        let vault = try #require(Vault(masterKey: Array(repeating: 1, count: 32)))
        let other = try #require(Vault(masterKey: Array(repeating: 2, count: 32)))

        let sealed = try vault.seal([1, 2, 3], purpose: "a")
        var damaged = sealed
        damaged[damaged.count - 1] ^= 1

        #expect(vault.open(sealed, purpose: "a") == [1, 2, 3])
        #expect(vault.open(sealed, purpose: "b") == nil)
        #expect(other.open(sealed, purpose: "a") == nil)
        #expect(vault.open(damaged, purpose: "a") == nil)
        #expect(vault.open([], purpose: "a") == nil)
        #expect(try vault.seal([1, 2, 3], purpose: "a") != sealed)
        #expect(Vault(masterKey: [1]) == nil)
    }
}
