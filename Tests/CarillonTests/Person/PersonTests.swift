import Carillon
import CarillonModel
import Foundation
import Testing

@Suite("About the person and the Device")
struct PersonTests {
    @Test("C-74 groups of one dimension are an array, of several an object; none are the standard ones again")
    func categories() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent)
        #expect(test.server.registrations.map(\.categories) == [nil])
        try await test.client.setCategories(.list(["1", "4"]))
        #expect(test.server.registrations.map(\.categories) == [.list(["1", "4"])])
        try await test.client.setCategories(.dimensions(["region": ["Kanto", "Kansai"]]))
        #expect(test.server.registrations.map(\.categories) == [.dimensions(["region": ["Kanto", "Kansai"]])])
        try await test.client.setCategories(nil)

        #expect(try await test.client.fetchRecord().categories == .standard)
        #expect(test.server.deviceMethods == ["PUT", "PATCH", "PATCH", "PATCH", "GET"])
    }

    @Test(
        "Invalid categories are refused at once and do not block a later registration",
        arguments: [DeviceCategories.list([""]), .list(Array(repeating: "1", count: 101)), .dimensions(["": ["x"]])]
    )
    func refusesInvalidCategories(_ wrong: DeviceCategories) async throws {
        let test = try TestClient()
        let error = await #expect(throws: CarillonError.self) { try await test.client.setCategories(wrong) }
        #expect(error?.code == .invalidArgument)
        try await test.client.register(consent: Sample.consent)

        #expect(test.server.registrations.map(\.categories) == [nil])
    }

    @Test("C-75 the app's user id goes along with the registration")
    func user() async throws {
        let test = try TestClient()
        try await test.client.setUser(UserID(rawValue: "u-17"))
        try await test.client.register()

        #expect(test.server.registrations.map(\.user?.rawValue) == ["u-17"])
    }

    @Test("Attributes are set, changed, removed and read") func changesAttributes() async throws {
        let test = try TestClient()
        try await test.client.setUser(UserID(rawValue: "u1"))
        try await test.client.setAttributes(["level": .integer(3), "plan": .string("gold"), "beta": .bool(true)])
        let left = try await test.client.setAttributes(["plan": nil, "level": .integer(4)])

        #expect(left == ["level": .integer(4), "beta": .bool(true)])
        #expect(try await test.client.fetchAttributes() == left)
    }

    @Test("Invalid attributes are refused before anything is sent") func refusesInvalidAttributes() async throws {
        let test = try TestClient()
        try await test.client.setUser(UserID(rawValue: "u1"))
        for wrong: [String: JSONValue?] in [
            ["": .bool(true)], ["two words": .bool(true)], ["list": .array([])],
            ["long": .string(String(repeating: "x", count: 257))],
        ] {
            let error = await #expect(throws: CarillonError.self) { try await test.client.setAttributes(wrong) }
            #expect(error?.code == .invalidArgument)
        }
        #expect(test.server.requests.isEmpty)
    }

    @Test("C-96 attributes go to the given URL with the app's user id, all of them, and no secret of ours")
    func backEnd() async throws {
        let test = try TestClient()
        let url = try #require(URL(string: "https://shop.example.com/attributes"))
        let missing = await #expect(throws: CarillonError.self) {
            try await test.client.sendAttributes(["1"], to: url)
        }
        #expect(missing?.code == .userRequired)
        try await test.client.setUser(UserID(rawValue: "u-17"))
        try await test.client.sendAttributes(["1", "3", "7"], to: url)

        let request = try #require(test.server.requests.last)
        #expect(request.method == "POST" && request.path == "/attributes")
        let body = try JSONDecoder().decode([String: JSONValue].self, from: #require(request.body))
        let attributes: [JSONValue] = [.string("1"), .string("3"), .string("7")]
        #expect(body == ["appUserId": .string("u-17"), "attributes": .array(attributes)])
        #expect(request.headers.keys.allSatisfy { !$0.lowercased().hasPrefix("carillon") })
        test.server.with { $0.backEndStatus = 500 }
        let failed = await #expect(throws: CarillonError.self) { try await test.client.sendAttributes([], to: url) }
        #expect(failed?.code == .unavailable)
    }

    @Test(
        "Attributes are sent to https URLs only",
        arguments: ["http://shop.example.com/a", "ftp://shop.example.com", "https:///a", "file:///etc/passwd"]
    )
    func requiresHTTPS(text: String) async throws {
        let test = try TestClient()
        try await test.client.setUser(UserID(rawValue: "u-17"))
        let url = try #require(URL(string: text))
        let error = await #expect(throws: CarillonError.self) { try await test.client.sendAttributes([], to: url) }

        #expect(error?.code == .invalidArgument)
        #expect(test.server.requests.isEmpty)
    }

    @Test("C-77 a place is told only when that is enabled, with the registration; the server can forget it")
    func location() async throws {
        let test = try TestClient()
        try await test.client.setDeviceToken(Sample.token())
        try await test.client.register(consent: Sample.consent)
        let place = DeviceLocation(latitude: 35.68, longitude: 139.76, at: test.time.now())
        #expect(try await !test.client.setLocation(place))
        #expect(test.server.deviceMethods == ["PUT"])
        test.client.isLocationEnabled = true
        #expect(try await test.client.setLocation(place))
        #expect(test.server.registrations.map(\.location) == [place])
        #expect(test.server.registrations.map(\.token) == [Sample.token()])
        test.client.isLocationEnabled = false
        try await test.client.setLocation(nil)

        #expect(test.server.registrations.map(\.location) == [nil])
    }

    @Test("A location with invalid coordinates is refused") func refusesInvalidLocations() async throws {
        let test = try TestClient()
        test.client.isLocationEnabled = true
        for (latitude, longitude) in [(91.0, 0.0), (0, 181), (.nan, 0), (0, .infinity)] {
            let place = DeviceLocation(latitude: latitude, longitude: longitude, at: test.time.now())
            let error = await #expect(throws: CarillonError.self) { try await test.client.setLocation(place) }
            #expect(error?.code == .invalidArgument)
        }
        #expect(test.server.requests.isEmpty)
    }

    @Test("T-89 registering again without words keeps consent and user; without an earlier time there is no consent")
    func again() async throws {
        let test = try TestClient()
        #expect(try await test.client.register().registration.consent == Consent(notifications: false))
        try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))
        let registered = try await test.restarted().client.register()

        #expect(registered.registration.consent == Sample.consent)
        #expect(registered.registration.user?.rawValue == "u1")
    }

    @Test("Forgetting a person deletes the Device, user, inbox, events and survey id")
    func forgetsEverything() async throws {
        let test = try TestClient()
        let first = try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))
        try await test.client.setVoIPToken(Sample.token(7))
        test.server.with { $0.inbox = [Sample.inboxMessage(1)] }
        try await test.client.fetchInbox()
        await test.client.report(.opened, of: Sample.push())
        let respondent = test.client.surveyID
        try await test.client.erase(.user)

        #expect(test.server.registrations.isEmpty)
        #expect(test.server.with(\.forgotten) == [true])
        #expect(test.server.with(\.calls).isEmpty)
        #expect(await test.client.waitingEventCount == 0)
        #expect(try await test.client.storedInbox.messages.isEmpty)
        #expect(try await test.client.lastRegistration == nil)
        #expect(test.client.surveyID != respondent)
        let second = try await test.client.register(consent: Sample.consent)
        #expect(second.device != first.device && second.registration.user == nil)
        #expect(test.server.events.isEmpty)
    }

    @Test("Forgetting while offline is done later, also after a restart, and can keep the user")
    func forgetsLater() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))
        test.server.answerAlways(nil)
        let error = await #expect(throws: CarillonError.self) { try await test.client.erase(.device) }
        #expect(error?.code == .unreachable)
        test.server.recover()
        await (try test.restarted()).client.refresh()

        #expect(test.server.with(\.forgotten) == [false])
        #expect(test.server.registrations.isEmpty)
    }

    @Test("A pending erasure is sent before a new registration") func erasesBeforeRegistering() async throws {
        let test = try TestClient()
        let first = try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))
        test.server.answerAlways(nil)
        await #expect(throws: CarillonError.self) { try await test.client.erase(.user) }
        test.server.recover()
        let second = try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u2"))

        #expect(test.server.with(\.forgotten) == [true])
        #expect(test.server.registrations.map(\.user?.rawValue) == ["u2"])
        #expect(second.device != first.device)
    }

    @Test("Forgetting a Device that was never registered sends nothing") func forgetsUnknownDevices() async throws {
        let test = try TestClient()
        try await test.client.erase(.user)

        #expect(test.server.requests.isEmpty)
    }
}
