import ApplePush
import ArgumentParser
import Foundation

/// Whose key a command uses at APNs.
struct KeyOptions: ParsableArguments {
    @Option(help: "The key file of Apple's, .p8.")
    var key: String

    @Option(help: "The key's id, 10 letters and digits.")
    var keyId: String

    @Option(help: "The team's id, 10 letters and digits.")
    var teamId: String

    /// Reads the key file.
    func signingKey() throws -> SigningKey {
        let pem = String(decoding: try InputFile.contents(of: key), as: UTF8.self)
        do throws(SigningKey.Problem) {
            return try SigningKey(pem: pem, keyID: keyId, teamID: teamId)
        } catch {
            throw ValidationError(error.text)
        }
    }
}

/// What a command reads in one go.
enum InputFile {
    /// The bytes of a file, or of the standard input where the path is `-`.
    static func contents(of path: String) throws -> Data {
        if path == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ValidationError("\(path) cannot be read.")
        }
    }
}

extension SigningKey.Problem {
    /// What to tell the operator.
    var text: String {
        switch self {
        case .badKeyID: "--key-id is the key's id, 10 letters and digits."
        case .badTeamID: "--team-id is the team's id, 10 letters and digits."
        case .notPEM: "The key file is not a .p8 file: it has no PEM block."
        case .notAPrivateKey: "The key file holds no private key, or an encrypted one."
        case .notP256: "The key file holds no whole private key of the curve P-256."
        }
    }
}
