import Carillon
import CarillonContent
import CarillonModel
import Foundation
import Testing

/// What the SDK does with content sets, with the same result from both servers.
@Suite("Content sets, on both servers")
struct ContentContractTests {
    private static let arena = ContentPlace(latitude: 22.6264, longitude: 120.3173)

    private static func row(
        _ id: String,
        _ title: String,
        _ city: String? = nil,
        free: Bool? = nil,
        day: Int? = nil,
        at place: ContentPlace? = nil,
        kinds: [String]? = nil
    ) -> ContractRow {
        var row = ContractRow(id, title)
        row.city = city
        row.isFree = free
        row.startsAt = day.map { Date(timeIntervalSince1970: 1_800_000_000 + Double($0) * 86_400) }
        row.position = place.map { .init(latitude: $0.latitude, longitude: $0.longitude) }
        row.kinds = kinds
        return row
    }

    /// In the table's order: by time, rows without one last, then by id.
    private static let rows = [
        row("c", "Jazz Night 音樂會", "Kaohsiung", free: true, day: 1, at: arena, kinds: ["music", "night"]),
        row("a", "Dance 舞蹈", "Taipei", free: false, day: 2, at: ContentPlace(latitude: 25.04, longitude: 121.56)),
        row("d", "ＪＡＺＺ in 臺北", "Taipei", free: true, day: 2, kinds: ["music"]),
        row("b", "Museum", "Kaohsiung", at: ContentPlace(latitude: 22.63, longitude: 120.32)),
        row("e", "Harbour walk"),
    ]

    private func shows(_ client: CarillonClient) -> ContentTable<ContractRow> {
        client.content.table(ContractContent.set, of: ContractRow.self)
    }

    private func problem(_ body: () async throws -> Void) async -> Problem? {
        do {
            try await body()
            return nil
        } catch { return (error as? CarillonError)?.problem }
    }

    @Test("M-51 M-52 M-53 M-54 Rows are found by field, place, time, words and id", arguments: ContractServer.allCases)
    func finds(_ server: ContractServer) async throws {
        try await server.run { world in
            let client = try world.client("phone")
            let missing = await problem { _ = try await shows(client).fetch() }
            #expect(missing?.code == "unknown-content-set" && missing?.status == 404)
            try await world.setContent(Self.rows)
            let start = Date(timeIntervalSince1970: 1_800_000_000)
            let queries: [(ContentQuery, [String])] = [
                (ContentQuery(), ["c", "a", "d", "b", "e"]), (.matching("city", "Taipei"), ["a", "d"]),
                (.matching("city", "Taipei", "Kaohsiung").matching("isFree", true), ["c", "d"]),
                (.matching("kinds", "music"), ["c", "d"]), (.matching("id", "b"), ["b"]), (.matching("id", "x"), []),
                (.words("jazz"), ["c", "d"]), (.words("音樂"), ["c"]), (.words("樂會"), ["c"]), (.words("台北"), ["d"]),
                (.words("jaz"), []), (.words("jazz night"), ["c"]), (.words("dance").matching("city", "Kaohsiung"), []),
                (.times("startsAt", from: start.addingTimeInterval(2 * 86_400)), ["a", "d"]),
                (.times("startsAt", until: start.addingTimeInterval(2 * 86_400)), ["c"]),
                (.near(Self.arena, radius: 1_000), ["c", "b"]), (.near(Self.arena, radius: 100), ["c"]),
                (.near(ContentPlace(latitude: 0, longitude: 0)), []),
            ]
            for (query, ids) in queries {
                #expect(try await shows(client).fetch(query).rows.map(\.id) == ids, "\(query)")
            }
            #expect(try await shows(client).fetch().rows == Self.rows)
            let distances = try await shows(client).fetch(.near(Self.arena, radius: 1_000)).items.map(\.distance)
            #expect(distances.count == 2 && distances[0] == 0 && abs((distances[1] ?? 0) - 487.5) < 2)
            #expect(try await shows(client).row(id: "a")?.title == "Dance 舞蹈")
            #expect(try await shows(client).rows(ids: ["e", "a", "x"]).map(\.id) == ["a", "e"])
        }
    }

