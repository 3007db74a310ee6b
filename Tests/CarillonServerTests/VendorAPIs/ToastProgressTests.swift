import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// Reservations through TOAST Push's API while they are sent; it is 2026-11-21T17:44 in Korea.
struct ToastProgressTests {
    /// Reserves a message for two days at nine, and registers two phones.
    private func reserve(_ client: ToastClient) async throws -> Int64 {
        for byte in 1...2 { try await client.register(byte, uid: "u-\(byte)") }
        let body = ToastMessageTests.body([
            "schedules": ["2026-11-22T09:00", "2026-11-23T09:00"], "isLocalTime": false,
        ])
        let reply = try await client.send(.post, "reservations", body)
        return try #require(reply["reservation"]?["reservationId"]?.integer, "\(reply.body)")
    }

    /// Lets the time of a message come: 2026-11-22T09:00 in Korea is 15 hours and 16 minutes ahead.
    private func begin(_ client: ToastClient, _ id: Int64, after seconds: Int64) async throws -> OccurrenceID {
        client.server.clock.advance(byMilliseconds: 1_000 * seconds)
        try await client.server.begin(CampaignID(rawValue: id), app: client.app)
        let campaign = try await client.server.engine.campaigns.campaign(CampaignID(rawValue: id), within: client.app)
        return try #require(campaign.occurrence)
    }

    private func states(_ client: ToastClient, _ id: Int64) async throws -> [JSONValue] {
        let shown = try #require(try await client.send(.get, "reservations/\(id)")["reservation"])
        let schedules = shown["schedules"]?.array ?? []
        return [shown["reservationStatus"] ?? .null] + schedules.compactMap { $0["scheduleStatus"] }
    }

    @Test("T-68 T-73 a reservation goes from RESERVED to COMPLETED, and what it sent is listed with its counts")
    func completes() async throws {
        try await ToastClient.run { client async throws in
            let id = try await reserve(client)
            let path = "reservations/\(id)/messages"
            #expect(try await states(client, id) == ["RESERVED", "READY", "READY"])
            #expect(try await client.send(.get, path)["totalCount"] == 0)

            let first = try await begin(client, id, after: 55_000)
            #expect(try await states(client, id) == ["RESERVED", "SENDING", "READY"])
            try await client.server.deliver(first, app: client.app)
            #expect(try await states(client, id) == ["RESERVED", "DONE", "READY"])
            // Its content has gone out.
            let body = ToastMessageTests.body(["schedules": ["2026-11-24T09:00"], "isLocalTime": false])
            #expect(try await client.send(.put, "reservations/\(id)", body).code == 40009)

            let second = try await begin(client, id, after: 86_400)
            try await client.server.deliver(second, app: client.app)
            #expect(try await states(client, id) == ["COMPLETED", "DONE", "DONE"])

            let sent = try await client.send(.get, path)
            let messages = sent["messages"]?.array ?? []
            #expect(sent["totalCount"] == 2)
            #expect(messages.compactMap { $0["messageId"]?.integer } == [first.rawValue, second.rawValue])
            #expect(messages.allSatisfy { $0["targetCount"] == 2 && $0["sentCount"] == 2 })
            #expect(messages.allSatisfy { $0["messageStatus"] == "COMPLETE" })
            #expect(try await client.send(.get, path + "?pageSize=1&pageIndex=1")["messages"]?.array?.count == 1)
            let one = try await client.send(.get, "messages/\(second.rawValue)")
            #expect(one["message"]?["sentCount"] == 2)
            let completed = try await client.send(.get, "reservations?reservationStatus=COMPLETED")
            #expect(completed["totalCount"] == 1)
        }
    }

