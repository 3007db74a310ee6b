#if os(Linux)
import Foundation
import UnixSignals

/// The app for browsers.
@main
struct FunArtMain {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            if let folder = options.dataFolder {
                try await SampleFiles.write(to: URL(fileURLWithPath: folder, isDirectory: true))
            } else {
                try await serve(options)
            }
        } catch {
            FileHandle.standardError.write(Data("fun-art: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func serve(_ options: Options) async throws {
        // The announced address ends with /v1; paths of calls begin with it.
        guard let server = options.server, let apns = options.apns,
            let url = URL(string: server.url.replacingOccurrences(of: "/v1", with: "")),
            let simulator = URL(string: "http://\(apns.host):\(apns.controlPort)")
        else { throw Options.Misuse(description: Options.usage) }
        let key = try String(contentsOfFile: server.adminKeyFile, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let pushKey = CarillonSetup.PushKey(
            keyID: apns.keyID,
            teamID: apns.teamID,
            privateKey: try String(contentsOfFile: apns.keyFile, encoding: .utf8)
        )
        let funArt = FunArtServer(
            carillon: OperatorClient(server: url, key: key),
            simulator: simulator,
            pushKey: pushKey,
            port: options.port,
            size: options.isSmall ? .small : OpenData.Size()
        )
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        say("Importing 瘋藝文's sample data ...", options)
        try await funArt.whileRunning { running in
            if options.isJSON {
                FileHandle.standardOutput.write(Data("{\"url\":\"\(running.url.absoluteString)\"}\n".utf8))
            }
            say(
                "瘋藝文 is at \(running.url.absoluteString) until Ctrl-C: open it in a browser, in the size of a phone.",
                options
            )
            for await _ in signals { break }
        }
    }

    /// Writes a line for people.
    private static func say(_ line: String, _ options: Options) {
        let handle = options.isJSON ? FileHandle.standardError : FileHandle.standardOutput
        handle.write(Data((line + "\n").utf8))
    }
}
#else
@main
struct FunArtMain {
    static func main() { print("The simulated phones run on Linux.") }
}
#endif