    @Test("M-56 A list goes on in its version until the second import after it", arguments: ContractServer.allCases)
    func pages(_ server: ContractServer) async throws {
        try await server.run { world in
            let client = try world.client("phone")
            try await world.setContent(Self.rows)
            var all: [String] = []
            for try await page in shows(client).pages(.limit(2)) { all += page.rows.map(\.id) }
            #expect(all == ["c", "a", "d", "b", "e"])

            let first = try await shows(client).fetch(.limit(3))
            let cursor = try #require(first.nextCursor)
            try await world.setContent([Self.row("z", "New", day: 0)])
            #expect(try await shows(client).fetch(.limit(3), after: cursor).rows.map(\.id) == ["b", "e"])
            #expect(try await shows(client).fetch().rows.map(\.id) == ["z"])
            try await world.setContent([Self.row("y", "Newer", day: 0)])
            let outdated = await #expect(throws: CarillonError.self) {
                try await shows(client).fetch(.limit(3), after: cursor)
            }
            #expect(outdated?.isOutdatedCursor == true)
        }
    }

    @Test("Queries that do not fit are refused with their fields", arguments: ContractServer.allCases)
    func refusesQueries(_ server: ContractServer) async throws {
        try await server.run { world in
            try await world.setContent(Self.rows)
            let get = { (query: String) in
                RawRequest("GET").with {
                    $0.path = "/v1/content-sets/events/rows?" + query
                    $0.secret = nil
                }
            }
            for (query, field) in [
                ("where=%7B%22title%22%3A%22x%22%7D", "where"), ("where=x", "where"), ("near=1", "near"),
                ("radius=5", "near"), ("near=1,1&radius=0", "radius"), ("near=91,1", "near"), ("limit=0", "limit"),
                ("time=title&from=2026-01-01T00:00:00Z", "time"), ("from=2026-01-01T00:00:00Z", "time"),
                ("time=startsAt&from=x", "from"), ("words=%21", "words"), ("cursor=x", "cursor"),
                ("cursor=0.1", "cursor"), ("page=2", "page"), ("limit=1&limit=2", "limit"),
                ("where=%7B%22city%22%3A%5B%5D%7D", "where"),
            ] {
                #expect(try await world.exchange(get(query)) == .init(422, "invalid-field", field), "\(query)")
            }
            #expect(try await world.exchange(get("table=x")) == .init(404, "unknown-content-set"))
            #expect(try await world.exchange(get("").with { $0.appKey = .wrong }) == .init(401, "wrong-credentials"))
            #expect(
                try await world.exchange(get("").with { $0.appKey = .missing }) == .init(401, "missing-credentials")
            )
            let arrivals = get("").with { $0.path = "/v1/content-sets/events/arrivals" }
            #expect(try await world.exchange(arrivals) == .init(422, "invalid-field", "route"))
            let unknown = get("").with { $0.path = "/v1/content-sets/events/arrivals?route=1" }
            // The set has no table of routes.
            #expect(try await world.exchange(unknown) == .init(409, "conflict"))
        }
    }

    @Test("A person's follows are on all their phones and on no other person's", arguments: ContractServer.allCases)
    func follows(_ server: ContractServer) async throws {
        try await server.run { world in
            try await world.setContent(Self.rows)
            let kim = UserID(rawValue: "kim")
            let phone = try await world.registered(user: kim)
            let tablet = try world.client("tablet")
            try await tablet.register(consent: Consent(notifications: true), user: kim)
            let other = try world.client("other")
            try await other.register(consent: Consent(notifications: true), user: UserID(rawValue: "lee"))
            try await world.signUsers()
            let query = ContentQuery.matching("city", "Taipei").near(Self.arena, radius: 500).words("jazz")

            let follow = try await shows(phone).follow(query, name: "jazz", isBundled: true)
            try await shows(phone).follow(.matching("kinds", "music"))
            #expect(follow.isSent)
            let seen = try await tablet.content.fetchFollows(in: ContractContent.set)
            #expect(seen.follows.count == 2 && seen.contains(query) && seen.contains(.matching("kinds", "music")))
            let found = try #require(seen.follows.first { $0.name == "jazz" })
            #expect(found.query == query && found.isBundled && found.isSent && found.table == "events")

            try await shows(tablet).stopFollowing(.matching("kinds", "music"))
            try await tablet.content.stopFollowing("nothing", in: ContractContent.set)
            #expect(try await phone.content.fetchFollows(in: ContractContent.set).follows.map(\.name) == ["jazz"])
            #expect(try await other.content.fetchFollows(in: ContractContent.set).follows == [])
        }
    }

    @Test("Another user of a phone has none of the follows of the last one", arguments: ContractServer.allCases)
    func nextUser(_ server: ContractServer) async throws {
        try await server.run { world in
            try await world.setContent(Self.rows)
            let kim = UserID(rawValue: "kim")
            let phone = try await world.registered(user: kim)
            try await shows(phone).follow(.matching("kinds", "music"), name: "music")
            try await phone.setUser(UserID(rawValue: "lee"))
            #expect(try await phone.content.fetchFollows(in: ContractContent.set).follows == [])
            try await phone.setUser(kim)
            #expect(try await phone.content.fetchFollows(in: ContractContent.set).follows.map(\.name) == ["music"])
            // The last phone of the person takes along what the server has of them.
            try await phone.erase(.user)
            try await phone.register(consent: Consent(notifications: true), user: kim)
            #expect(try await phone.content.fetchFollows(in: ContractContent.set).follows == [])
        }
    }

    @Test("Follows that do not fit are refused", arguments: ContractServer.allCases)
    func refusesFollows(_ server: ContractServer) async throws {
        try await server.run { world in
            let path = "/content-sets/events/follows"
            let device = RawRequest(
                "PUT",
                "",
                #"{"consent":{"notifications":true,"ads":false,"nightAds":false},"pushType":"apns"}"#
            )
            #expect(try await world.exchange(RawRequest("GET", path)) == .init(404, "unknown-device"))
            #expect(try await world.exchange(device) == .init(201))
            #expect(try await world.exchange(RawRequest("GET", path)) == .init(409, "user-required"))
            let owned = device.with { $0.body = $0.body.map { $0.dropLast() + #","user":"kim"}"# } }
            #expect(try await world.exchange(owned) == .init(200))
            #expect(try await world.exchange(RawRequest("GET", path)) == .init(404, "unknown-content-set"))
            try await world.setContent(Self.rows)

            for (body, field) in [
                (#"{"user":"lee"}"#, "user"), (#"{"audience":{"all":true}}"#, "audience"), (#"{"table":"x"}"#, "table"),
                (#"{"where":{"title":"x"}}"#, "where"), (#"{"where":{"city":1.5}}"#, "where"),
                (#"{"words":"!"}"#, "words"),
                (#"{"radius":5}"#, "near"), (#"{"time":"startsAt"}"#, "time"),
                (#"{"near":{"latitude":91,"longitude":0}}"#, "near.latitude"),
            ] {
                let put = RawRequest("PUT", path + "/x", body)
                #expect(try await world.exchange(put) == .init(422, "invalid-field", field), "\(body)")
            }
            let put = RawRequest("PUT", path + "/x", "{}")
            #expect(
                try await world.exchange(RawRequest("PUT", path + "/a~b", "{}"))
                    == .init(422, "invalid-field", "follow")
            )
            #expect(try await world.exchange(put) == .init(200))
            #expect(try await world.exchange(put.with { $0.secret = nil }) == .init(401, "missing-credentials"))
            let stranger = put.with { $0.secret = String(repeating: "o", count: 43) }
            #expect(try await world.exchange(stranger) == .init(403, "wrong-device-secret"))
            #expect(try await world.exchange(RawRequest("DELETE", path + "/x")) == .init(204))
            #expect(try await world.exchange(RawRequest("DELETE", path + "/x")) == .init(404, "unknown-content-follow"))
            #expect(try await world.exchange(RawRequest("POST", path, "{}")) == .init(405, "method-not-allowed"))
        }
    }
}
