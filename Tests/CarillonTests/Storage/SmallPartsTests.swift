import Carillon
import CarillonModel
import Foundation
import PhoneSimulator
import SimulatorFeed
import Testing

@Suite("Configuration")
struct ConfigurationTests {
    @Test(
        "A configuration that cannot work is refused before it is used",
        arguments: [
            ("ftp://push.example.com", "k"), ("https:///v1", "k"), ("http://push.example.com", "k"),
            ("https://push.example.com?x=1", "k"), ("https://me@push.example.com", "k"),
            ("https://push.example.com#x", "k"),
            ("https://push.example.com", ""), ("https://push.example.com", "two words"),
            ("https://push.example.com", "line\r\nHost: evil"),
            ("https://push.example.com", String(repeating: "k", count: 201)),
            ("push.example.com", "k"),
        ]
    )
    func refusesInvalidConfigurations(server: String, appKey: String) throws {
        let configuration = CarillonConfiguration(server: URL(string: server)!, appKey: appKey)
        let error = #expect(throws: CarillonError.self) { try CarillonClient(configuration, transport: NoTransport()) }

        #expect(error?.code == .invalidConfiguration)
        #expect(error?.detail.isEmpty == false)
    }

    @Test(
        "A configuration that can work is accepted",
        arguments: [
            "https://push.example.com", "https://example.com/push/", "http://127.0.0.1:8080", "http://localhost",
        ]
    )
    func acceptsValidConfigurations(server: String) throws {
        let folder = try TemporaryFolder()
        var configuration = CarillonConfiguration(server: URL(string: server)!, appKey: "pk_1")
        configuration.storage = folder.url

        #expect(throws: Never.self) { try CarillonClient(configuration, transport: NoTransport()) }
    }

    @Test("A deadline outside 1 through 300 seconds is refused", arguments: [0, 0.5, 301, .infinity])
    func refusesInvalidDeadlines(deadline: TimeInterval) throws {
        var configuration = CarillonConfiguration(server: URL(string: "https://push.example.com")!, appKey: "k")
        configuration.deadline = deadline

        #expect(throws: CarillonError.self) { try CarillonClient(configuration, transport: NoTransport()) }
    }

    @Test("A configuration that is missing from Info.plist is an error that names the key")
    func reportsMissingConfigurations() {
        let error = #expect(throws: CarillonError.self) { try CarillonConfiguration(bundle: .main) }

        #expect(error?.detail.contains("CarillonServerURL") == true)
    }

    @Test("Two Apps on one phone share no events") func separatesApps() async throws {
        let folder = try TemporaryFolder()
        var configuration = CarillonConfiguration(server: URL(string: "https://push.example.com")!, appKey: "one")
        configuration.storage = folder.url
        let one = try CarillonClient(configuration, transport: NoTransport())
        configuration.appKey = "two"
        let two = try CarillonClient(configuration, transport: NoTransport())
        await one.report(.opened, of: Sample.push())

        #expect(await one.waitingEventCount == 1)
        #expect(await two.waitingEventCount == 0)
    }
}

@Suite("The Device's secret in a file")
struct FileSecretStoreTests {
    @Test("The Device secret is saved, replaced and removed") func savesAndRemoves() throws {
        let folder = try TemporaryFolder()
        let store = FileSecretStore(file: folder.url.appendingPathComponent("identity.json"))
        let one = DeviceIdentity(device: DeviceID(rawValue: UUID()), secret: "s1")
        let two = DeviceIdentity(device: DeviceID(rawValue: UUID()), secret: "s2")
        #expect(try store.load() == nil)
        try store.save(one)
        #expect(try store.load() == one)
        try store.save(two)
        #expect(try store.load() == two)
        try store.remove()
        try store.remove()

        #expect(try store.load() == nil)
        #expect(folder.files.isEmpty)
    }

    @Test("An unreadable Device secret is an error, so that no second identity is created")
    func refusesUnreadableFiles() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("identity.json")
        try Data("{".utf8).write(to: file)

        #expect(throws: (any Error).self) { try FileSecretStore(file: file).load() }
    }

    @Test("A keychain that is locked before the first unlock stops a registration and creates no Device")
    func stopsBeforeFirstUnlock() async throws {
        struct Locked: SecretStore {
            struct NotYet: Error {}
            func load() throws -> DeviceIdentity? { throw NotYet() }
            func save(_ identity: DeviceIdentity) throws { Issue.record("nothing may be saved") }
            func remove() throws { Issue.record("nothing may be removed") }
        }
        let folder = try TemporaryFolder()
        var configuration = CarillonConfiguration(server: URL(string: "https://push.example.com")!, appKey: "k")
        configuration.storage = folder.url
        let client = try CarillonClient(configuration, transport: NoTransport(), secrets: Locked())
        let error = await #expect(throws: CarillonError.self) { try await client.register(consent: Sample.consent) }

        #expect(error?.code == .storage)
    }

    @Test("The Device secret is in no description") func hidesTheSecret() {
        let identity = DeviceIdentity(device: DeviceID(rawValue: UUID()), secret: "hush")

        #expect(!"\(identity)".contains("hush"))
    }
}

