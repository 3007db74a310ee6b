import ApplePush
import ApplePushConnection
import Foundation

/// Checks without network: the files, the ids, the topic.
struct CredentialFileCheck {
    /// The credential, when its files and ids are valid.
    private(set) var credential: Credential?
    /// The bundle id, when the topic is valid.
    private(set) var bundleID: BundleID?
    private(set) var findings: [Finding] = []

    init(_ source: CredentialSource, topic: String) {
        switch source {
        case .key(let path, let keyID, let teamID):
            let pem = readKey(path)
            let hasIDs = checkIDs(keyID, teamID, path)
            if let pem, hasIDs, let key = try? SigningKey(pem: pem, keyID: keyID, teamID: teamID) {
                credential = .key(key)
            }
        case .certificate(let path, let keyPath, let passphraseFile):
            readCertificate(path, keyPath, passphraseFile)
            findings.append(.good(.ids, "not needed with a certificate"))
        }
        check(topic)
    }

    mutating func add(_ finding: Finding) {
        findings.append(finding)
    }

    // MARK: - Private

    private mutating func readCertificate(_ path: String, _ keyPath: String?, _ passphraseFile: String?) {
        do {
            let source = CredentialSource.certificate(path: path, keyPath: keyPath, passphraseFile: passphraseFile)
            guard case .certificate(let identity) = try source.read() else { return }
            credential = .certificate(identity)
            let date = String(identity.expiresAt.description.prefix(10))
            findings.append(.good(.keyFile, "a certificate with its key, valid until \(date)"))
        } catch let problem as ClientIdentity.Problem {
            findings.append(.bad(.keyFile, problem.description, Self.advice(problem)))
        } catch {
            findings.append(
                .bad(
                    .keyFile,
                    "the file with the passphrase cannot be read",
                    "Give --passphrase-file a file of one line."
                )
            )
        }
    }

    private static func advice(_ problem: ClientIdentity.Problem) -> String {
        switch problem {
        case .unreadable: "Give the path of the .p12 or PEM file, and check that you may read it."
        case .notPKCS12, .noCertificate: "Export certificate and key together from the Keychain, as .p12, or give PEM."
        case .wrongPassphrase: "Give --passphrase-file a file whose first line is the passphrase."
        case .noKey: "Export the certificate together with its key, or give the key with --certificate-key."
        case .keyDoesNotFit: "Give the key that the certificate was requested with."
        case .expired: "Make a new certificate in Apple's developer account, or a key, which does not expire."
        case .notYetValid: "Set this computer's clock, best by NTP."
        }
    }

    private mutating func check(_ topic: String) {
        let suffix = APNsPushType.documented.map(\.topicSuffix).first { !$0.isEmpty && topic.hasSuffix($0) }
        if let suffix {
            findings.append(
                .bad(
                    .topic,
                    "it ends with \(suffix), which belongs to another push type",
                    "Give only the app's bundle id: the push type adds its suffix."
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
