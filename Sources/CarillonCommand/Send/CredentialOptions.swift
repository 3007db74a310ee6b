import ApplePush
import ApplePushConnection
import ArgumentParser
import Foundation

/// The sender's credential at APNs.
enum Credential: Sendable {
    case key(SigningKey)
    case certificate(ClientIdentity)

    /// The provider token to send with; `nil` where the certificate says it all.
    func token(at now: Date) throws -> ProviderToken? {
        switch self {
        case .key(let key): try ProviderToken(signedWith: key, at: now)
        case .certificate: nil
        }
    }

    var signingKey: SigningKey? {
        if case .key(let key) = self { key } else { nil }
    }

    var identity: ClientIdentity? {
        if case .certificate(let identity) = self { identity } else { nil }
    }
}

/// The files of a credential.
enum CredentialSource: Hashable, Sendable {
    case key(path: String, keyID: String, teamID: String)
    case certificate(path: String, keyPath: String?, passphraseFile: String?)

    /// Reads the files.
    ///
    /// - Throws: `SigningKey.Problem`, `ClientIdentity.Problem`, or when a file cannot be read.
    func read() throws -> Credential {
        switch self {
        case .key(let path, let keyID, let teamID):
            let pem = String(decoding: try InputFile.contents(of: path), as: UTF8.self)
            return .key(try SigningKey(pem: pem, keyID: keyID, teamID: teamID))
        case .certificate(let path, let keyPath, let passphraseFile):
            let text = try passphraseFile.map { String(decoding: try InputFile.contents(of: $0), as: UTF8.self) }
            let passphrase = text.map { String($0.prefix { !$0.isNewline }) }
            return .certificate(try ClientIdentity(file: path, keyFile: keyPath, passphrase: passphrase))
        }
    }
}

extension HTTPProxy {
    /// Parses `http://HOST:PORT` or `http://USER:PASSWORD@HOST:PORT`.
    static func argument(_ text: String) throws -> HTTPProxy {
        do throws(HTTPProxy.Problem) {
            return try HTTPProxy(url: text)
        } catch {
            throw ValidationError(error.description + ".")
        }
    }
}

/// A key or a certificate, for commands that take either.
struct CredentialOptions: ParsableArguments {
    @Option(help: "The key file of Apple's, .p8.")
    var key: String?

    @Option(help: "The key's id, 10 letters and digits.")
    var keyId: String?

    @Option(help: "The team's id, 10 letters and digits.")
    var teamId: String?

    @Option(help: "A client certificate with its key instead, .p12 or PEM.")
    var certificate: String?

    @Option(help: "The PEM file of the certificate's key, when the first file does not contain it.")
    var certificateKey: String?

    @Option(help: "A file whose first line is the certificate's passphrase.")
    var passphraseFile: String?

    func validate() throws {
        guard (key == nil) != (certificate == nil) else {
            throw ValidationError("Give either --key, with --key-id and --team-id, or --certificate.")
        }
        guard key == nil || (keyId != nil && teamId != nil) else {
            throw ValidationError("--key needs --key-id and --team-id.")
        }
        guard certificate == nil || (keyId == nil && teamId == nil) else {
            throw ValidationError("--key-id and --team-id belong to --key.")
        }
        guard certificate != nil || (certificateKey == nil && passphraseFile == nil) else {
            throw ValidationError("--certificate-key and --passphrase-file belong to --certificate.")
        }
    }

    var source: CredentialSource {
        if let certificate {
            return .certificate(path: certificate, keyPath: certificateKey, passphraseFile: passphraseFile)
        }
        return .key(path: key ?? "", keyID: keyId ?? "", teamID: teamId ?? "")
    }

    /// Reads them, and describes problems.
    func credential() throws -> Credential {
        do {
            return try source.read()
        } catch let problem as SigningKey.Problem {
            throw ValidationError(problem.text)
        } catch let problem as ClientIdentity.Problem {
            throw ValidationError(problem.description + ".")
        }
    }
}
