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

    @Test("X-24 Files go through a running server, with side files, and a refusal never has a value")
    func importsThroughTheServer() async throws {
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
            #expect(told?.hasPrefix("b.csv has no column identifier; its first line must be the header") == true)
            #expect(told?.contains("it looks like Amazon Pinpoint's: carillon import pinpoint") == true)
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

    @Test("X-14 The fields of unknown columns are in a file, if asked") func keepsUnknownColumns() async throws {
        try await RunningServer.run { server in
            let token = String(repeating: "1f", count: 32)
            let file = try server.file("a.csv", "identifier,device_type,Shoe Size\n\(token),0,44\n\(token),0,\n")
            let unread = server.folder.appendingPathComponent("unread.jsonl").path

            try await server.command(
                ImportOneSignalCommand.self,
                file,
                "--environment",
                "sandbox",
                "--unread",
                unread
            )

            let text = try String(contentsOfFile: unread, encoding: .utf8)
            #expect(text == #"{"fields":{"Shoe Size":"44"},"file":"a.csv","line":2}"# + "\n")
            let mode = try FileManager.default.attributesOfItem(atPath: unread)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("X-47 A user with too many attributes keeps what they had, and their devices come, also through a server")
    func keepsDevicesThroughTheServer() async throws {
        try await RunningServer.run { server in
            func cell(_ name: String) -> String {
                "\"{" + (0..<40).map { "\"\"\(name)\($0)\"\":1" }.joined(separator: ",") + "}\""
            }
            let rows = [("a", "1a"), ("b", "1b")].map { name, byte in
                "\(String(repeating: byte, count: 32)),0,u-1,31,\(cell(name))\n"
            }
            let file = try server.file(
                "a.csv",
                "identifier,device_type,external_user_id,notification_types,tags\n" + rows.joined()
            )

            try await server.command(ImportOneSignalCommand.self, file, "--environment", "production")

            #expect(try await count(server) == 2)
            let user = try #require(UserID(rawValue: "u-1"))
            let attributes = try await server.composition.stores.attributes.attributes(of: user, app: server.app)
            #expect(attributes.attributes.isEmpty)
        }
    }

    @Test("X-59 A job that is not whole stops the import, and fewer rows than its endpoints are said")
    func readsJobs() async throws {
        try await RunningServer.run { server in
            let token = String(repeating: "1f", count: 32)
            let file = try server.file("part", "{\"ChannelType\":\"APNS\",\"Address\":\"\(token)\"}\n")
            func job(_ text: String) async throws -> String? {
                await server.refusal(ImportPinpointCommand.self, [file, "--job", try server.file("job.json", text)])
            }

            let failed = try await job(#"{"JobStatus":"FAILED","CompletedPieces":1,"FailedPieces":2}"#)
            #expect(failed?.contains("2 pieces failed") == true)
            let missing = try await job(#"{"JobStatus":"COMPLETED","CompletedPieces":2}"#)
            #expect(missing?.contains("2 parts are expected, and there are 1.") == true)
            #expect(try await count(server) == 0)
            let few = try await job(#"{"JobStatus":"COMPLETED","CompletedPieces":1,"TotalProcessed":2}"#)
            #expect(few?.contains("processed 2 endpoints, and the files have 1 rows") == true)
            #expect(try await count(server) == 1)
            #expect(try await job(#"{"JobStatus":"COMPLETED","CompletedPieces":1,"TotalProcessed":1}"#) == nil)
            let both = await server.refusal(ImportPinpointCommand.self, [file, "--job", file, "--pieces", "1"])
            #expect(both?.contains("Give --pieces or --job") == true)
        }
    }

    @Test("X-60 A segment's rule is printed, or what it cannot say is named") func printsRules() async throws {
        try await RunningServer.run { server in
            let good = try server.file("s.json", #"[{"field":"country","relation":"=","value":"JP"}]"#)
            let bad = try server.file("t.json", #"[{"field":"session_count","relation":">","value":"3"}]"#)

            try await server.command(ImportOneSignalCommand.self, "--segment", good)
            let told = await server.refusal(ImportOneSignalCommand.self, ["--segment", bad])

            #expect(told?.contains("session_count") == true)
            let printed = try await Program.run(["import", "onesignal", "--segment", good])
            #expect(printed.status == 0 && printed.output == "country = JP\n", "\(printed)")
        }
    }
}
