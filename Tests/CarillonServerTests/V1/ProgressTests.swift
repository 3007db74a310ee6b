import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

struct ProgressTests {
    /// A Campaign that is over, so that its stream ends.
    private func cancelled(_ server: TestServer) async throws -> CampaignID {
        let app = try await server.makeApp().app.id
        var request = CampaignRequest(
            audience: .all,
            message: Message(content: ["default": LocalizedContent(title: "t")])
        )
        request.draft = true
        let campaign = try await server.engine.campaigns.create(app: app, request)
        return try await server.engine.campaigns.cancel(campaign.id, within: nil).id
    }

    private func ticket(_ server: TestServer, _ id: CampaignID) async throws -> StreamTicket {
        let answer = try await server.send(.post, "/v1/campaigns/\(id)/progress-ticket", key: server.serverKey)
        #expect(answer.status == .created)
        return try answer.decoded(StreamTicket.self)
    }

    @Test("A ticket opens the stream, which ends with the Campaign")
    func streams() async throws {
        try await TestServer.run { server in
            let id = try await cancelled(server)
            let ticket = try await ticket(server, id)

            let answer = try await server.send(.get, "/v1/campaigns/\(id)/progress?ticket=\(ticket.ticket)")

            let text = String(buffer: answer.body)
            #expect(answer.headers[.contentType] == "text/event-stream")
            #expect(text.hasPrefix("event: progress\ndata: {") && text.hasSuffix("}\n\n"))
            let data = try #require(text.split(separator: "\n").last?.dropFirst(6))
            let step = try JSONDecoder().decode(CampaignProgress.self, from: Data(data.utf8))
            #expect(step.campaign == id && step.state == .cancelled)
        }
    }

    @Test("A ticket opens one stream of its Campaign, within a minute")
    func isUsedOnce() async throws {
        try await TestServer.run { server in
            let id = try await cancelled(server)
            let used = try await ticket(server, id)
            let late = try await ticket(server, id)
            let other = try await ticket(server, try await cancelled(server))
            func open(_ ticket: StreamTicket) async throws -> TestResponse {
                try await server.send(.get, "/v1/campaigns/\(id)/progress?ticket=\(ticket.ticket)")
            }

            #expect(try await open(used).status == .ok)
            #expect(try await open(used).problem == "wrong-ticket")
            #expect(try await open(other).problem == "wrong-ticket")
            server.clock.advance(byMilliseconds: ProgressTickets.lifetime)
            #expect(try await open(late).problem == "wrong-ticket")
            #expect(try await server.send(.get, "/v1/campaigns/\(id)/progress").problem == "missing-credentials")
        }
    }

    @Test("The number of streams is limited")
    func boundsStreams() async throws {
        try await TestServer.run { configuration, _ in
            configuration.maximumStreams = 0
        } _: { server in
            let id = try await cancelled(server)
            let ticket = try await ticket(server, id)

            let answer = try await server.send(.get, "/v1/campaigns/\(id)/progress?ticket=\(ticket.ticket)")

            #expect(answer.problem == "too-many-requests" && answer.headers[.retryAfter] != nil)
        }
    }

    @Test("S1-m4 A stream has no HEAD, which would consume a ticket and a place")
    func hasNoHead() async throws {
        try await TestServer.run { server in
            let id = try await cancelled(server)
            let path = "/v1/campaigns/\(id)/progress?ticket=\(try await ticket(server, id).ticket)"

            let head = try await server.send(.head, path)

            #expect(head.status == .methodNotAllowed && head.headers[.allow] == "GET")
            #expect(try await server.send(.get, path).status == .ok)
            #expect(try await server.send(.head, "/v1/campaigns/\(id)", key: server.serverKey).status == .ok)
        }
    }

    @Test("S1-m4 One App has a quarter of the streams, and an unread stream releases its place")
    func boundsStreamsByApp() {
        let metrics = ServerMetrics(startedAt: 0)
        let streams = ProgressRoutes.places(8, metrics)
        func shown(_ count: Int) -> Bool {
            var page = MetricsPage()
            metrics.write(to: &page)
            return page.text.contains("\ncarillon_http_streams \(count)\n")
        }
        let (app, other) = (AppID(rawValue: 1), AppID(rawValue: 2))
        var places = (0..<3).map { _ in try? streams.acquire(app) }

        #expect(places.map { $0 != nil } == [true, true, false])
        #expect(shown(2))
        #expect((try? streams.acquire(other)) != nil)
        places = []
        #expect(shown(0))
        #expect((try? streams.acquire(app)) != nil)
    }

    @Test("Above ten thousand tickets the oldest is removed")
    func boundsTickets() {
        let clock = MovableClock()
        let tickets = ProgressTickets(clock: clock)
        let grant = ProgressTickets.Grant(campaign: CampaignID(rawValue: 1), of: AppID(rawValue: 1), within: nil)
        let first = tickets.issue(grant)
        clock.advance(byMilliseconds: 1)
        let second = tickets.issue(grant)
        for _ in 2..<ProgressTickets.maximumCount { _ = tickets.issue(grant) }

        _ = tickets.issue(grant)

        #expect(tickets.redeem(first.ticket) == nil)
        #expect(tickets.redeem(second.ticket) == grant)
    }
}
