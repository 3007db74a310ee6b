import Carillon
import CarillonModel
import Foundation
import Testing

/// Every call that the SDK makes, with the same result from both servers.
@Suite("The SDK's calls, on both servers")
struct ClientContractTests {
    private static let kim = UserID(rawValue: "kim")

    @Test("Registering again keeps the installation; consents have their times", arguments: ContractServer.allCases)
    func registration(_ server: ContractServer) async throws {
        try await server.run { world in
            let client = try await world.registered(user: Self.kim)
            let first = try await client.fetchRecord()
            #expect(first.user == Self.kim && first.tokenState == .active && first.categories == .standard)
            #expect(first.consentTimes.notifications != nil && first.consentTimes.ads == nil)

            try await client.setConsent(Consent(notifications: true, ads: true))
            let second = try await client.fetchRecord()
            #expect(second.device == first.device && second.createdAt == first.createdAt)
            #expect(second.consentTimes.notifications == first.consentTimes.notifications)
            #expect(second.consentTimes.ads != nil)
            try await client.setDeviceToken(nil)
            #expect(try await client.fetchRecord().tokenState == .none)
        }
    }

    @Test("Groups and the location come back in the record", arguments: ContractServer.allCases)
    func groups(_ server: ContractServer) async throws {
        try await server.run { world in
            let client = try await world.registered()
            let groups = DeviceCategories.dimensions(["1": ["神奈川"], "4": ["B", "C"]])
            try await client.setCategories(groups)
            client.isLocationEnabled = true
            try await client.setLocation(DeviceLocation(latitude: 35.5, longitude: 139.25))

            let record = try await client.fetchRecord()
            #expect(record.categories == groups && record.location?.latitude == 35.5)
            try await client.setCategories(nil)
            try await client.setLocation(nil)
            let later = try await client.fetchRecord()
            #expect(later.categories == .standard && later.location == nil)
        }
    }

    @Test("Tags and attributes belong to the User, on all their phones", arguments: ContractServer.allCases)
    func person(_ server: ContractServer) async throws {
        try await server.run { world in
            let (news, bus) = (try await world.makeTag("news"), try await world.makeTag("bus"))
            let client = try await world.registered(user: Self.kim)
            let other = try world.client("tablet")
            try await other.register(consent: Consent(notifications: true), user: Self.kim)

            #expect(try await client.addTags([news, bus]) == [news, bus])
            #expect(try await other.fetchTags() == [news, bus])
            #expect(try await client.removeTags([news]) == [bus])
            #expect(try await client.setTags([news]) == [news])
            #expect(try await client.removeAllTags().isEmpty)
            #expect(try await client.setAttributes(["level": .integer(4), "plan": .string("x")]).count == 2)
            #expect(try await other.setAttributes(["plan": nil]) == ["level": .integer(4)])
            #expect(try await client.fetchAttributes() == ["level": .integer(4)])
        }
    }

    @Test("An unknown tag, a call without a User and a message are refused", arguments: ContractServer.allCases)
    func refusals(_ server: ContractServer) async throws {
        try await server.run { world in
            let client = try await world.registered()
            #expect(await code { _ = try await client.fetchTags() } == .userRequired)
            try await client.setUser(Self.kim)
            let unknown = try #require(TagID(rawValue: "ZZPP00b6"))
            #expect(await problem { try await client.addTags([unknown]) } == "invalid-field")
            let lee = try #require(UserID(rawValue: "lee"))
            #expect(await problem { try await client.send(to: lee, body: "Hello") } == "user-messages-off")
        }
    }

    @Test("A message is in the inbox of who was there; reading it is remembered", arguments: ContractServer.allCases)
    func inbox(_ server: ContractServer) async throws {
        try await server.run { world in
            let client = try await world.registered()
            _ = try await world.send("https://example.com/a")
            _ = try await world.send(nil)
            let late = try world.client("late")
            try await late.register(consent: Consent(notifications: true))

            let inbox = try await client.fetchInbox()
            #expect(inbox.messages.map(\.title) == ["Tonight", "Tonight"])
            #expect(inbox.messages.map(\.link) == [nil, "https://example.com/a"])
            #expect(inbox.messages.map(\.isSurvey) == [false, false])
            #expect(try await late.fetchInbox().messages.isEmpty)
            try await client.markRead(inbox.messages[0].occurrence)
            #expect(try await client.fetchInbox().messages.map(\.isRead) == [true, false])
            #expect(try await client.unreadCount == 1)
            try await client.markAllRead()
            #expect(try await client.fetchInbox().unreadCount == 0)
        }
    }

