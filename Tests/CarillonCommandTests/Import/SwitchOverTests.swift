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
}