    @Test("T-56 T-57 a message without anybody left, and one whose key Apple refuses, have states of their own")
    func cancelledStates() async throws {
        try await ToastClient.run { client async throws in
            let sent = try await client.send(.post, "messages", ToastMessageTests.body())
            let number = try #require(sent["message"]?["messageId"]?.integer, "\(sent.body)")
            let campaigns = client.server.engine.campaigns
            var campaign = try await campaigns.campaign(of: OccurrenceID(rawValue: number), app: client.app)
            func status(_ state: Campaign.State) -> ToastMessageWriter.Status {
                campaign.state = state
                return ToastMessageWriter.status(campaign)
            }
            #expect(status(.sent) == .complete && status(.paused) == .processing)
            campaign.reachedNobody = true
            #expect(status(.sent).rawValue == "CANCEL_NO_TARGET")
            campaign.alarm = "Apple refuses the key."
            #expect(status(.paused).rawValue == "CANCEL_INVALID_CERTIFICATE")

            var occurrence = Occurrence(at: nil, group: nil, plannedAt: client.server.clock.now())
            occurrence.state = .sent
            #expect(ToastMessageWriter.status(occurrence) == .complete)
            occurrence.reachedNobody = true
            #expect(ToastMessageWriter.status(occurrence) == .noTarget)
        }
    }

    @Test("T-72 a partly sent reservation is kept as cancelled, and the rest is not sent")
    func cancelsTheRest() async throws {
        try await ToastClient.run { client async throws in
            let id = try await reserve(client)
            let first = try await begin(client, id, after: 55_000)
            try await client.server.deliver(first, app: client.app)

            #expect(try await client.send(.delete, "reservations?reservationIds=\(id)").code == 0)

            #expect(try await states(client, id) == ["CANCELED", "DONE", "CANCELED"])
            #expect(try await client.send(.get, "reservations?reservationStatus=CANCELED")["totalCount"] == 1)
            #expect(try await client.send(.get, "reservations/\(id)/messages")["totalCount"] == 1)
            client.server.clock.advance(byMilliseconds: 86_400_000)
            let work = try await client.server.stores.deliveries.overview(
                at: client.server.clock.now(),
                from: WorkCursor()
            )
            #expect(work.dueCampaigns.isEmpty && work.waves.isEmpty)
        }
    }

    @Test("T-72 one completed reservation in a list stops all of it from being deleted")
    func deletesAllOrNone() async throws {
        try await ToastClient.run { client async throws in
            let done = try await reserve(client)
            let first = try await begin(client, done, after: 55_000)
            try await client.server.deliver(first, app: client.app)
            let second = try await begin(client, done, after: 86_400)
            try await client.server.deliver(second, app: client.app)
            let body = ToastMessageTests.body(["schedules": ["2026-11-25T09:00"], "isLocalTime": false])
            let reply = try await client.send(.post, "reservations", body)
            let open = try #require(reply["reservation"]?["reservationId"]?.integer, "\(reply.body)")

            let refused = try await client.send(.delete, "reservations?reservationIds=\(open),\(done)")

            #expect(refused.code == 40009 && refused.message.contains("reservationIds<\(done)>"))
            #expect(try await states(client, open) == ["RESERVED", "READY"])
        }
    }

    @Test("T-27 T-76 one message of a reservation is counted alone; its dead tokens are those of the reservation")
    func countsOneMessage() async throws {
        try await ToastClient.run { client async throws in
            let id = try await reserve(client)
            let first = try await begin(client, id, after: 55_000)
            try await client.server.deliver(first, app: client.app)
            let second = try await begin(client, id, after: 86_400)
            try await client.server.deliver(second, app: client.app, .expired)

            for (number, sent, failed) in [(first.rawValue, 2, 0), (second.rawValue, 0, 2), (id, 2, 2)]
                as [(Int64, Int64, Int64)]
            {
                let query = "eventCategory=MESSAGE&messageId=\(number)&from=2026-11-21T00:00"
                let total = try await client.send(.get, "stats/total?" + query)["total"]
                #expect(total?["SENT"] == .integer(sent) && total?["SENT_FAILED"] == .integer(failed), "\(number)")
                let points = try await client.send(.get, "stats?" + query)["stats"]?.array ?? []
                #expect(points.compactMap { $0["events"]?["SENT"]?.integer }.reduce(0, +) == sent)
            }
            let refused = try await client.send(.get, "invalid-tokens?messageId=\(second.rawValue)")
            #expect(refused.code == 40001 && refused.message.contains("reservationId"), "\(refused.body)")
            #expect(try await client.send(.get, "invalid-tokens?messageId=\(id)").code == 0)
        }
    }
}