    @Test("With a User an installation keeps its inbox, without it loses it", arguments: ContractServer.allCases)
    func partedInboxes(_ server: ContractServer) async throws {
        try await server.run { world in
            let client = try await world.registered()
            _ = try await world.send(nil)
            try await client.setUser(Self.kim)
            #expect(try await client.fetchInbox().messages.count == 1)
            try await client.setUser(UserID(rawValue: "lee"))
            #expect(try await client.fetchInbox().messages.isEmpty)
            try await client.setUser(Self.kim)
            #expect(try await client.fetchInbox().messages.count == 1)
            try await client.setUser(nil)
            #expect(try await client.fetchInbox().messages.isEmpty)
        }
    }

    @Test("Events of a push count once; those of others are rejected for good", arguments: ContractServer.allCases)
    func events(_ server: ContractServer) async throws {
        try await server.run { world in
            let client = try await world.registered()
            let payload = try await world.send(nil)
            let userInfo = try #require(try JSONSerialization.jsonObject(with: payload) as? [String: Any])
            let push = try #require(ReceivedPush(userInfo: userInfo))

            #expect(await client.report(.received, of: push))
            #expect(await client.report(.action, of: push, action: "say", reply: "Yes"))
            #expect(await client.flush() == 0)
            let receipt = try #require(Receipt(rawValue: String(repeating: "x", count: 24)))
            let forged = Event(.opened, occurrence: push.occurrence, receipt: receipt, at: Timestamp(Date()))
            let known = Event(.received, occurrence: push.occurrence, receipt: push.receipt, at: Timestamp(Date()))
            let answer = try await report([known, forged], in: world)
            #expect(answer.counted == 0 && answer.repeated == 1)
            #expect(answer.rejected == [.init(index: 1, problem: "receipt does not prove this push")])
        }
    }

    @Test("The VoIP token is apart from the other", arguments: ContractServer.allCases)
    func calls(_ server: ContractServer) async throws {
        try await server.run { world in
            let client = try await world.registered()
            let token = try #require(DeviceToken(bytes: [UInt8](repeating: 9, count: 32)))
            #expect(try await client.setVoIPToken(token).tokenState == .active)
            #expect(try await client.fetchVoIPRecord().tokenState == .active)
            try await client.removeVoIPToken()
            #expect(await code { _ = try await client.fetchVoIPRecord() } == .notRegistered)
            #expect(try await client.fetchRecord().tokenState == .active)
        }
    }

    @Test("Unregistered, an installation is unknown, and the next is another", arguments: ContractServer.allCases)
    func unregistering(_ server: ContractServer) async throws {
        try await server.run { world in
            let client = try await world.registered(user: Self.kim)
            let first = try #require(try await client.lastRegistration).device
            try await client.setAttributes(["level": .integer(4)])
            try await client.unregister()
            #expect(try await client.lastRegistration == nil)
            #expect(await code { _ = try await client.fetchRecord() } == .notRegistered)

            try await client.register(consent: Consent(notifications: true), user: Self.kim)
            #expect(try await client.lastRegistration?.device != first)
            #expect(try await client.fetchAttributes() == ["level": .integer(4)])
        }
    }

    @Test(
        "Erasing an installation leaves its User to other phones, erasing the User does not",
        arguments: ContractServer.allCases
    )
    func erasing(_ server: ContractServer) async throws {
        try await server.run { world in
            let client = try await world.registered(user: Self.kim)
            let other = try world.client("tablet")
            try await other.register(consent: Consent(notifications: true), user: Self.kim)
            try await client.setAttributes(["level": .integer(4)])

            try await client.erase(.device)
            #expect(try await other.fetchAttributes() == ["level": .integer(4)])
            try await client.register(consent: Consent(notifications: true), user: Self.kim)
            #expect(try await client.fetchInbox().messages.isEmpty)
            try await client.erase(.user)
            #expect(try await other.fetchAttributes().isEmpty)
        }
    }

    // MARK: - Private

    private func code(_ body: () async throws -> Void) async -> CarillonError.Code? {
        do { try await body() } catch { return (error as? CarillonError)?.code }
        return nil
    }

    private func problem(_ body: () async throws -> Void) async -> String? {
        do { try await body() } catch { return (error as? CarillonError)?.problem?.code }
        return nil
    }

    private func report(_ events: [Event], in world: ContractWorld) async throws -> EventBatchAnswer {
        let answer = try await world.transport.send(
            TransportRequest(
                method: "POST",
                url: world.url.appendingPathComponent("v1/events"),
                headers: ["Carillon-App-Key": world.appKey, "Content-Type": "application/json"],
                body: JSONEncoder().encode(EventBatch(events: events)),
                timeLimit: 30
            )
        )
        return try JSONDecoder().decode(EventBatchAnswer.self, from: answer.body)
    }
}
