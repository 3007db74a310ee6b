import ApplePush
import Foundation

extension CredentialFileCheck {
    /// A key file of Apple's has fewer than 300 bytes.
    private static let fileLimit = 64 * 1024

    mutating func readKey(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: Self.fileLimit + 1)
        else {
            add(
                .bad(.keyFile, "it cannot be read", "Give the path of the .p8 file, and check that you may read it.")
            )
            return nil
        }
        let pem = String(decoding: data, as: UTF8.self)
        do throws(SigningKey.Problem) {
            guard data.count <= Self.fileLimit else { throw .notPEM }
            // The ids have a finding of their own.
            _ = try SigningKey(pem: pem, keyID: "A", teamID: "A")
        } catch {
            add(.bad(.keyFile, Self.text(error), Self.advice(error)))
            return nil
        }
        add(.good(.keyFile, "a private key of the curve P-256"))
        return pem
    }

    private static func text(_ problem: SigningKey.Problem) -> String {
        switch problem {
        case .notPEM: "it is no key file: there is no PEM block in it"
        case .notAPrivateKey: "it contains no private key, or an encrypted one"
        case .notP256: "it contains no complete private key of the curve P-256"
        case .badKeyID, .badTeamID: "it could not be tried"
        }
    }

    private static func advice(_ problem: SigningKey.Problem) -> String {
        switch problem {
        case .notPEM, .badKeyID, .badTeamID:
            "Give the file as Apple's developer account let you download it, AuthKey_….p8; it begins with a line "
                + "\"BEGIN PRIVATE KEY\"."
        case .notAPrivateKey:
            "Give the .p8 file of an APNs key; a certificate (.cer, .p12) or a public key is something else, and a key "
                + "with a password must be decrypted first."
        case .notP256:
            "The file is cut off or altered, or a key of another service: download it again, or make a new key with "
                + "APNs enabled."
        }
    }

    mutating func checkIDs(_ keyID: String, _ teamID: String, _ path: String) -> Bool {
        var wrong: [String] = []
        if !Self.isID(keyID) { wrong.append("--key-id") }
        if !Self.isID(teamID) { wrong.append("--team-id") }
        guard wrong.isEmpty else {
            add(
                .bad(
                    .ids,
                    "\(wrong.joined(separator: " and ")) must have 10 letters and digits",
                    "The key id stands on the key's page in Apple's developer account and in the file's name, the team id "
                        + "on the membership page."
                )
            )
            return false
        }
        let named = Self.keyID(inNameOf: path)
        if let named, named != keyID {
            add(
                .unknown(
                    .ids,
                    "the file is named for the key \(named), and --key-id is \(keyID)",
                    "One of them is wrong, unless the file was renamed."
                )
            )
        } else {
            add(.good(.ids, "key \(keyID), team \(teamID)"))
        }
        return true
    }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// The id in a file name of Apple's, `AuthKey_ABC123DEFG.p8`.
    private static func keyID(inNameOf path: String) -> String? {
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        guard name.hasPrefix("AuthKey_") else { return nil }
        let id = String(name.dropFirst("AuthKey_".count))
        return isID(id) ? id : nil
    }
}
