import Carillon
import CarillonModel
import Foundation
import Testing

@testable import CarillonContent

@Suite("Following content")
struct FollowTests {
    private static let ann = UserID(rawValue: "ann")!
    private static let music = ContentQuery.matching("category", "1")

    private func client(user: UserID? = Self.ann) async throws -> TestClient {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent, user: user)
        return test
    }

    private func known(_ test: TestClient, _ user: UserID = Self.ann) -> [String: JSONValue] {
        test.server.with { $0.follows[user]?["events"] } ?? [:]
    }

    private func shows(_ test: TestClient) -> ContentTable<JSONValue> {
        test.client.content.table("events", "events", of: JSONValue.self)
    }

    @Test("M-86 A query, a place with a radius and words are followed at once, listed and stopped")
    func follows() async throws {
        let test = try await client()
        let place = ContentPlace(latitude: 22.6264, longitude: 120.3173)
        let query = Self.music.near(place, radius: 500).words("jazz")

        let follow = try await shows(test).follow(query, name: "jazz-here", isBundled: true)

        #expect(follow.isSent && follow.query == query && follow.id == "events/jazz-here")
        let sent = try #require(known(test)["jazz-here"])
        #expect(sent["table"] == .string("events") && sent["isBundled"] == .bool(true))
        #expect(sent["where"] == .object(["category": .array([.string("1")])]) && sent["words"] == .string("jazz"))
        #expect(sent["near"]?["latitude"]?.number == 22.6264 && sent["radius"]?.number == 500)
        let fetched = try await test.client.content.fetchFollows(in: "events")
        #expect(fetched.follows == [follow] && fetched.fetchedAt == test.time.now())
        #expect(fetched.contains(query) && fetched.contains(query, table: "events"))
        #expect(!fetched.contains(Self.music) && !fetched.contains(query, table: "others"))

        try await test.client.content.stopFollowing("jazz-here", in: "events")
        #expect(known(test).isEmpty)
        #expect(try await test.client.content.storedFollows(in: "events").follows == [])
        // Again: what nobody follows has ended.
        try await test.client.content.stopFollowing("jazz-here", in: "events")
        #expect(try await test.client.content.waitingCount == 0)
    }

    @Test("Without a name the same query has the same one on each phone, and another query another one")
    func names() async throws {
        let test = try await client()
        let table = shows(test)
        try await table.follow(.matching("city", "a", "b"))
        try await table.follow(.matching("city", "b", "a"))
        try await table.follow(.matching("city", "a"))
        try await table.follow(.words("a"))
        #expect(known(test).count == 3)
        try await table.stopFollowing(.matching("city", "b", "a"))
        #expect(known(test).count == 2)
        #expect(
            ContentFollow(set: "s", query: .words("a")).name
                != ContentFollow(set: "s", table: "t", query: .words("a")).name
        )
    }

    @Test("A follow made offline is kept over a restart, shows as waiting, and is sent by itself")
    func offline() async throws {
        let test = try await client()
        test.server.answerAlways(nil)
        let follow = try await shows(test).follow(Self.music, name: "music")
        #expect(!follow.isSent)
        #expect(try await test.client.content.storedFollows(in: "events").follows == [follow])

        let again = try test.restarted()
        let content = again.client.content
        #expect(try await content.storedFollows(in: "events").follows.map(\.isSent) == [false])
        #expect(try await content.waitingCount == 1)
        test.server.recover()
        let running = Task { await again.client.run() }
        while known(test)["music"] == nil { await Task.yield() }
        while try await content.waitingCount > 0 { await Task.yield() }
        running.cancel()
        #expect(try await content.fetchFollows(in: "events").follows.map(\.isSent) == [true])
    }

    @Test("Of several changes offline the last one of each follow is sent, in the order in which they were made")
    func lastCounts() async throws {
        let test = try await client()
        let (content, table) = (test.client.content, shows(test))
        try await table.follow(Self.music, name: "a")
        test.server.answerAlways(nil)
        try await table.follow(.words("x"), name: "b")
        try await content.stopFollowing("a", in: "events")
        try await table.follow(.words("y"), name: "b")
        try await table.follow(.words("z"), name: "c")
        try await content.stopFollowing("c", in: "events")
        #expect(try await content.waitingCount == 3)
        #expect(try await content.storedFollows(in: "events").follows.map(\.name) == ["b"])
        test.server.recover()
        let before = test.server.personRequests.count
        await test.client.refresh()
        #expect(
            test.server.personRequests.dropFirst(before) == [
                "DELETE content-sets/events/follows/a", "PUT content-sets/events/follows/b",
                "DELETE content-sets/events/follows/c",
            ]
        )
        #expect(known(test)["b"]?["words"] == .string("y") && known(test).count == 1)
        #expect(try await content.waitingCount == 0)
    }

    @Test("What the server refuses is thrown with its problem, and not followed")
    func refusal() async throws {
        let test = try await client()
        for (status, code) in [(422, "invalid-field"), (409, "conflict"), (404, "unknown-content-set")] {
            test.server.answerNext(.problem(status, code))
            let error = await #expect(throws: CarillonError.self) { try await shows(test).follow(Self.music) }
            #expect(error?.problem?.code == code)
            #expect(try await test.client.content.waitingCount == 0)
        }
    }

    @Test(
        "What somebody before the server answers is no answer: the follow waits, and is sent later",
        arguments: [200, 302, 403, 404, 407, 409, 422, 502]
    )
    func proxy(_ status: Int) async throws {
        let test = try await client()
        let page = Data("<html>Who are you?</html>".utf8)
        test.server.answerNext(TransportAnswer(status: status, headers: ["Content-Type": "text/html"], body: page))
        let follow = try await shows(test).follow(Self.music)
        #expect(!follow.isSent && !follow.isReplaced)
        #expect(try await test.client.content.storedFollows(in: "events").follows == [follow])
        #expect(try await test.client.content.waitingCount == 1)
        await test.client.refresh()
        #expect(known(test).count == 1)

        // Stopping is no different.
        test.server.answerNext(TransportAnswer(status: status, headers: ["Content-Type": "text/html"], body: page))
        try await shows(test).stopFollowing(Self.music)
        #expect(try await test.client.content.waitingCount == 1)
        await test.client.refresh()
        #expect(known(test).isEmpty)
    }

    @Test("A refusal by the server that is not about the follow has it wait") func otherRefusal() async throws {
        let test = try await client()
        test.server.answerNext(.problem(403, "app-paused"))
        #expect(try await !shows(test).follow(Self.music).isSent)
        #expect(try await test.client.content.waitingCount == 1)
    }

    @Test("An overloaded server is asked again when it says so, and not before")
    func retryAfter() async throws {
        let test = try await client()
        test.server.answerNext(.problem(503, "busy", headers: ["Retry-After": "60"]))
        #expect(try await !shows(test).follow(Self.music, name: "music").isSent)
        let before = test.server.requests.count
        #expect(try await !shows(test).follow(.words("x"), name: "other").isSent)
        #expect(test.server.requests.count == before)
        test.time.advance(61)
        await test.client.refresh()
        #expect(Set(known(test).keys) == ["music", "other"])
    }

    @Test("Follows are a person's: without a user there are none, and another user starts with none")
    func owner() async throws {
        let test = try await client(user: nil)
        let content = test.client.content
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await content.follow(ContentFollow(set: "events", query: Self.music)) },
            { try await content.stopFollowing("x", in: "events") },
            { _ = try await content.fetchFollows(in: "events") },
        ]
        for call in calls {
            let error = await #expect(throws: CarillonError.self) { try await call() }
            #expect(error?.code == .userRequired)
        }
        #expect(try await content.storedFollows(in: "events").follows == [])

        try await test.client.setUser(Self.ann)
        try await shows(test).follow(Self.music, name: "sent")
        test.server.answerAlways(nil)
        try await shows(test).follow(Self.music, name: "waiting")
        try? await test.client.setUser(UserID(rawValue: "bob"))
        #expect(try await content.storedFollows(in: "events").follows == [])
        #expect(try await content.waitingCount == 0)
        test.server.recover()
        await test.client.refresh()
        #expect(Set(known(test).keys) == ["sent"] && known(test, UserID(rawValue: "bob")!).isEmpty)
    }

    /// Follows, and follows something else under the same name while the request waits.
    private func followTwice(
        _ test: TestClient,
        answering answer: TransportAnswer? = nil,
        isAnswered: Bool = true
    ) async throws -> (Result<ContentFollow, any Error>, ContentFollow) {
        let (content, server) = (test.client.content, test.server)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        server.holdNext { for await _ in gate { break } }
        let first = Task { try await content.follow(ContentFollow(set: "events", name: "a", query: Self.music)) }
        while server.isHolding { await Task.yield() }
        if let answer { server.answerNext(answer) } else if !isAnswered { server.answerNext(nil) }
        let second = Task { try await content.follow(ContentFollow(set: "events", name: "a", query: .words("x"))) }
        while try await content.storedFollows(in: "events").follows.first?.query != .words("x") { await Task.yield() }
        open.yield()
        return (await first.result, try await second.value)
    }

    @Test("A change during the request of another one is sent after it, and stays")
    func duringRequest() async throws {
        let test = try await client()
        let (first, second) = try await followTwice(test)
        // The server had it, until the second one came.
        let followed = try first.get()
        #expect(followed.isSent && followed.isReplaced)
        #expect(second.isSent && !second.isReplaced)
        #expect(known(test)["a"]?["words"] == .string("x") && known(test)["a"]?["where"] == nil)
    }

    @Test("A follow that is replaced before the server has it is not sent") func replaced() async throws {
        let test = try await client()
        let (first, second) = try await followTwice(test, isAnswered: false)
        let followed = try first.get()
        #expect(!followed.isSent && followed.isReplaced)
        #expect(!second.isReplaced)
        await test.client.refresh()
        #expect(known(test)["a"]?["words"] == .string("x") && known(test).count == 1)
    }

    @Test("A follow that the server refuses is thrown, also when another one has replaced it")
    func refusedAndReplaced() async throws {
        let test = try await client()
        let (first, second) = try await followTwice(test, answering: .problem(422, "invalid-field"))
        #expect(throws: CarillonError.self) { try first.get() }
        #expect(second.isSent && known(test)["a"]?["words"] == .string("x"))
    }

    @Test("A follow of a user whom the app replaces before it is sent is thrown") func replacedOwner() async throws {
        let test = try await client()
        let (content, server) = (test.client.content, test.server)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        server.holdNext { for await _ in gate { break } }
        let follow = Task { try await content.follow(ContentFollow(set: "events", name: "a", query: Self.music)) }
        while server.isHolding { await Task.yield() }
        server.answerAlways(nil)
        let change = Task { try? await test.client.setUser(UserID(rawValue: "bob")) }
        while try await !content.storedFollows(in: "events").follows.isEmpty { await Task.yield() }
        open.yield()
        let error = await #expect(throws: CarillonError.self) { try await follow.value }
        #expect(error?.code == .userRequired)
        _ = await change.value
        server.recover()
        await test.client.refresh()
        #expect(known(test, UserID(rawValue: "bob")!).isEmpty)
    }

    @Test("What cannot be right is refused here, and nothing is kept of it")
    func checks() async throws {
        let test = try await client()
        let content = test.client.content
        let wrong = [
            ContentFollow(set: "a/b", query: Self.music), ContentFollow(set: "events", name: "a b", query: Self.music),
            ContentFollow(set: "events", name: "", query: Self.music),
            ContentFollow(set: "events", query: .times("startsAt")), ContentFollow(set: "events", query: .words("")),
        ]
        for follow in wrong {
            let error = await #expect(throws: CarillonError.self) { try await content.follow(follow) }
            #expect(error?.code == .invalidArgument)
        }
        #expect(try await content.waitingCount == 0)
    }

    @Test("Erasing removes what waits and what was fetched, also when the app has not used content since its launch")
    func erasesUnused() async throws {
        let test = try await client()
        test.server.answerAlways(nil)
        try await shows(test).follow(Self.music)
        let again = try test.restarted()
        test.server.recover()
        try await again.client.erase(.user)
        try await again.client.register(consent: Sample.consent, user: Self.ann)
        await again.client.refresh()
        #expect(try await again.client.content.waitingCount == 0)
        #expect(known(test).isEmpty)
    }

    @Test("Nothing is sent for a user whom the app has replaced meanwhile")
    func replacedUser() async throws {
        let test = try await client(user: UserID(rawValue: "bob"))
        let before = test.server.personRequests.count
        await #expect(throws: CarillonError.self) {
            _ = try await test.client.requestAsUser("GET", "content-sets/events/follows", as: Self.ann)
        }
        #expect(test.server.personRequests.count == before)
    }

    @Test("Erasing the user's data ends what waits")
    func erases() async throws {
        let test = try await client()
        test.server.answerAlways(nil)
        try await shows(test).follow(Self.music)
        try? await test.client.erase(.user)
        test.server.recover()
        await test.client.refresh()
        #expect(try await test.client.content.waitingCount == 0)
        #expect(known(test).isEmpty)
    }
}
