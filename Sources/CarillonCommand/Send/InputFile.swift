import ApplePush
import ArgumentParser
import Foundation

/// An input file of a command.
enum InputFile {
    /// The bytes of a file, or of standard input for the path `-`.
    static func contents(of path: String) throws -> Data {
        if path == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
        // Unlike `Data(contentsOf:)` a handle also reads pipes, such as `<(jq …)`.
        guard let handle = FileHandle(forReadingAtPath: path), let data = try? handle.readToEnd() ?? Data() else {
            throw CommandFailure(.missing, "\(path) cannot be read.")
        }
        return data
    }
}

extension SigningKey.Problem {
    /// A description for the operator.
    var text: String {
        switch self {
        case .badKeyID: "--key-id is the key's id, 10 letters and digits."
        case .badTeamID: "--team-id is the team's id, 10 letters and digits."
        case .notPEM: "The key file is not a .p8 file: it has no PEM block."
        case .notAPrivateKey: "The key file contains no private key, or an encrypted one."
        case .notP256: "The key file contains no complete private key of the curve P-256."
        }
    }
}
