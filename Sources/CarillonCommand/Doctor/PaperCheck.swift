import ApplePush
import Foundation

/// What can be seen without the network: key file, ids, topic.
struct PaperCheck {
    /// A key file of Apple's has fewer than 300 bytes.
    private static let fileLimit = 64 * 1024

    var keyPath: String
    var keyID: String
    var teamID: String
    var topic: String

    /// The key, when file and ids are good.
    private(set) var key: SigningKey?
    /// The bundle id, when the topic is one.
    private(set) var bundleID: BundleID?
    private(set) var findings: [Finding] = []

    init(keyPath: String, keyID: String, teamID: String, topic: String) {
        self.keyPath = keyPath
        self.keyID = keyID
        self.teamID = teamID
        self.topic = topic
        let pem = readFile()
        let hasIDs = checkIDs()
        if let pem, hasIDs { key = try? SigningKey(pem: pem, keyID: keyID, teamID: teamID) }
        checkTopic()
    }

    // MARK: - Private

    private mutating func readFile() -> String? {
        guard let file = FileHandle(forReadingAtPath: keyPath),
            let data = try? file.read(upToCount: Self.fileLimit + 1)
        else {
            findings.append(
                .bad(.keyFile, "it cannot be read", "Give the path of the .p8 file, and see that you may read it.")
            )
            return nil
        }
        let pem = String(decoding: data, as: UTF8.self)
        do throws(SigningKey.Problem) {
            guard data.count <= Self.fileLimit else { throw .notPEM }
            // The ids have a finding of their own.
            _ = try SigningKey(pem: pem, keyID: "A", teamID: "A")
        } catch {
            findings.append(.bad(.keyFile, Self.text(error), Self.advice(error)))
            return nil
        }
        findings.append(.good(.keyFile, "a private key of the curve P-256"))
        return pem
    }

    private static func text(_ problem: SigningKey.Problem) -> String {
        switch problem {
        case .notPEM: "it is no key file: there is no PEM block in it"
        case .notAPrivateKey: "it holds no private key, or an encrypted one"
        case .notP256: "it holds no whole private key of the curve P-256"
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

    private mutating func checkIDs() -> Bool {
        var wrong: [String] = []
        if !Self.isID(keyID) { wrong.append("--key-id") }
        if !Self.isID(teamID) { wrong.append("--team-id") }
        guard wrong.isEmpty else {
            findings.append(
                .bad(
                    .ids,
                    "\(wrong.joined(separator: " and ")) must have 10 letters and digits",
                    "The key id stands on the key's page in Apple's developer account and in the file's name, the team id "
                        + "on the membership page."
                )
            )
            return false
        }
        let named = Self.keyID(inNameOf: keyPath)
        if let named, named != keyID {
            findings.append(
                .unknown(
                    .ids,
                    "the file is named for the key \(named), and --key-id is \(keyID)",
                    "One of them is wrong, unless the file was renamed."
                )
            )
        } else {
            findings.append(.good(.ids, "key \(keyID), team \(teamID)"))
        }
        return true
    }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// The id in a name as Apple gives it, `AuthKey_ABC123DEFG.p8`.
    private static func keyID(inNameOf path: String) -> String? {
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        guard name.hasPrefix("AuthKey_") else { return nil }
        let id = String(name.dropFirst("AuthKey_".count))
        return isID(id) ? id : nil
    }

    private mutating func checkTopic() {
        let suffix = PushType.documented.map(\.topicSuffix).first { !$0.isEmpty && topic.hasSuffix($0) }
        if let suffix {
            findings.append(
                .bad(
                    .topic,
                    "it ends with \(suffix), which belongs to another push type",
                    "Give the app's bundle id alone: the push type adds its suffix."
                )
            )
        } else if let id = BundleID(rawValue: topic) {
            bundleID = id
            findings.append(.good(.topic, topic))
        } else {
            findings.append(
                .bad(.topic, "it is no bundle id", "Give the app's bundle id, such as com.example.app.")
            )
        }
    }
}
