import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import CarillonStore
import Foundation
import Testing

@testable import CarillonCommand

/// Devices in and out of a server, as operators carry them.
struct TransferCommandTests {
    private static func token(_ number: Int) -> String { String(format: "%064x", number) }

    private func count(_ server: RunningServer) async throws -> Int {
        try await server.composition.stores.deviceExports.devices(app: server.app, after: nil, limit: 1_000).count
    }

    @Test("A file is imported into a running server, exported in both formats, and imported again without a change")
    func goesRound() async throws {
        try await RunningServer.run { server in
            let lines = (0..<500).map { "\(Self.token($0)),u-\($0 % 7),神奈川 vip,\($0 % 2 == 0)\n" }.joined()
            let file = try server.file("devices.csv", "\u{FEFF}token,user,tags,consent_ads\r\n" + lines)
            try await server.command(ImportDevicesCommand.self, file)
            #expect(try await count(server) == 500)

            for (format, lineCount) in [("csv", 501), ("jsonl", 500)] {
                let out = server.folder.appendingPathComponent("out." + format)
                try await server.command(ExportDevicesCommand.self, out.path, "--format", format)
                let text = try String(contentsOf: out, encoding: .utf8)
                #expect(text.split(whereSeparator: \.isNewline).count == lineCount)
                try await server.command(ImportDevicesCommand.self, out.path, "--format", format)
                #expect(try await count(server) == 500)
            }
            let again = await server.refusal(
                ExportDevicesCommand.self,
                [server.folder.appendingPathComponent("out.csv").path]
            )
            #expect(again?.contains("Cannot make") == true)
            let refused = server.folder.appendingPathComponent("refused.csv").path
            #expect(await server.refusal(ExportDevicesCommand.self, [refused, "--cursor", "x"]) != nil)
            #expect(!FileManager.default.fileExists(atPath: refused))
        }
    }

    @Test("Invalid lines are reported by number and skipped; a malformed file is refused")
    func refusesBadFiles() async throws {
        try await RunningServer.run { server in
            let rejects = server.folder.appendingPathComponent("bad.csv")
            let header = "token,user,consent_ads\n"
            let lines = [
                "\(Self.token(1)),u-1,true", "not-a-token,u-2,true", "\(Self.token(3)),u-3",
                "\(Self.token(4)),u-4,maybe",
                "\(Self.token(5)),\"u-5,true", "\(Self.token(6)),u-6,",
            ]
            let file = try server.file("devices.csv", header + lines.joined(separator: "\n") + "\n")
            try await server.command(ImportDevicesCommand.self, file, "--rejects", rejects.path)
            let told = try String(contentsOf: rejects, encoding: .utf8)
            #expect(told.split(separator: "\n").map { $0.prefix { $0 != "," } } == ["line", "3", "4", "5", "6"])
            #expect(!told.contains("maybe") && !told.contains("u-5"))
            #expect(try await count(server) == 1)

            let wrong: [(String, Data, [String], String)] = [
                ("no-token.csv", Data("user,language\nu-1,ja\n".utf8), [], "no column token"),
                ("misspelt.csv", Data("token,consent_add\n".utf8), [], "column 2 of the header is not known"),
                ("twice.csv", Data("token,token\n".utf8), [], "there twice"),
                ("utf16.csv", Data("token\n".utf8.flatMap { [$0, 0] }), [], "in UTF-16"),
                ("utf16mark.csv", Data([0xFF, 0xFE] + "token\n".utf8.flatMap { [$0, 0] }), [], "not UTF-8"),
                ("excel.csv", Data("token;user\n".utf8), [], "semicolons"),
                ("mac.csv", Data("token\rabcd\r".utf8), [], "CR alone"),
                ("lines.csv", Data(#"{"registration":{}}"#.utf8), [], "or JSON Lines?"),
                ("sjis.csv", Data([0x83, 0x67, 0x81, 0x5B, 0x0A]), [], "not UTF-8"),
                ("empty.csv", Data(), [], "the file is empty"),
            ]
            for (name, bytes, more, expected) in wrong {
                let file = server.folder.appendingPathComponent(name)
                try bytes.write(to: file)
                let told = await server.refusal(ImportDevicesCommand.self, [file.path] + more)
                #expect(told?.contains(expected) == true, "\(name): \(told ?? "nothing")")
            }
            #expect(try await count(server) == 1)
            let missing = await server.refusal(ImportDevicesCommand.self, ["/nowhere.csv"])
            #expect(missing?.contains("Cannot read /nowhere.csv") == true)
            let both = await server.refusal(ImportDevicesCommand.self, [file, "--data", server.folder.path])
            #expect(both?.contains("not both") == true)
            let stream = await server.refusal(ImportDevicesCommand.self, ["-"])
            #expect(stream?.contains("a file is required") == true)
        }
    }
}
