import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// What TOAST Push's API bounds.
struct ToastLimitTests {
    @Test("S1-operators-5 a send of more than 2 MiB takes a place of the expensive requests")
    func largeSends() async throws {
        try await ToastClient.run { configuration, _ in
            configuration.requestLimits?.costly = 0
        } _: { client async throws in
            let spaces = String(repeating: " ", count: 2 * 1_024 * 1_024)
            let body = ToastMessageTests.body(["schedules": ["2026-12-01T09:00"], "isLocalTime": false])
            let made = try await client.send(.post, "reservations", body)
            let id = try #require(made["reservation"]?["reservationId"]?.integer, "\(made.body)")
            for (method, path) in [
                (HTTPRequest.Method.post, "messages"), (.post, "reservations"), (.put, "reservations/\(id)"),
            ] {
                let large = try await client.send(method, path, body + spaces)
                #expect(large.code == 40008 && large.message.contains("large Campaigns"), "\(large.body)")
                #expect(try await client.send(method, path, body).code == 0)
            }
        }
    }

    @Test("T-70 a list with more than it counts is too many results, until the range is shorter")
    func longLists() async throws {
        try await ToastClient.run { client async throws in
            for _ in 0..<3 {
                _ = try await client.send(.post, "messages", ToastMessageTests.body())
                client.server.clock.advance(byMilliseconds: 60_000)
            }
            let messages = ToastMessages(
                campaigns: client.server.engine.campaigns,
                clock: client.server.clock,
                furthest: 2
            )
            let failure = try await #require(throws: ToastFailure.self) {
                try await messages.list(app: client.app, CampaignFilter()) { _ in true }
            }
            #expect(failure.kind == .tooManyResults && failure.field == "totalCount")
            var recent = CampaignFilter()
            recent.createdFrom = client.server.clock.now().advanced(by: .seconds(-150))
            #expect(try await messages.list(app: client.app, recent) { _ in true }.count == 2)
        }
    }
}
