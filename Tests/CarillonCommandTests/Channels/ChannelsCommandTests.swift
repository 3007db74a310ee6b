import ApplePush
import ApplePushConnection
import ArgumentParser
import Foundation
import Testing

@testable import CarillonCommand

struct ChannelsCommandTests {
    private static let common = [
        "--key", "k.p8", "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ", "--topic", "com.example.app",
    ]

    @Test("P-46 the options of channels: sandbox or production, and both servers separately")
    func options() throws {
        let list = try ChannelsCommand.ListCommand.parse(
            Self.common + ["--environment", "sandbox", "--management-server", "https://localhost:2195"]
        )
        #expect(list.options.environment.broadcastEndpoints == .sandbox)
        let create = try ChannelsCommand.CreateCommand.parse(Self.common + ["--storage", "most-recent"])
        #expect(create.storage == .mostRecent)
        let send = try ChannelsCommand.SendCommand.parse(["YWJj", "--message", "m.json"] + Self.common)
        #expect(send.priority == 10 && send.expiration == 0)

        let bad: [[String]] = [
            ["--topic", "com/example"], ["--management-server", "http://x"], ["--broadcast-server", ""],
            ["--timeout", "301"], ["--environment", "moon"], ["--certificate", "c.p12"],
        ]
        for arguments in bad {
            let all = Self.common + arguments
            #expect(throws: (any Error).self, "\(arguments)") { try ChannelsCommand.ListCommand.parse(all) }
        }
        for arguments in [["--priority", "1"], ["--expiration=-1"]] {
            let all = ["YWJj", "--message", "m.json"] + Self.common + arguments
            #expect(throws: (any Error).self) { try ChannelsCommand.SendCommand.parse(all) }
        }
        #expect(throws: (any Error).self) {
            try ChannelsCommand.ShowCommand.parse(["no base64!"] + Self.common).channel.id
        }
    }

    @Test("A refusal of APNs is reported with advice", arguments: RejectionReason.documentedForBroadcasts)
    func refusals(reason: RejectionReason) {
        let text = ChannelFailure.refused(Rejection(reason, status: 400)).description
        #expect(text.hasPrefix("APNs refuses: 400 \(reason.rawValue). ") && text.hasSuffix("."))
    }

    @Test("Text from APNs is printed without control characters")
    func terminal() {
        let novel = RejectionReason(rawValue: "New\u{1B}[2J\r\nWord")
        let text = ChannelFailure.refused(Rejection(novel, status: 400)).description
        #expect(text.hasPrefix("APNs refuses: 400 New[2JWord. "))
    }
}
