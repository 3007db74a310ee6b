import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import Testing

@testable import CarillonCommand

/// `carillon campaigns` against a server.
struct CampaignsCommandTests {
    private static let daily = """
        {"name":"Morning","audience":{"all":true},"message":{"content":{"default":{"body":"Hello"}}},
         "schedule":{"repeat":"daily","times":["09:00"],"zone":"Asia/Seoul"}}
        """
    private static let draft = """
        {"name":"Draft","audience":{"all":true},"message":{"content":{"default":{"body":"Hello"}}},"draft":true}
        """

    private func campaigns(_ server: RunningServer) async throws -> [Campaign] {
        try await server.composition.engine.campaigns.list(app: server.app, after: nil, limit: 100).items
    }

    @Test("A campaign is created from a file, paused, resumed, and cancelled, one occurrence and all")
    func goesThroughALife() async throws {
        try await RunningServer.run { server in
            try await server.command(CampaignsCommand.self, "create", try server.file("daily.json", Self.daily))
            let made = try #require(try await campaigns(server).first)
            #expect((made.name, made.state) == ("Morning", .scheduled))

            try await server.command(CampaignsCommand.self, "pause", "\(made.id)")
            #expect(try await campaigns(server).first?.state == .paused)
            try await server.command(CampaignsCommand.self, "resume", "\(made.id)")
            #expect(try await campaigns(server).first?.state == .scheduled)

            let planned = try await server.composition.engine.campaigns.occurrences(
                made.id,
                within: nil,
                cursor: nil,
                limit: 500
            ).items
            let second = try #require(planned.dropFirst().first?.at?.description)
            try await server.command(CampaignsCommand.self, "cancel", "\(made.id)", "--occurrence", second)
            let after = try await server.composition.engine.campaigns.occurrences(
                made.id,
                within: nil,
                cursor: nil,
                limit: 500
            ).items
            #expect(after.filter { $0.state == .cancelled }.map(\.at?.description) == [second])
            try await server.command(CampaignsCommand.self, "occurrences", "\(made.id)")
            try await server.command(CampaignsCommand.self, "occurrences", "\(made.id)", "--json")
            try await server.command(CampaignsCommand.self, "show", "\(made.id)")
            try await server.command(CampaignsCommand.self, "funnel", "\(made.id)")
            try await server.command(CampaignsCommand.self, "funnel", "\(made.id)", "--json")
            try await server.command(CampaignsCommand.self, "failures", "\(made.id)")
            try await server.command(CampaignsCommand.self, "deliveries", "\(made.id)")
            try await server.command(CampaignsCommand.self, "update", "\(made.id)", "--set", "name=Evening")
            #expect(try await campaigns(server).first?.name == "Evening")

            try await server.command(CampaignsCommand.self, "cancel", "\(made.id)")
            #expect(try await campaigns(server).first?.state == .cancelled)
            let refusal = await server.refusal(CampaignsCommand.self, ["resume", "\(made.id)"])
            #expect(refusal?.contains("The campaign is cancelled, not paused.") == true)
        }
    }

    @Test("A draft waits until it is sent, and ends at once without a matching device")
    func sendsDrafts() async throws {
        try await RunningServer.run { server in
            try await server.command(CampaignsCommand.self, "create", try server.file("draft.json", Self.draft))
            let draft = try #require(try await campaigns(server).first)
            #expect(draft.state == .draft)
            try await server.command(CampaignsCommand.self, "send", "\(draft.id)")
            #expect(try await campaigns(server).first.map { $0.state != .draft } == true)
        }
    }

    @Test("A list is filtered by state and time, and invalid filters are reported")
    func lists() async throws {
        try await RunningServer.run { server in
            try await server.command(CampaignsCommand.self, "create", try server.file("daily.json", Self.daily))
            try await server.command(CampaignsCommand.self, "list")
            try await server.command(CampaignsCommand.self, "list", "--state", "draft", "--json")
            try await server.command(CampaignsCommand.self, "list", "--due-from", "2026-01-01T00:00:00Z")
            let wrong = [
                (["list", "--state", "asleep"], "--state is one of draft"), (["list", "--limit", "0"], "--limit is 1"),
                (["list", "--due-from", "noon"], "dueFrom must be an RFC 3339 time"),
                (["show", "cmp_000000000001"], "There is no such Campaign"),
                (["pause", "../apps"], "There is no such"),
                (["create", "/nowhere.json"], "/nowhere.json"),
                (["create", try server.file("bad.json", "{}")], "audience is required"),
                (["create", try server.file("text.json", "Hello")], "JSON"),
            ]
            for (arguments, expected) in wrong {
                let told = await server.refusal(CampaignsCommand.self, arguments)
                #expect(told?.contains(expected) == true, "\(arguments): \(told ?? "nothing")")
            }
        }
    }
}
