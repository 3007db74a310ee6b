import Carillon
import CarillonModel
import Foundation
import PhoneSimulator
import Testing

@Suite("A fleet of phones over real sockets")
struct PhoneFleetTests {
    @Test("A fleet registers all phones, shows each push once and simulates reactions") func runsFleet() async throws {
        let world = try World()
        let folder = try TemporaryFolder()
        var plan = PhoneFleet.Plan(
            count: 40,
            server: world.url,
            appKey: FakeServer.appKey,
            control: world.url,
            topic: "com.example.app",
            folder: folder.url
        )
        plan.behavior = PersonBehavior(tapRate: 0.4, dismissRate: 0.3, pressRate: 0.2, slowestReaction: 0)
        let fleet = try await PhoneFleet(plan)
        let opened = OneShot<Void>()
        let running = Task { await fleet.run { opened.complete(()) } }
        await opened.wait()
        let failures = await fleet.register()
        #expect(failures.isEmpty)
        world.push(Sample.payload(carillon: ["buttons": [["id": "yes", "title": "Yes", "kind": "openApp"]]]))
        world.push(Sample.payload(carillon: ["buttons": [["id": "yes", "title": "Yes", "kind": "openApp"]]]))
        #expect(await fleet.wait(delivered: 80, within: 240) == 0)
        running.cancel()
        await running.value
        await fleet.switchOff()

        let statistics = fleet.statistics
        #expect(statistics.registered == 40 && statistics.shown + statistics.replaced == 80)
        #expect(statistics.shownTwice == 0 && statistics.complaints == 0)
        #expect(statistics.opened > 0 && statistics.dismissed > 0 && statistics.actions > 0)
        #expect(world.server.registrations.count == 40)
        #expect(Set(world.server.registrations.compactMap(\.language)).count == 9)
        #expect(Set(world.server.registrations.compactMap(\.timeZone)).count == 10)
    }

    @Test("A fleet opens its feed again after it was cut") func reopensFeeds() async throws {
        let world = try World()
        let folder = try TemporaryFolder()
        let plan = PhoneFleet.Plan(
            count: 3,
            server: world.url,
            appKey: FakeServer.appKey,
            control: world.url,
            topic: "com.example.app",
            folder: folder.url
        )
        let fleet = try await PhoneFleet(plan)
        let openings = Openings()
        let running = Task { await fleet.run { openings.add() } }
        await openings.until(1)
        _ = await fleet.register()
        world.cutFeeds()
        await openings.until(2)
        world.push(Sample.payload())
        while fleet.statistics.delivered < 3 { await Task.yield() }
        running.cancel()
        await running.value
        await fleet.switchOff()

        #expect(fleet.statistics.shown == 3)
    }
}

/// Counts, and lets a test wait for a count.
final class Openings: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    private var waiters: [(Int, OneShot<Void>)] = []

    func add() {
        let ready = lock.withLock { () -> [OneShot<Void>] in
            count += 1
            defer { waiters.removeAll { $0.0 <= count } }
            return waiters.filter { $0.0 <= count }.map(\.1)
        }
        for shot in ready { shot.complete(()) }
    }

    func until(_ wanted: Int) async {
        let shot = OneShot<Void>()
        let isReached = lock.withLock {
            if count < wanted { waiters.append((wanted, shot)) }
            return count >= wanted
        }
        if !isReached { await shot.wait() }
    }
}

/// The server and the APNs simulator's control API in one, over real sockets.
private final class World: @unchecked Sendable {
    let server = FakeServer()
    private let lock = NSLock()
    private var tokens: [String] = []
    private var feeds: [Feed] = []
    private var loopback: LoopbackServer?

    /// Lines that wait for their feed's thread; `nil` ends the feed.
    private final class Feed: @unchecked Sendable {
        private let condition = NSCondition()
        private var lines: [String?] = []

        func put(_ line: String?) {
            condition.lock()
            lines.append(line)
            condition.signal()
            condition.unlock()
        }

        func take() -> String? {
            condition.lock()
            defer { condition.unlock() }
            while lines.isEmpty { condition.wait() }
            return lines.removeFirst()
        }
    }

    init() throws {
        loopback = try LoopbackServer { [weak self] request, connection in self?.serve(request, connection) }
    }

    deinit { cutFeeds() }

    var url: URL { loopback?.url ?? URL(fileURLWithPath: "/") }

    func push(_ payload: Data) {
        let text = String(decoding: payload, as: UTF8.self)
        lock.withLock {
            for token in tokens {
                feeds.last?.put(
                    #"{"token":"\#(token)","id":"x","topic":"t","pushType":"alert","collapseID":"c1","payload":\#(text)}"#
                )
            }
        }
    }

    func cutFeeds() {
        let feeds = lock.withLock {
            defer { self.feeds = [] }
            return self.feeds
        }
        for feed in feeds { feed.put(nil) }
    }

    private func serve(_ request: LoopbackServer.Request, _ connection: LoopbackServer.Connection) {
        switch request.path {
        case "/tokens":
            let count = (try? JSONDecoder().decode([String: JSONValue].self, from: request.body))?["count"]
            guard case .integer(let count) = count else { return connection.answer(400) }
            let fresh = (0..<count).map { _ in DeviceToken(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) })! }
            lock.withLock { tokens = fresh.map(\.hexadecimal) }
            let body = try? JSONEncoder().encode(["tokens": fresh.map(\.hexadecimal)])
            connection.answer(200, body: body ?? Data())
        case "/feed":
            let feed = Feed()
            lock.withLock { feeds.append(feed) }
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            while let line = feed.take() { connection.write(line + "\n") }
        default: answer(request, connection)
        }
    }

    private func answer(_ request: LoopbackServer.Request, _ connection: LoopbackServer.Connection) {
        let answered = DispatchSemaphore(value: 0)
        let sent = TransportRequest(
            method: request.method,
            url: url.appendingPathComponent(request.path),
            headers: [
                "Carillon-App-Key": request.headers["carillon-app-key"] ?? "",
                "Carillon-Device-Secret": request.headers["carillon-device-secret"] ?? "",
            ].filter { !$0.value.isEmpty },
            body: request.body,
            timeLimit: 20
        )
        let server = server
        Task.detached {
            let answer = try? await server.send(sent)
            connection.answer(answer?.status ?? 500, body: answer?.body ?? Data())
            answered.signal()
        }
        answered.wait()
    }
}
