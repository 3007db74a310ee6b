import Carillon
import CarillonModel
import Foundation
import PhoneSimulator
import Testing
import UserNotifications

@Suite("Metrics")
struct MetricsTests {
    private func told(_ test: TestClient) throws -> [[String: JSONValue]] {
        try test.server.requests.filter { $0.path == "/v1/events" }.flatMap { request in
            let body = try JSONDecoder().decode([String: [[String: JSONValue]]].self, from: #require(request.body))
            return body["events"] ?? []
        }
    }

    @Test("C-91 a launch is reported with its push, its action and the place, apart from opened")
    func launched() async throws {
        let test = try TestClient()
        test.client.isLocationEnabled = true
        await test.client.report(
            .launched,
            of: Sample.push(),
            action: "001",
            location: .init(latitude: 35.5, longitude: 139.25)
        )
        await test.client.report(.opened, of: Sample.push())
        #expect(await test.client.flush() == 0)

        let events = try told(test)
        #expect(events.map { $0["kind"] } == [.string("launched"), .string("opened")])
        #expect(events[0]["latitude"] == .number(35.5) && events[0]["longitude"] == .number(139.25))
        #expect(events[0]["occurrence"] == .string("\(Sample.occurrence())"))
        #expect(events[0]["receipt"] == .string(Sample.receipt))
        #expect(events[1]["latitude"] == nil)
    }

    @Test(
        "A location that is invalid or not enabled is left out of an event",
        arguments: [(91.0, 0.0), (0, 181), (.nan, 0)]
    )
    func omitsLocations(latitude: Double, longitude: Double) async throws {
        let test = try TestClient()
        await test.client.report(.opened, of: Sample.push(1), location: .init(latitude: 35, longitude: 139))
        test.client.isLocationEnabled = true
        await test.client.report(.opened, of: Sample.push(2), location: .init(latitude: latitude, longitude: longitude))
        await test.client.flush()

        #expect(try told(test).allSatisfy { $0["latitude"] == nil && $0["longitude"] == nil })
        #expect(test.server.events.count == 2)
    }

    @Test("C-92 a push without Carillon's part is never reported")
    func noPush() {
        #expect(ReceivedPush(userInfo: ["aps": ["alert": "x"], "push_id": "1"]) == nil)
    }

    @Test("T-121 an event's time is Gregorian and in UTC, whatever calendar the phone shows")
    func calendar() async throws {
        let test = try TestClient()
        // A formatter that follows a phone in Bangkok or Tokyo would write these years; the event must not.
        for identifier in [Calendar.Identifier.buddhist, .japanese, .islamicUmmAlQura] {
            let year = Calendar(identifier: identifier).component(.year, from: test.time.now().date)
            #expect(year != 2026)
        }
        await test.client.report(.received, of: Sample.push())
        await test.client.flush()

        #expect(try told(test).map { $0["at"] } == [.string("2026-11-21T12:00:00.000Z")])
    }

    @Test("T-120 an event that could not be sent goes when the network is back")
    func retried() async throws {
        let test = try TestClient()
        test.server.answerAlways(nil)
        await test.client.report(.opened, of: Sample.push())
        #expect(await test.client.flush() == 1)
        test.server.recover()
        await test.client.refresh()

        #expect(test.server.events == ["\(Sample.occurrence()) opened"])
    }

    @Test("T-118 opened needs the App key, by code or from Info.plist; without, it is a clear error at the start")
    func noKey() throws {
        let error = #expect(throws: CarillonError.self) { try CarillonConfiguration(bundle: .main) }

        #expect(error?.code == .invalidConfiguration && error?.detail.contains("Info.plist") == true)
    }

    @Test("T-117 received needs the App key in the extension; without, none is sent and the text is shown")
    func noExtensionKey() async throws {
        let test = try TestPhone()
        test.system.permission = .authorized
        test.system.makeExtension = { EmptyExtension() }
        let arrival = await test.receive(Sample.payload())

        #expect(arrival.presentation == .shown && arrival.ranExtension)
        #expect(test.server.requests.isEmpty)
    }

    @Test("T-119 the extension has its own key and storage, and reports though it shares nothing with the app")
    func apart() async throws {
        let server = FakeServer()
        let app = try TestClient(server: server)
        let ownFolder = try TemporaryFolder()
        let serviceExtension = try TestClient(folder: ownFolder, server: server, process: "extension")
        await serviceExtension.client.report(.received, of: Sample.push())
        #expect(await app.client.waitingEventCount == 0)
        await serviceExtension.client.flush()

        #expect(server.events == ["\(Sample.occurrence()) received"])
    }

    @Test("The cause of an unreachable server is reported where it is known") func reportsCauses() async throws {
        for (code, cause) in [
            (URLError.Code.notConnectedToInternet, CarillonError.Cause.noNetwork), (.timedOut, .timedOut),
            (.appTransportSecurityRequiresSecureConnection, .insecure),
        ] {
            let folder = try TemporaryFolder()
            var configuration = CarillonConfiguration(server: URL(string: "https://push.example.com")!, appKey: "k")
            configuration.storage = folder.url
            let client = try CarillonClient(configuration, transport: Failing(code: code))
            let error = await #expect(throws: CarillonError.self) { try await client.fetchInbox() }
            #expect(error?.code == .unreachable && error?.cause == cause)
        }
        let test = try TestClient()
        test.server.answerNext(TransportAnswer(status: 200, body: Data("<html>".utf8)))
        let error = await #expect(throws: CarillonError.self) { try await test.client.register() }
        #expect(error?.code == .unreachable && error?.cause == .badAnswer)
    }

    private struct Failing: Transport {
        let code: URLError.Code

        func send(_ request: TransportRequest) async throws -> TransportAnswer { throw URLError(code) }
    }
}