@Suite("Carillon's part of a payload")
struct ReceivedPushTests {
    private func userInfo(_ json: String) throws -> [AnyHashable: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    @Test("Carillon's part of a payload is read") func readsAllFields() throws {
        let occurrence = Sample.occurrence()
        let push = ReceivedPush(
            userInfo: try userInfo(
                """
                {"aps":{"alert":"x"},"carillon":{"o":"\(occurrence)","r":"\(Sample.receipt)","link":"https://a.example/1",
                "image":"https://a.example/i.png","buttons":[{"id":"yes","title":"Yes","kind":"openURL","link":"app://y"},
                {"id":"re","title":"Reply","kind":"reply"},{"id":"new","title":"New","kind":"teleport"}]},"article":17}
                """
            )
        )

        #expect(push?.occurrence == occurrence)
        #expect(push?.receipt.rawValue == Sample.receipt)
        #expect(push?.link == URL(string: "https://a.example/1"))
        #expect(push?.media == Media(kind: .image, source: "https://a.example/i.png"))
        #expect(push?.buttons.map(\.id) == ["yes", "re", "new"])
        #expect(push?.buttons.map(\.kind) == [.openURL, .reply, .openApp])
        #expect(push?.button("yes")?.link == URL(string: "app://y"))
    }

    @Test(
        "A payload without a valid part of Carillon's is ignored",
        arguments: [
            "{}", #"{"carillon":7}"#, #"{"carillon":{}}"#,
            #"{"carillon":{"o":"occ_x","r":"AAAAAAAAAAAAAAAAAAAAAAAA"}}"#,
            #"{"carillon":{"o":"occ_000000000001","r":"short"}}"#, #"{"carillon":{"o":1,"r":2}}"#,
        ]
    )
    func ignoresOtherPayloads(json: String) throws {
        #expect(ReceivedPush(userInfo: try userInfo(json)) == nil)
    }

    @Test("Invalid fields of a payload are left out") func omitsInvalidFields() throws {
        let json =
            #"{"carillon":{"o":"occ_000000000001","r":"AAAAAAAAAAAAAAAAAAAAAAAA","link":7,"buttons":[1,{"id":""},{}]}}"#
        let push = ReceivedPush(userInfo: try userInfo(json))

        #expect(push?.link == nil)
        #expect(push?.buttons.isEmpty == true)
    }
}

@Suite("What a phone's screen shows")
struct ScreenTests {
    @Test("Copies under one identifier replace each other and alert again") func replacesCopies() {
        var screen = Screen()

        #expect(screen.show("c", of: "occ") == .shown)
        #expect(screen.show("c", of: "occ") == .replaced)
        #expect(screen.count == 1)
        #expect(screen.shownTwice.isEmpty && screen.realerted == ["occ"])
    }

    @Test("Copies under two identifiers count as shown twice") func countsShownTwice() {
        var screen = Screen()
        screen.show("a", of: "occ")
        screen.show("b", of: "occ")
        screen.remove("a")

        #expect(screen.shownTwice == ["occ"] && screen.realerted.isEmpty && screen.count == 1)
    }

    @Test("Another push under the same identifier is no repeat") func distinguishesPushes() {
        var screen = Screen()
        screen.show("news", of: "occ1")
        screen.show("news", of: "occ2")

        #expect(screen.realerted.isEmpty && screen.shownTwice.isEmpty)
    }
}

@Suite("The simulator's feed")
struct FeedTests {
    @Test("The feed is split into the same lines wherever its pieces end") func splitsLines() {
        let text = Array("one\ntwo\n\nthree\nfo".utf8)
        for cut in 1...text.count {
            var splitter = LineSplitter()
            var lines: [[UInt8]] = []
            for start in stride(from: 0, to: text.count, by: cut) {
                lines += splitter.split(text[start..<min(start + cut, text.count)])
            }
            #expect(lines == [Array("one".utf8), Array("two".utf8), Array("three".utf8)])
        }
    }

    @Test("A line of the feed that is too long is left out") func omitsLongLines() {
        var splitter = LineSplitter()
        let long = Array(repeating: UInt8(ascii: "x"), count: LineSplitter.maximumLength + 1)

        #expect(splitter.split(long).isEmpty)
        #expect(splitter.split(Array("\nshort\n".utf8)) == [Array("short".utf8)])
    }

    @Test("A line of the feed gives a push's token, topic and payload, and an invalid line is ignored")
    func parsesLines() throws {
        let line = try #require(
            FeedLine(
                Array(
                    #"{"token":"AB01","id":"x","topic":"com.a","pushType":"alert","priority":10,"collapseID":null,"payload":{"aps":{}},"at":1}"#
                        .utf8
                )
            )
        )

        #expect(line.token == "ab01" && line.topic == "com.a" && line.collapseID == nil)
        #expect(line.payload == Data(#"{"aps":{}}"#.utf8))
        #expect(FeedLine(Array(#"{"token":"ab","payload":null}"#.utf8)) == nil)
        #expect(FeedLine(Array("nonsense".utf8)) == nil)
    }
}
