import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonStore
import Foundation
import Testing

@testable import CarillonCommand

/// `carillon import onesignal` and its like, as operators run them against a running server.
struct SourceCommandTests {
    private func count(_ server: RunningServer) async throws -> Int {
        try await server.composition.stores.deviceExports.devices(app: server.app, after: nil, limit: 1_000).count
    }

    @Test("Files go through a running server, in folders too, with side files") func importsThroughTheServer()
        async throws
    {
        try await RunningServer.run { server in
            let folder = server.folder.appendingPathComponent("export")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let header = "identifier,device_type,external_user_id,notification_types,tags\n"
            let lines = (0..<300).map { "\(String(format: "%064x", $0)),0,u-\($0),31,\"{\"\"n\"\":\($0)}\"\n" }.joined()
            try Data((header + lines + "x:y,1,u-0,1,\nbad,0,,31,\n").utf8)
                .write(to: folder.appendingPathComponent("a.csv"))
            let others = server.folder.appendingPathComponent("others.jsonl")
            let rejects = server.folder.appendingPathComponent("bad.csv")

            try await server.command(
                ImportOneSignalCommand.self,
                folder.path,
                "--environment",
                "production",
                "--dry-run"
            )
            #expect(try await count(server) == 0)
            try await server.command(
                ImportOneSignalCommand.self,
                folder.path,
                "--environment",
                "production",
                "--others",
                others.path,
                "--rejects",
                rejects.path
            )

            #expect(try await count(server) == 300)
            let user = try #require(UserID(rawValue: "u-7"))
            let attributes = try await server.composition.stores.attributes.attributes(of: user, app: server.app)
            #expect(attributes.attributes == ["n": .integer(7)])
            let other = try String(contentsOf: others, encoding: .utf8)
            #expect(other.contains(#""platform":"android""#) && other.contains(#""address":"x:y""#))
            let refused = try String(contentsOf: rejects, encoding: .utf8)
            #expect(refused.split(separator: "\n").last?.hasPrefix("303,") == true)
            #expect(!refused.contains("bad"))
        }
    }

    @Test("X-13 X-33 X-59 What is wrong with files and options is said") func refusesWrongFiles() async throws {
        try await RunningServer.run { server in
            let file = try server.file("a.csv", "identifier,device_type\n")
            let none = await server.refusal(ImportOneSignalCommand.self, [file])
            #expect(none?.contains("--environment production or sandbox") == true)
            let other = try server.file("b.csv", "ChannelType,Address\n")
            let told = await server.refusal(ImportOneSignalCommand.self, [other, "--environment", "sandbox"])
            #expect(told?.contains("b.csv has no column identifier; it looks like Amazon Pinpoint's") == true)
            let pieces = await server.refusal(ImportPinpointCommand.self, [other, "--pieces", "3"])
            #expect(pieces?.contains("3 parts are expected, and there are 1.") == true)
            let missing = await server.refusal(ImportTokensCommand.self, ["/nowhere"])
            #expect(missing?.contains("Cannot read /nowhere.") == true)
            let nobody = await server.refusal(ImportTokensCommand.self, [file, "--environment", "sandbox"])
            #expect(nobody?.contains("--consent yes or no") == true)
            let bad = await server.refusal(
                ImportTokensCommand.self,
                [file, "--environment", "sandbox", "--consent", "yes"]
            )
            #expect(bad?.contains("No row was good") == true)
            let column = await server.refusal(ImportCorePushCommand.self, [file, "--column", "shoe=x"])
            #expect(column?.contains("--column must be FIELD=NAME") == true)
            let damaged = server.folder.appendingPathComponent("c.gz")
            try Data([0x1F, 0x8B, 8, 0, 0]).write(to: damaged)
            let cut = await server.refusal(
                ImportTokensCommand.self,
                [damaged.path, "--environment", "sandbox", "--consent", "yes"]
            )
            #expect(cut?.contains("c.gz ends too early") == true)
        }
    }

    @Test("X-60 A segment's rule is printed, or what it cannot say is named") func printsRules() async throws {
        try await RunningServer.run { server in
            let good = try server.file("s.json", #"[{"field":"country","relation":"=","value":"JP"}]"#)
            let bad = try server.file("t.json", #"[{"field":"session_count","relation":">","value":"3"}]"#)

            try await server.command(ImportOneSignalCommand.self, "--segment", good)
            let told = await server.refusal(ImportOneSignalCommand.self, ["--segment", bad])

            #expect(told?.contains("session_count") == true)
        }
    }
}
