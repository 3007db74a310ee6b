import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@Suite struct StatisticsRouteTests {
    @Test("A statistics key is created, listed, changed and deleted") func statisticsKeyLifecycle() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .admin)
            let body = #"{"name":"Spring","startsAt":"2026-03-01T00:00:00Z","endsAt":"2026-04-01T00:00:00Z"}"#

            let created = try await server.send(.post, "/v1/statistics-ids", body, key: key)
            let made: StatisticsKey = try created.decoded()
            let path = "/v1/statistics-ids/\(made.id)"
            let listed = try await server.send(.get, "/v1/statistics-ids", key: key)
            let changed = try await server.send(.put, path, #"{"name":"Summer","description":"d"}"#, key: key)
            let found = try await server.send(.get, path, key: key)
            let gone = try await server.send(.delete, path, key: key)

            #expect(created.status == .created && created.headers[.location] == path)
            #expect(try listed.decoded(Page<StatisticsKey>.self).items == [made])
            #expect(try changed.decoded(StatisticsKey.self).endsAt == nil)
            #expect(try found.decoded(StatisticsKey.self).name == "Summer")
            #expect(gone.status == .noContent)
            #expect(try await server.send(.get, path, key: key).problem == "unknown-statistics-id")
        }
    }

    @Test("Statistics keys and counts of another App are not found") func hidesOtherAppsStatistics() async throws {
        try await TestServer.run { server in
            let mine = try await server.makeApp().app.id
            let other = try await server.makeApp().app.id
            let theirs = try await server.engine.statistics.create(app: other, StatisticsKeyRequest(name: "theirs"))
            let key = try await server.makeKey(mine, .admin)
            let path = "/v1/statistics-ids/\(theirs.id)"

            #expect(try await server.send(.get, path, key: key).status == .notFound)
            #expect(try await server.send(.put, path, #"{"name":"x"}"#, key: key).status == .notFound)
            #expect(try await server.send(.delete, path, key: key).status == .notFound)
            #expect(try await server.send(.get, "/v1/statistics?app=\(other)", key: key).status == .notFound)
            let message = #""message":{"content":{"default":{"body":"b"}}}"#
            let wrong = #"{"audience":{"all":true},\#(message),"statisticsID":"\#(theirs.id)"}"#
            let refused = try await server.send(.post, "/v1/campaigns", wrong, key: key)
            #expect(refused.status == .unprocessableContent && refused.field == "statisticsID")
        }
    }

    @Test("Statistics require scope read, and their query is parsed strictly")
    func statisticsNeedScopeRead() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .read)
            let sender = try await server.makeKey(app, .send)

            let answer = try await server.send(.get, "/v1/statistics?unit=hour&timeZone=Asia/Tokyo", key: key)
            let series: StatisticsSeries = try answer.decoded()
            #expect(series.points.isEmpty && series.total.isEmpty && series.unit == .hour)
            #expect(try await server.send(.get, "/v1/statistics", key: sender).problem == "missing-scope")
            #expect(try await server.send(.post, "/v1/statistics-ids", #"{"name":"n"}"#, key: key).status == .forbidden)

            let wrong = [
                "unit=week": "unit", "from=yesterday": "from", "statistics=sta_1": "statistics",
                "channel=mail": "channel",
                "timeZone=Mars/Olympus": "timeZone", "since=1": "since",
                "unit=minute&from=2026-01-01T00:00:00Z&until=2026-01-03T00:00:00Z": "until",
            ]
            for (query, field) in wrong {
                let refused = try await server.send(.get, "/v1/statistics?\(query)", key: key)
                #expect(refused.status == .unprocessableContent && refused.field == field, "\(query)")
            }
            let offset = "from=2026-11-19T01:00:00%2B09:00&until=2026-11-19T02:00:00+09:00"
            let inTokyo = try await server.send(.get, "/v1/statistics?\(offset)", key: key)
            #expect(try inTokyo.decoded(StatisticsSeries.self).from.description == "2026-11-18T16:00:00.000Z")
        }
    }
}
