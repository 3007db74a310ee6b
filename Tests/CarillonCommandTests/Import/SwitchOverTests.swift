import CarillonEngine
import CarillonModel
import CarillonStore
import Foundation
import Testing

@testable import CarillonCommand

/// `carillon switch-over check`: another service's files against a running server.
struct SwitchOverTests {
    @Test("A check says what is missing, writes nothing, and agrees after the import") func findsWhatIsMissing()
        async throws
    {
        try await RunningServer.run { server in
            func channel(_ byte: Int, _ isIn: Bool) -> String {
                "{\"device_type\":\"ios\",\"push_address\":\"\(importedToken(byte))\",\"opt_in\":\(isIn),"
                    + "\"named_user_id\":\"a\",\"tags\":[\"red\"]}\n"
            }
            let file = try server.file("channels.jsonl", channel(1, true) + channel(2, false))
            let arguments = ["--from", "airship", file, "--environment", "production"]

            let before = await server.refusal(SwitchOverCheckCommand.self, arguments)
            let count = try await server.composition.stores.deviceExports.devices(app: server.app, after: nil, limit: 9)
                .count
            try await server.command(ImportAirshipCommand.self, file, "--environment", "production")
            let after = await server.refusal(SwitchOverCheckCommand.self, arguments + ["--reach", "1"])

            #expect(before?.contains("The server lacks what the files have.") == true)
            #expect(count == 0)
            #expect(after == nil)
            let unknown = await server.refusal(SwitchOverCheckCommand.self, ["--from", "nobody", file])
            #expect(unknown?.contains("--from must be one of airship, braze") == true)
        }
    }

    @Test("A check needs files, and reads them to their ends") func needsWholeFiles() async throws {
        try await RunningServer.run { server in
            let none = await server.refusal(
                SwitchOverCheckCommand.self,
                ["--from", "tokens", "--environment", "production"]
            )
            #expect(none?.contains("Name a file") == true)
            let cut = server.folder.appendingPathComponent("cut.gz")
            try Data([0x1F, 0x8B, 8, 0, 0]).write(to: cut)
            let damaged = await server.refusal(
                SwitchOverCheckCommand.self,
                ["--from", "tokens", cut.path, "--environment", "production"]
            )
            #expect(damaged?.contains("cut.gz ends too early") == true)
        }
    }

    @Test("A list of tokens is compared without consents, and a table of one's own by its columns") func readsLists()
        async throws
    {
        try await RunningServer.run { server in
            let tokens = try server.file("tokens.txt", importedToken(1) + "\n")
            let table = try server.file("own.csv", "phone\n\(importedToken(1))\n")
            let environment = ["--environment", "production"]
            try await server.command(
                ImportTokensCommand.self,
                tokens,
                "--environment",
                "production",
                "--consent",
                "yes"
            )

            let list = await server.refusal(SwitchOverCheckCommand.self, ["--from", "tokens", tokens] + environment)
            let own = await server.refusal(
                SwitchOverCheckCommand.self,
                ["--from", "corepush", table, "--column", "token=phone", "--consent", "yes"] + environment
            )
            #expect(list == nil && own == nil)
        }
    }

    @Test("A check compares consents device by device: more than the files say is not whole") func comparesConsents()
        async throws
    {
        try await RunningServer.run { server in
            func channels(_ isIn: [Bool]) -> String {
                isIn.enumerated().map { number, isIn in
                    "{\"device_type\":\"ios\",\"push_address\":\"\(importedToken(number + 1))\",\"opt_in\":\(isIn)}\n"
                }.joined()
            }
            let (there, then) = (
                try server.file("there.jsonl", channels([true, false, true])),
                try server.file("then.jsonl", channels([true, true, false]))
            )
            let environment = ["--environment", "production"]
            try await server.command(ImportAirshipCommand.self, there, "--environment", "production")

            // The sums agree, and two devices do not.
            let differing = await server.refusal(
                SwitchOverCheckCommand.self,
                ["--from", "airship", then] + environment
            )
            #expect(differing?.contains("1 imported devices consent to more") == true)
            let same = await server.refusal(SwitchOverCheckCommand.self, ["--from", "airship", there] + environment)
            #expect(same == nil)
        }
    }
}
