import Carillon
import CarillonModel
import Foundation
import Testing

@Suite("Registering")
struct ClientRegistrationTests {
    @Test("Registering sends the consent, the user and the phone's facts") func sendsConsentAndFacts() async throws {
        let test = try TestClient()
        try await test.client.setDeviceToken(Sample.token())

        let registered = try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))

        var expected = Registration(token: Sample.token(), pushType: .apnsSandbox, consent: Sample.consent)
        expected.user = UserID(rawValue: "u1")
        expected.language = "ja-JP"
        expected.country = "JP"
        expected.timeZone = "Asia/Tokyo"
        expected.appVersion = "1.2"
        expected.osVersion = "iOS 17.4"
        expected.model = "iPhone15,3"
        expected.sdkVersion = registered.registration.sdkVersion
        #expect(registered.registration == expected)
        #expect(test.server.registrations == [expected])
        #expect(test.server.deviceMethods == ["PUT"])
        #expect(registered.record?.tokenState == .active)
    }

    @Test("Registering again without changes sends nothing") func sendsNothingUnchanged() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent)
        try await test.client.register(consent: Sample.consent)

        #expect(test.server.deviceMethods == ["PUT"])
    }

    @Test("A changed token, user or consent is sent by itself, once") func sendsChangesOnce() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent)
        try await test.client.setDeviceToken(Sample.token(2))
        try await test.client.setDeviceToken(Sample.token(2))
        try await test.client.setUser(UserID(rawValue: "u2"))
        try await test.client.setConsent(Consent(notifications: true))

        #expect(test.server.deviceMethods == ["PUT", "PATCH", "PATCH", "PATCH"])
        #expect(test.server.registrations.map(\.token) == [Sample.token(2)])
        #expect(test.server.registrations.map(\.user?.rawValue) == ["u2"])
        #expect(test.server.registrations.map(\.consent) == [Consent(notifications: true)])
    }

    @Test("T-84 no user any more sends no delete; the token stays on the server")
    func logout() async throws {
        let test = try TestClient()
        try await test.client.setDeviceToken(Sample.token())
        try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))
        try await test.client.setUser(nil)

        #expect(test.server.deviceMethods == ["PUT", "PATCH"])
        #expect(test.server.registrations.map(\.user) == [nil])
        #expect(test.server.registrations.map(\.token) == [Sample.token()])
    }

    @Test("A proof is sent with the user that it is for") func sendsUserProofs() async throws {
        let test = try TestClient()
        let proof = UserProof(expires: 1_900_000_000, signature: String(repeating: "a", count: 43))
        try await test.client.register(consent: Sample.consent)
        try await test.client.setUser(UserID(rawValue: "u1"), proof: proof)

        #expect(test.server.registrations.map(\.userProof) == [proof])
    }

    @Test("Id and secret are created once, and kept over a restart") func keepsTheIdentity() async throws {
        let test = try TestClient()
        let first = try await test.client.register(consent: Sample.consent)
        let again = try test.restarted()
        let second = try await again.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))

        #expect(first.device == second.device)
        #expect(test.server.secrets.count == 1)
        #expect(test.server.deviceMethods == ["PUT", "PATCH"])
    }

    @Test("T-94 what was last registered is known without asking, also after a restart")
    func lastRegistered() async throws {
        let test = try TestClient()
        #expect(try await test.client.lastRegistration == nil)
        let registered = try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))
        test.server.answerAlways(nil)
        await #expect(throws: CarillonError.self) { try await test.client.setUser(UserID(rawValue: "u2")) }

        #expect(try await test.client.lastRegistration == registered)
        #expect(try await test.restarted().client.lastRegistration == registered)
    }

    @Test("The server's record of a registered Device can be fetched") func fetchesTheRecord() async throws {
        let test = try TestClient()
        let error = await #expect(throws: CarillonError.self) { try await test.client.fetchRecord() }
        #expect(error?.code == .notRegistered)
        let registered = try await test.client.register(consent: Sample.consent)

        #expect(try await test.client.fetchRecord() == registered.record)
    }

    @Test("A server that lost its data gets the whole registration again") func registersLostDevices() async throws {
        let test = try TestClient()
        let first = try await test.client.register(consent: Sample.consent)
        test.server.forget()
        try await test.client.setUser(UserID(rawValue: "u1"))

        #expect(test.server.deviceMethods == ["PUT", "PATCH", "PUT"])
        #expect(test.server.registrations.map(\.consent) == [Sample.consent])
        #expect(try await test.client.lastRegistration?.device == first.device)
    }

    @Test("An id that belongs to another Device is replaced by a new one") func replacesTakenIDs() async throws {
        let test = try TestClient()
        let first = try await test.client.register(consent: Sample.consent)
        test.server.stealIDs()
        try await test.client.setUser(UserID(rawValue: "u1"))

        let second = try #require(try await test.client.lastRegistration)
        #expect(second.device != first.device)
        #expect(test.server.deviceMethods == ["PUT", "PATCH", "PUT"])
    }

    @Test("T-96 unregistering deletes on the server; the next registration is another Device")
    func unregister() async throws {
        let test = try TestClient()
        let first = try await test.client.register(consent: Sample.consent)
        try await test.client.unregister()
        #expect(test.server.registrations.isEmpty)
        #expect(try await test.client.lastRegistration == nil)
        let second = try await test.client.register(consent: Sample.consent)

        #expect(first.device != second.device)
        #expect(test.server.deviceMethods == ["PUT", "DELETE", "PUT"])
    }

    @Test("Unregistering while offline is done later, also after a restart") func unregistersLater() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent)
        test.server.answerAlways(nil)
        let error = await #expect(throws: CarillonError.self) { try await test.client.unregister() }
        #expect(error?.code == .unreachable)
        test.server.recover()
        let again = try test.restarted()
        await again.client.refresh()

        #expect(test.server.registrations.isEmpty)
    }

    @Test("A refused registration is an error with the server's problem") func reportsRefusals() async throws {
        let test = try TestClient()
        test.server.answerNext(.problem(422, "user-proof-missing"))
        let error = await #expect(throws: CarillonError.self) {
            try await test.client.register(consent: Sample.consent, user: UserID(rawValue: "u1"))
        }

        #expect(error?.code == .refused)
        #expect(error?.problem?.code == "user-proof-missing")
    }

    @Test("An overloaded server is distinguished from an unreachable one") func distinguishesOverload() async throws {
        let test = try TestClient()
        test.server.answerNext(.problem(503, "overloaded", headers: ["Retry-After": "60"]))
        let busy = await #expect(throws: CarillonError.self) {
            try await test.client.register(consent: Sample.consent)
        }
        #expect(busy?.code == .unavailable)
        let still = await #expect(throws: CarillonError.self) {
            try await test.client.register(consent: Sample.consent)
        }
        #expect(still?.code == .unavailable)
        #expect(test.server.deviceMethods.count == 1)

        test.time.advance(60)
        try await test.client.register(consent: Sample.consent)
        #expect(test.server.deviceMethods.count == 2)
    }

    @Test(
        "An invalid answer confirms nothing",
        arguments: [
            TransportAnswer(status: 200, body: Data("<html>Welcome to the hotel</html>".utf8)),
            TransportAnswer(status: 302, headers: ["Location": "https://login.example.com"]),
            TransportAnswer(status: 200, body: Data("{}".utf8)),
        ]
    )
    func ignoresInvalidAnswers(answer: TransportAnswer) async throws {
        let test = try TestClient()
        test.server.answerNext(answer)
        let error = await #expect(throws: CarillonError.self) {
            try await test.client.register(consent: Sample.consent)
        }

        #expect(error?.code == .unreachable)
        #expect(try await test.client.lastRegistration == nil)
    }

    @Test("A record with unknown values of a newer server still confirms the registration")
    func acceptsNewerRecords() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent)
        let device = try #require(try await test.client.lastRegistration?.device)
        let body = #"{"device":"\#(device)","tokenState":"resting","new":{}}"#
        test.server.answerNext(TransportAnswer(status: 200, body: Data(body.utf8)))
        try await test.client.setUser(UserID(rawValue: "u1"))

        let registered = try #require(try await test.client.lastRegistration)
        #expect(registered.record == nil)
        #expect(registered.registration.user?.rawValue == "u1")
    }

    @Test("A call that takes too long ends at the deadline, and its change is sent nevertheless")
    func endsAtTheDeadline() async throws {
        let gate = GateTransport()
        let folder = try TemporaryFolder()
        let time = ManualTime()
        var configuration = CarillonConfiguration(
            server: URL(string: "https://push.example.com")!,
            appKey: FakeServer.appKey
        )
        configuration.storage = folder.url
        var dependencies = Dependencies(transport: gate)
        dependencies.time = time
        let client = try CarillonClient(configuration, dependencies)

        async let registering = Result { try await client.register(consent: Sample.consent) }
        await time.untilSleeping(1)
        await gate.untilReached()
        time.advance(30)
        let outcome = await registering
        let error = #expect(throws: CarillonError.self) { try outcome.get() }
        #expect(error?.code == .deadlineExceeded)

        gate.open()
        try await client.register(consent: Sample.consent)
        #expect(gate.server.deviceMethods == ["PUT"])
    }

    @Test("Concurrent changes end in one state")
    func mergesConcurrentChanges() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent)
        let client = test.client
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(1)...40 {
                group.addTask { try await client.setDeviceToken(Sample.token(number)) }
                group.addTask { try await client.setUser(UserID(rawValue: "u\(number)")) }
            }
            try await group.waitForAll()
        }

        let registered = try #require(try await client.lastRegistration)
        #expect(test.server.registrations == [registered.registration])
    }

    @Test("Facts that changed while the app did not run are sent when it runs again")
    func sendsChangedFacts() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent)
        var facts = DeviceFacts.sample
        facts.timeZone = "Europe/Berlin"
        let again = try test.restarted(facts: facts)
        await again.client.refresh()

        #expect(test.server.deviceMethods == ["PUT", "PATCH"])
        #expect(test.server.registrations.map(\.timeZone) == ["Europe/Berlin"])
    }

    @Test("Facts that the server would refuse are left out") func omitsInvalidFacts() async throws {
        var facts = DeviceFacts.sample
        facts.model = String(repeating: "x", count: 65)
        facts.country = "JAPAN"
        let test = try TestClient(facts: facts)
        try await test.client.register(consent: Sample.consent)

        #expect(test.server.registrations.map(\.model) == [nil])
        #expect(test.server.registrations.map(\.country) == [nil])
    }

    @Test("Neither the secret nor the token is in the log or an error") func hidesSecrets() async throws {
        let test = try TestClient()
        try await test.client.setDeviceToken(Sample.token(0xAB))
        try await test.client.register(consent: Sample.consent)
        let secret = try #require(test.server.secrets.first)
        test.server.answerNext(.problem(422, "nope"))
        let error = await #expect(throws: CarillonError.self) {
            try await test.client.setUser(UserID(rawValue: "u1"))
        }

        let texts = test.log.entries.map { "\($0)" } + ["\(error.map { "\($0)" } ?? "")"]
        #expect(!test.log.entries.isEmpty)
        for text in texts {
            #expect(!text.contains(secret) && !text.contains("abab") && !text.contains("171, 171"))
        }
    }

    @Test("An invalid state file leads to a new registration, not to a crash")
    func recoversFromInvalidState() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent)
        let file = try #require(test.folder.files.first { $0.lastPathComponent == "registration.json" })
        try Data("{\"half".utf8).write(to: file)
        let again = try test.restarted()
        try await again.client.register(consent: Sample.consent)

        #expect(test.server.deviceMethods == ["PUT", "PUT"])
        #expect(test.server.registrations.count == 1)
    }

    @Test("State and secret are readable by the current user only") func restrictsFileAccess() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent)
        await test.client.report(.opened, of: Sample.push())

        let files = test.folder.files.filter { $0.pathExtension != "lock" }
        #expect(files.contains { $0.lastPathComponent == "registration.json" } && files.count >= 3)
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file.lastPathComponent)")
        }
    }
}

extension TemporaryFolder {
    /// All files in it, at any depth.
    var files: [URL] {
        let found = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
        return (found?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// Holds requests back until it is opened.
final class GateTransport: Transport, @unchecked Sendable {
    let server = FakeServer()
    private let reached = OneShot<Void>()
    private let opened = OneShot<Void>()

    func open() { opened.complete(()) }

    func untilReached() async { await reached.wait() }

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        if reached.complete(()) { await opened.wait() }
        return try await server.send(request)
    }
}
