import ArgumentParser
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import CarillonCommand

/// `carillon log` against a server.
struct LogCommandTests {
    @Test("A log requires a subject, and reports unknown ones")
    func asks() async throws {
        for arguments in [[], ["--device", "d", "--user", "u"], ["--user", "u", "--limit", "0"]] {
            #expect(throws: (any Error).self) { try LogCommand.parse(arguments) }
        }
        try await RunningServer.run { server in
            let device = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            let file = try server.file(
                "devices.csv",
                "token,device,user\n\(String(repeating: "ab", count: 32)),\(device),u-1\n"
            )
            try await server.command(ImportDevicesCommand.self, file)
            for arguments in [
                ["--device", device], ["--user", "u-1", "--json"],
                ["--user", "u-1", "--until", "2026-01-01T00:00:00Z"],
            ] {
                #expect(await server.refusal(LogCommand.self, arguments) == nil, "\(arguments)")
            }
            let unknown = await server.refusal(LogCommand.self, ["--user", "u-2"])
            #expect(unknown?.contains("There is no such User") == true, "\(unknown ?? "nothing")")
            let wrong = await server.refusal(LogCommand.self, ["--device", "x"])
            #expect(wrong?.contains("device must be a UUID") == true, "\(wrong ?? "nothing")")
        }
    }
}
