import Carillon
import Foundation

/// An app, or its service extension, that reports what became of pushes; made to be killed.
///
/// `ReportingApp SERVER APP-KEY FOLDER app|extension FROM`: the folder holds the SDK's storage and `pushes`, a line of
/// Occurrence and receipt each. It says `kept N` once the event of push N is promised to be safe, and `end` at the end; the
/// app ends when nothing waits any more, its own events or the extension's.
@main
enum ReportingApp {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let server = URL(string: arguments[1]), let first = Int(arguments[5]) else {
            throw CocoaError(.featureUnsupported)
        }
        let folder = URL(fileURLWithPath: arguments[3], isDirectory: true)
        let isApp = arguments[4] == "app"
        let client = try client(server, appKey: arguments[2], folder, isApp: isApp)
        let running = Task { if isApp { await client.run() } }
        defer { running.cancel() }
        for (index, push) in try pushes(in: folder).enumerated().dropFirst(first) {
            await client.report(isApp ? .opened : .received, of: push)
            say("kept \(index)")
            if !isApp, index % 5 == 0 { await client.flush(within: 5) }
        }
        if isApp { while await client.flush(within: 30) > 0 {} }
        say("end")
    }

    private static func client(
        _ server: URL,
        appKey: String,
        _ folder: URL,
        isApp: Bool
    ) throws -> CarillonClient {
        var configuration = CarillonConfiguration(server: server, appKey: appKey)
        configuration.storage = folder
        var dependencies = Dependencies()
        dependencies.process = isApp ? Dependencies.appProcess : Dependencies.extensionProcess
        return try CarillonClient(configuration, dependencies)
    }

    private static func pushes(in folder: URL) throws -> [ReceivedPush] {
        let text = try String(contentsOf: folder.appendingPathComponent("pushes"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2 else { return nil }
            return ReceivedPush(userInfo: ["carillon": ["o": String(words[0]), "r": String(words[1])]])
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
