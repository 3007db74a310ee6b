import Carillon
import CarillonModel
import Foundation
import Testing

@testable import CarillonContent

@Suite("Rows of content sets")
struct ContentTableTests {
    struct Show: Decodable, Sendable, Equatable {
        var id: String
        var title: String
        var startsAt: Date?
        var position: ContentPlace?
        var tags: [String]?
    }

    private static let page = #"""
        {"items":[{"distance":12.5,"row":{"id":"a","title":"音樂會","startsAt":"2026-11-26T11:30:00.000Z",
        "position":{"latitude":22.62,"longitude":120.31},"tags":["x","y"],"extra":{"n":1}}},
        {"row":{"id":"b","title":"Dance"}}],"nextCursor":"7.2"}
        """#
    private static let last = #"{"items":[{"row":{"id":"c","title":"Theatre"}}]}"#

    private static func answer(_ text: String) -> TransportAnswer {
        TransportAnswer(status: 200, body: Data(text.utf8))
    }

    private func shows(_ test: TestClient) -> ContentTable<Show> { test.client.content.table("events", of: Show.self) }

    /// The query items of the last request.
    private func items(_ test: TestClient) throws -> [String: String] {
        let request = try #require(test.server.requests.last)
        let url = try #require(URLComponents(string: "https://x.example/?" + (request.query ?? "")))
        return Dictionary((url.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    @Test("M-86 Rows are read as the app's type, with times, places and lists, and nothing proves the Device")
    func reads() async throws {
        let test = try TestClient()
        test.server.answerNext(Self.answer(Self.page))

        let page = try await shows(test).page()

        #expect(page.rows.map(\.id) == ["a", "b"] && page.items.map(\.distance) == [12.5, nil])
        #expect(page.rows[0].startsAt == Timestamp("2026-11-26T11:30:00Z")?.date)
        #expect(page.rows[0].position == ContentPlace(latitude: 22.62, longitude: 120.31))
        #expect(page.rows[0].tags == ["x", "y"] && page.rows[1].startsAt == nil)
        #expect(page.nextCursor == "7.2" && !page.isStored && page.unreadableCount == 0)
        let request = try #require(test.server.requests.first)
        #expect(request.method == "GET" && request.path == "/v1/content-sets/events/rows")
        #expect(request.headers["Carillon-App-Key"] == FakeServer.appKey)
        #expect(request.headers["Carillon-Device-Secret"] == nil)
        #expect(test.server.requests.count == 1)
    }

    @Test("M-51 M-52 M-53 M-54 A query says values, place, times and words as the server reads them")
    func asks() async throws {
        let test = try TestClient()
        test.server.answerNext(Self.answer(Self.last), Self.answer(Self.last), Self.answer(Self.last))
        let query = ContentQuery.matching("city", "高雄市", "台南市").matching("isFree", true).matching("session", 2)
            .words("音樂 & dance").limit(20)
            .times("startsAt", from: Timestamp(rawValue: 0).date, until: Timestamp(rawValue: 86_400_000).date)
        _ = try await test.client.content.table("events", "events", of: Show.self).fetch(query, after: "7.2")
        var asked = try items(test)
        #expect(asked.removeValue(forKey: "where") == #"{"city":["高雄市","台南市"],"isFree":["true"],"session":["2"]}"#)
        #expect(
            asked == [
                "table": "events", "words": "音樂 & dance", "time": "startsAt", "from": "1970-01-01T00:00:00.000Z",
                "until": "1970-01-02T00:00:00.000Z", "limit": "20", "cursor": "7.2",
            ]
        )

        let place = ContentPlace(latitude: 22.626_412_34, longitude: 120.317_3)
        _ = try await shows(test).fetch(.near(place, radius: 500))
        #expect(try items(test) == ["near": "22.62641,120.3173", "radius": "500.0", "limit": "50"])

        #expect(try await shows(test).row(id: "c")?.title == "Theatre")
        #expect(try items(test) == ["where": #"{"id":["c"]}"#, "limit": "1"])
    }

    @Test("Rows of many ids are asked for 50 at a time")
    func asksForMany() async throws {
        let test = try TestClient()
        test.server.answerNext(Self.answer(Self.page), Self.answer(Self.last))
        let rows = try await shows(test).rows(ids: (0..<51).map { "id\($0)" } + ["id0"])
        #expect(rows.map(\.id) == ["a", "b", "c"] && test.server.requests.count == 2)
        #expect(try await shows(test).rows(ids: []) == [])
    }

    @Test("M-89 Without a network the last answer shows, with its age and the reason, over a restart")
    func showsLastAnswer() async throws {
        let test = try TestClient()
        test.server.answerNext(Self.answer(Self.page))
        let fresh = try await shows(test).page(.words("x"))
        #expect(fresh.fetchedAt == test.time.now() && fresh.failure == nil)
        test.time.advance(90)
        test.server.answerAlways(nil)
        let again = try test.restarted()

        let old = try await shows(again).page(.words("x"))

        #expect(old.items == fresh.items && old.nextCursor == fresh.nextCursor && old.isStored)
        #expect(old.failure?.code == .unreachable && old.age(at: test.time.now().date) == 90)
        #expect(try shows(again).stored(.words("x"))?.rows == fresh.rows)
        // Another query has no answer, nor has a call that is to ask the server.
        let other = await #expect(throws: CarillonError.self) { try await shows(again).page(.words("y")) }
        #expect(other?.code == .unreachable)
        #expect(try shows(again).stored(.words("y")) == nil)
        await #expect(throws: CarillonError.self) { try await shows(again).fetch(.words("x")) }
    }

    @Test("An overloaded server has the last answer shown, and one that refuses does not")
    func refusal() async throws {
        let test = try TestClient()
        test.server.answerNext(Self.answer(Self.page), .problem(503, "busy", headers: ["Retry-After": "7"]))
        _ = try await shows(test).page()
        let old = try await shows(test).page()
        #expect(old.isStored && old.failure?.retryAfter == 7)
        test.server.answerNext(.problem(404, "unknown-content-set"))
        let refused = await #expect(throws: CarillonError.self) { try await shows(test).page() }
        #expect(refused?.problem?.code == "unknown-content-set" && refused?.isOutdatedCursor == false)
    }

    @Test("Near a place an answer serves within some hundred metres, and no farther")
    func nearby() async throws {
        let test = try TestClient()
        test.server.answerNext(Self.answer(Self.page))
        let here = ContentPlace(latitude: 22.626_49, longitude: 120.317_3)
        _ = try await shows(test).page(.near(here))
        test.server.answerAlways(nil)
        let beside = ContentPlace(latitude: 22.626_51, longitude: 120.317_3)
        #expect(try await shows(test).page(.near(beside)).rows.count == 2)
        for far in [
            ContentPlace(latitude: 22.63, longitude: 120.317_3), ContentPlace(latitude: 22.626_49, longitude: 120.32),
        ] {
            #expect(try shows(test).stored(.near(far)) == nil)
        }
        #expect(try shows(test).stored(.near(here, radius: 500)) == nil)
    }

    @Test("M-56 Pages follow each other to the last one, from disk too, and a failure repeats the page")
    func pages() async throws {
        let test = try TestClient()
        test.server.answerNext(Self.answer(Self.page), nil, Self.answer(Self.last))
        var iterator = shows(test).pages().makeAsyncIterator()
        let first = try await iterator.next()
        do {
            _ = try await iterator.next()
            Issue.record("there is no network")
        } catch { #expect((error as? CarillonError)?.code == .unreachable) }
        let second = try await iterator.next()
        #expect(try items(test)["cursor"] == "7.2")
        let end = try await iterator.next()
        #expect(first?.rows.map(\.id) == ["a", "b"] && second?.rows.map(\.id) == ["c"] && end == nil)
        #expect(test.server.requests.count == 3)

        test.server.answerAlways(nil)
        var ids: [String] = []
        for try await page in shows(test).pages() where page.isStored { ids += page.rows.map(\.id) }
        #expect(ids == ["a", "b", "c"])
    }

    @Test("A list whose version is gone says so")
    func outdated() async throws {
        let test = try TestClient()
        let error = FieldError(field: "cursor", problem: "must be of a version that is there; begin without a cursor")
        let problem = Problem(code: "invalid-field", title: "Invalid", status: 422, errors: [error])
        test.server.answerNext(TransportAnswer(status: 422, body: try JSONEncoder().encode(problem)))
        let found = await #expect(throws: CarillonError.self) { try await shows(test).page(after: "1.5") }
        #expect(found?.isOutdatedCursor == true)
    }

    @Test("A row that the type does not fit is left out and counted; when none fits the error names the field")
    func unreadable() async throws {
        let test = try TestClient()
        let some = #"{"items":[{"row":{"id":"a","title":"A"}},{"row":{"id":"b"}},{"row":{"id":"c","title":7}}]}"#
        let none = #"{"items":[{"row":{"id":"b"}}]}"#
        test.server.answerNext(
            Self.answer(some),
            Self.answer(none),
            Self.answer(#"{"items":[]}"#),
            Self.answer("<html>")
        )
        let page = try await shows(test).fetch()
        #expect(page.rows.map(\.id) == ["a"] && page.unreadableCount == 2)
        let error = await #expect(throws: CarillonError.self) { try await shows(test).fetch() }
        #expect(error?.code == .invalidArgument && error?.detail.contains("title is missing") == true)
        #expect(try await shows(test).fetch().items.isEmpty)
        let portal = await #expect(throws: CarillonError.self) { try await shows(test).fetch() }
        #expect(portal?.cause == .badAnswer)
    }

    @Test("A captive portal's page is not kept in place of rows")
    func portal() async throws {
        let test = try TestClient()
        test.server.answerNext(Self.answer(Self.page), Self.answer("<html>"))
        _ = try await shows(test).page()
        let shown = try await shows(test).page()
        #expect(shown.rows.count == 2 && shown.isStored && shown.failure?.cause == .badAnswer)
    }

    @Test("What cannot be right is refused here")
    func checks() async throws {
        let test = try TestClient()
        let content = test.client.content
        let wrong: [ContentQuery] = [
            .limit(0), .limit(201), .words(""), .words(String(repeating: "x", count: 201)), .matching("city", []),
            .near(ContentPlace(latitude: 91, longitude: 0)), .near(ContentPlace(latitude: 0, longitude: 0), radius: 0),
            .near(ContentPlace(latitude: 0, longitude: .nan)),
        ]
        for query in wrong {
            let error = await #expect(throws: CarillonError.self) { try await shows(test).page(query) }
            #expect(error?.code == .invalidArgument)
        }
        for name in ["", "..", "a/b", "a?b", "ä"] {
            let error = await #expect(throws: CarillonError.self) {
                try await content.table(name, of: Show.self).page()
            }
            #expect(error?.code == .invalidArgument)
        }
        #expect(test.server.requests.isEmpty)
    }

    @Test("M-74 Arrivals are those of a route, and the last ones without a network")
    func arrivals() async throws {
        let test = try TestClient()
        let text = #"""
            {"items":[{"stop":"s1","name":"Arena","isInbound":false,"time":"2026-11-26T11:30:00.000Z","isPredicted":true},
            {"stop":"s2","isInbound":true,"isPredicted":false}],"timeZone":"Asia/Taipei"}
            """#
        test.server.answerNext(Self.answer(text))
        let told = try await test.client.content.arrivals(onRoute: "R 1", in: "buses")
        #expect(test.server.requests.last?.path == "/v1/content-sets/buses/arrivals")
        #expect(try items(test) == ["route": "R 1"])
        #expect(told.items.map(\.stop) == ["s1", "s2"] && told.items[0].isPredicted && told.items[1].time == nil)
        #expect(told.realtimeAt == nil && !told.isStored)
        test.server.answerAlways(nil)
        let old = try await test.client.content.arrivals(onRoute: "R 1", in: "buses")
        #expect(old.items == told.items && old.isStored && old.failure?.code == .unreachable)
    }

    @Test("Answers on disk are bounded, the oldest go, and erasing removes them")
    func bounded() async throws {
        let test = try TestClient()
        var limits = ContentStorage.Limits()
        limits.files = 3
        let storage = try ContentStorage(test.client.configuration, limits: limits)
        let requests = (0..<5).map { ContentRequest("events", table: nil, .words("w\($0)"), after: nil) }
        for request in requests {
            let answer = StoredAnswer(request: request.text, fetchedAt: test.time.now(), body: Data("x".utf8))
            try storage.save(answer, of: request)
        }
        let kept = try requests.filter { try storage.answer(to: $0) != nil }
        #expect(kept.count == 3)
        limits.bytes = 1
        let small = try ContentStorage(test.client.configuration, limits: limits)
        let last = try #require(requests.last)
        try small.save(StoredAnswer(request: last.text, fetchedAt: test.time.now(), body: Data("x".utf8)), of: last)
        #expect(try requests.filter { try small.answer(to: $0) != nil }.isEmpty)

        try storage.save(StoredAnswer(request: last.text, fetchedAt: test.time.now(), body: Data("x".utf8)), of: last)
        _ = test.client.content
        try await test.client.erase(.device)
        #expect(try ContentStorage(test.client.configuration).answer(to: last) == nil)
    }
}
