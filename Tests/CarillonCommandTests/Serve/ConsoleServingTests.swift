import ArgumentParser
import CarillonConsole
import CarillonOperatorModel
import CarillonServer
import Foundation
import Testing

@testable import CarillonCommand

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The console of a server that runs, and its settings.
struct ConsoleServingTests {
    private func configuration(_ arguments: [String], _ folder: URL) async throws -> ServerConfiguration {
        let options = try ServeOptions.parse(arguments)
        let settings = try await ServerSettings(flags: options.values, environment: [:], file: nil)
        return try ServerConfiguration(settings, folder: folder)
    }

    @Test("The setup link is printed in a terminal or written to a file for its owner", arguments: [true, false])
    func setupLink(_ isJSON: Bool) async throws {
        try await ServerFolder.with { folder in
            let configuration = try await configuration([], folder)
            let server = try await ServerComposition(configuration, logger: ServerFolder.silent)
            server.close()
            let link = try #require(server.setupLink)
            var announcement = ServerAnnouncement(configuration, folder: folder, isJSON: isJSON, isTerminal: false)
            announcement.setupLink = link
            let file = folder.appendingPathComponent("setup.link")

            let text = try announcement.text(port: 81)

            #expect(!text.contains(link.path))
            #expect(text.contains(file.path))
            #expect(text.contains("http://127.0.0.1:81/console/"))
            #expect(try String(contentsOf: file, encoding: .utf8) == "http://127.0.0.1:81\(link.path)\n")
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            var shown = ServerAnnouncement(configuration, folder: folder, isJSON: isJSON, isTerminal: true)
            shown.setupLink = link
            #expect(try shown.text(port: 81).contains(link.path) != isJSON)
        }
    }

    @Test("A node without the console has no setup link, and its address is not announced")
    func withoutConsole() async throws {
        try await ServerFolder.with { folder in
            let configuration = try await configuration(["--console-off"], folder)
            let server = try await ServerComposition(configuration, logger: ServerFolder.silent)
            server.close()
            #expect(server.setupLink == nil)
            let announcement = ServerAnnouncement(configuration, folder: folder, isJSON: false, isTerminal: true)
            #expect(try !announcement.text(port: 81).contains("console"))
        }
    }

    @Test("The console is below /console unless it is off, and the API beside it", arguments: [true, false])
    func mounts(_ isOff: Bool) async throws {
        try await ServerFolder.with { folder in
            let arguments = ["--port", "0"] + (isOff ? ["--console-off"] : [])
            let server = try await ServerComposition(
                try await configuration(arguments, folder),
                logger: ServerFolder.silent
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                let port = try #require(await server.port.value)
                let setup = try await Self.answer(port, "/console/setup")
                #expect(setup.status == (isOff ? 404 : 200))
                #expect(setup.type?.hasPrefix(isOff ? "application/problem+json" : "text/html") == true)
                let apps = try await Self.answer(port, "/v1/apps")
                #expect(apps.status == 401)
                group.cancelAll()
            }
        }
    }

    private static func answer(_ port: Int, _ path: String) async throws -> (status: Int?, type: String?) {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
        let answer = try await URLSession.shared.data(for: URLRequest(url: url, timeoutInterval: 30)).1
        let response = answer as? HTTPURLResponse
        return (response?.statusCode, response?.value(forHTTPHeaderField: "Content-Type"))
    }

    @Test("The settings of the console are read")
    func reads() async throws {
        try await ServerFolder.with { folder in
            let plain = try await configuration([], folder).console
            #expect(plain?.publicURL == nil)
            #expect(plain?.allowsPlainHTTP == false)
            #expect(plain?.includesSubdomains == true)
            #expect(plain?.isSandbox == false)
            let arguments = [
                "--console-public-url", "https://push.example.org", "--console-allow-plain-http",
                "--console-this-host-only", "--apns-host", "127.0.0.1:2197",
            ]
            let set = try await configuration(arguments, folder).console
            #expect(set?.publicURL == "https://push.example.org")
            #expect(set?.allowsPlainHTTP == true)
            #expect(set?.includesSubdomains == false)
            #expect(set?.isSandbox == true)
        }
    }

    @Test(
        "The console's address is a host, with http or https",
        arguments: [
            "push.example.org", "ftp://push.example.org", "https://push.example.org/console", "https://a?b", "",
        ]
    )
    func refusesAddress(_ address: String) async throws {
        try await ServerFolder.with { folder in
            let failure = await #expect(throws: ServerSettings.Failure.self) {
                _ = try await configuration(["--console-public-url", address], folder)
            }
            #expect(failure?.description.contains("console.publicUrl") == true)
        }
    }
}
