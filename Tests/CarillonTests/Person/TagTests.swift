import Carillon
import CarillonModel
import Foundation
import Testing

@Suite("Tags")
struct TagTests {
    private static let one = TagID(rawValue: "Aaaaaaa1")!
    private static let two = TagID(rawValue: "Bbbbbbb2")!

    private func client(_ user: String? = "u1") async throws -> TestClient {
        let test = try TestClient()
        test.server.with { $0.knownTags = [Self.one, Self.two] }
        if let user { try await test.client.setUser(UserID(rawValue: user)) }
        return test
    }

    @Test(
        "T-122 adding returns the resulting set, setting replaces, removing returns what is left, removing all empties"
    )
    func tags() async throws {
        let test = try await client()
        #expect(try await test.client.fetchTags().isEmpty)
        #expect(try await test.client.addTags([Self.one]) == [Self.one])
        #expect(try await test.client.addTags([Self.two]) == [Self.one, Self.two])
        #expect(try await test.client.setTags([Self.two]) == [Self.two])
        #expect(try await test.client.addTags([Self.one]) == [Self.one, Self.two])
        #expect(try await test.client.removeTags([Self.two]) == [Self.one])
        #expect(try await test.client.fetchTags() == [Self.one])
        #expect(try await test.client.removeAllTags().isEmpty)
        #expect(test.server.requests.last?.query == nil)
    }

    @Test("T-123 setting no tags clears them; taking away none at all takes away none")
    func nothing() async throws {
        let test = try await client()
        try await test.client.addTags([Self.one])
        #expect(try await test.client.removeTags([]) == [Self.one])
        #expect(try await test.client.setTags([]).isEmpty)
    }

    @Test("T-124 without a user it is an error, and nothing is sent")
    func noUser() async throws {
        let test = try await client(nil)
        let error = await #expect(throws: CarillonError.self) { try await test.client.fetchTags() }

        #expect(error?.code == .userRequired)
        #expect(test.server.requests.isEmpty)
    }

    @Test("A tag that the server refuses is an error with the server's problem")
    func reportsRefusedTags() async throws {
        let test = try await client()
        let unknown = try #require(TagID(rawValue: "Zzzzzzz9"))
        let error = await #expect(throws: CarillonError.self) { try await test.client.addTags([unknown]) }

        #expect(error?.code == .refused && error?.problem?.code == "invalid-field")
    }

    @Test("T-125 they are ids of eight letters and digits, not names, and at most sixteen")
    func ids() async throws {
        let test = try await client()
        #expect(TagID(rawValue: "news") == nil)
        let many = Set((10..<27).compactMap { TagID(rawValue: "Aaaaaa\($0)") })
        let error = await #expect(throws: CarillonError.self) { try await test.client.setTags(many) }

        #expect(many.count == 17 && error?.code == .invalidArgument)
        #expect(test.server.personRequests.isEmpty)
    }

    @Test("Tags register a new Device silently, without token and consent") func registersSilently() async throws {
        let test = try await client()
        try await test.client.setDeviceToken(Sample.token())
        try await test.client.addTags([Self.one])

        #expect(test.server.deviceMethods == ["PUT"])
        #expect(test.server.registrations.map(\.consent) == [Consent(notifications: false)])
        #expect(test.server.registrations.map(\.token) == [nil])
        #expect(try await test.client.lastRegistration == nil)
        try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))
        #expect(test.server.deviceMethods == ["PUT", "PATCH"])
        #expect(test.server.registrations.map(\.token) == [Sample.token()])
        #expect(try await test.client.lastRegistration != nil)
        #expect(try await test.client.fetchTags() == [Self.one])
    }

    @Test("A Device that the server lost is registered again, and the request for tags is repeated")
    func registersLostDevices() async throws {
        let test = try await client()
        try await test.client.addTags([Self.one])
        test.server.forget()
        #expect(try await test.client.fetchTags() == [Self.one])

        #expect(test.server.deviceMethods == ["PUT", "PUT"])
    }

    @Test("Tags are those of the current user, even if the server does not know the change yet")
    func usesCurrentUser() async throws {
        let test = try await client()
        try await test.client.addTags([Self.one])
        test.server.answerNext(nil)
        await #expect(throws: CarillonError.self) { try await test.client.setUser(UserID(rawValue: "u2")) }

        #expect(try await test.client.fetchTags().isEmpty)
        #expect(test.server.registrations.map(\.user?.rawValue) == ["u2"])
    }

    @Test("Tags that are requested after unregistering are those of a new Device")
    func createsNewDevices() async throws {
        let test = try await client()
        let first = try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))
        test.server.answerAlways(nil)
        await #expect(throws: CarillonError.self) { try await test.client.unregister() }
        test.server.recover()
        _ = try await test.client.fetchTags()

        #expect(Array(test.server.deviceMethods.suffix(2)) == ["DELETE", "PUT"])
        #expect(try await test.client.fetchRecord().device != first.device)
    }
}
