#if os(Linux)
import CarillonModel
import CarillonOperatorModel
import Foundation

/// A file for other terminals: the variables that `carillon` and the examples of the guides read.
struct DemoEnvironment: Sendable {
    let world: DemoWorld.Running

    /// `environment` in the demonstration's folder.
    var file: URL { world.folder.appendingPathComponent("environment") }

    /// Writes the file.
    ///
    /// It has an API key: only its owner can read it.
    ///
    /// - Parameter secrets: The App of the phones, with its key.
    /// - Throws: When the folder cannot be written to.
    func write(_ secrets: AppSecrets) throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let lines = [
            "export CARILLON_SERVER=\(Self.quoted(world.server.absoluteString))",
            "export CARILLON_API_KEY=\(Self.quoted(world.api.key))",
            "export APP=\(Self.quoted("\(secrets.app.id)"))",
            "export APP_KEY=\(Self.quoted(secrets.appKey))",
            "export PATH=\(Self.quoted((program as NSString).deletingLastPathComponent)):\"$PATH\"",
        ]
        let text = Data((lines.joined(separator: "\n") + "\n").utf8)
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: file.path, contents: text, attributes: attributes) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
        }
    }

    /// A word of a POSIX shell.
    static func quoted(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
#endif
