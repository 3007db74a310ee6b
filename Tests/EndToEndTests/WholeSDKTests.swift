import Carillon
import CarillonModel
import CarillonOperatorModel
import Foundation
import PhoneSimulator
import Testing

@testable import CarillonCommand

/// What an app does beside receiving, through the SDK, over HTTP, down to the store and back.
@Suite struct WholeSDKTests {
    private func client(_ phone: Int, in world: EndToEndWorld) async throws -> CarillonClient {
        let app = try #require(await world.fleet.phones[phone].app)
        return await app.carillon.client
    }

    private func tag(_ name: String, in world: EndToEndWorld) async throws -> TagID {
        let tag: CarillonOperatorModel.Tag = try await world.running.api.post(
            "v1/tags",
            ["app": world.app.description],
            TagRequest(name: name)
        )
        return tag.id
    }

    @Test("T-122 Tags are added, replaced, removed and emptied, and each answer is the set that results")
    func tags() async throws {
        try await EndToEndWorld.run(phones: 1) { world in
            let client = try await client(0, in: world)
            let (news, bus, late) = (
                try await tag("news", in: world), try await tag("bus", in: world), try await tag("late", in: world)
            )

            #expect(try await client.addTags([news, bus]) == [news, bus])
            #expect(try await client.removeTags([news]) == [bus])
            #expect(try await client.setTags([late]) == [late])
            #expect(try await client.fetchTags() == [late])
            #expect(try await client.removeAllTags().isEmpty)
        }
    }

    @Test("An unknown tag is refused, and nothing changes")
    func unknownTag() async throws {
        try await EndToEndWorld.run(phones: 1) { world in
            let client = try await client(0, in: world)
            let unknown = try #require(TagID(rawValue: "ZZPP00b6"))

            let error = await #expect(throws: CarillonError.self) { try await client.addTags([unknown]) }

            #expect(error?.code == .refused)
            #expect(error?.problem?.type.contains("invalid-field") == true)
            #expect(error?.problem?.errors?.first?.problem.contains("ZZPP00b6") == true)
            #expect(try await client.fetchTags().isEmpty)
        }
    }

    @Test("C-10 Categories in two dimensions and attributes reach the server and come back")
    func whatThePhoneTells() async throws {
        try await EndToEndWorld.run(phones: 1) { world in
            let client = try await client(0, in: world)
            let categories = DeviceCategories.dimensions(["1": ["神奈川"], "4": ["B", "C"]])

            try await client.setCategories(categories)
            let attributes = try await client.setAttributes(["age": .integer(20), "name": .string("Aki")])

            #expect(attributes == ["age": .integer(20), "name": .string("Aki")])
            #expect(try await client.setAttributes(["age": nil]) == ["name": .string("Aki")])
            #expect(try await client.fetchRecord().categories == categories)
            try await client.setCategories(nil)
            #expect(try await client.fetchRecord().categories == .standard)
        }
    }

    @Test("C-85 A broadcast is in each phone's inbox, and reading it is remembered by the server")
    func inbox() async throws {
        try await EndToEndWorld.run(phones: 2) { world in
            _ = try await world.sendAndSettle(audience: .all)
            _ = try await world.sendAndSettle(audience: .all)
            let client = try await client(0, in: world)

            let view = try await client.fetchInbox()
            #expect(view.messages.count == 2)
            #expect(view.unreadCount == 2)
            let newest = try #require(view.messages.first)
            #expect(newest.title?.isEmpty == false)
            #expect(newest.link == "carillon-demo://concerts/tonight")
            #expect(newest.occurrence > view.messages[1].occurrence)
            #expect(try await client.markRead(newest.occurrence).unreadCount == 1)
            #expect(try await client.fetchInbox().isUnread(newest.occurrence) == false)

            let other = try await self.client(1, in: world)
            #expect(try await other.fetchInbox().unreadCount == 2)
            #expect(try await other.markAllRead().unreadCount == 0)
            #expect(try await client.fetchInbox().unreadCount == 1)
        }
    }

    @Test("A change of user parts the inboxes")
    func partedInboxes() async throws {
        try await EndToEndWorld.run(phones: 1) { world in
            _ = try await world.sendAndSettle(audience: .all)
            let client = try await client(0, in: world)
            #expect(try await client.fetchInbox().messages.count == 1)

            try await client.setUser(UserID(rawValue: "somebody-else"))

            #expect(try await client.fetchInbox().messages.isEmpty)
        }
    }

    @Test("T-128 A VoIP token is registered, asked for and removed apart from the other")
    func voIPToken() async throws {
        try await EndToEndWorld.run(phones: 1) { world in
            let client = try await client(0, in: world)
            let token = try #require(DeviceToken(bytes: [UInt8](repeating: 7, count: 32)))

            _ = try await client.setVoIPToken(token)
            #expect(try await client.fetchVoIPRecord().tokenState == .active)
            #expect(try await client.fetchRecord().tokenState == .active)
            try await client.removeVoIPToken()
            await #expect(throws: CarillonError.self) { try await client.fetchVoIPRecord() }

            #expect(try await client.fetchRecord().tokenState == .active)
            #expect(try await world.sendAndSettle(audience: .all).accepted == 1)
        }
    }

    @Test("Forgetting leaves nothing: no Device, no inbox, and the next registration is another Device")
    func forgotten() async throws {
        try await EndToEndWorld.run(phones: 2) { world in
            _ = try await world.sendAndSettle(audience: .all)
            let client = try await client(0, in: world)
            let before = try #require(try await client.lastRegistration).device

            try await client.erase(.user)

            #expect(try await client.lastRegistration == nil)
            #expect(try await world.sendAndSettle(audience: .all).targeted == 1)
            let again = try await client.register(consent: Consent(notifications: true), user: nil)
            #expect(again.device != before)
            #expect(try await client.fetchInbox().messages.isEmpty)
        }
    }
}
