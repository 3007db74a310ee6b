import Carillon
import CarillonModel
import Foundation
import Testing

@Suite("Reporting events")
struct ReportingTests {
    @Test("An event waits on disk while offline and over a restart, and is sent once")
    func sendsOnceAfterOffline() async throws {
        let test = try TestClient()
        test.server.answerAlways(nil)
        #expect(await test.client.report(.received, of: Sample.push()))
        #expect(await test.client.flush() == 1)
        let again = try test.restarted()
        test.server.recover()
        #expect(await !again.client.report(.received, of: Sample.push()))
        #expect(await again.client.flush() == 0)

        #expect(test.server.events == ["\(Sample.occurrence()) received"])
        #expect(await again.client.flush() == 0)
        #expect(test.server.requests.count == 2)
    }

    @Test("A lost answer leads to a repeat, which the server does not count")
    func repeatsAfterLostAnswers() async throws {
        let test = try TestClient()
        await test.client.report(.opened, of: Sample.push())
        // The server takes it; the phone hears nothing.
        test.server.answerNext(nil)
        #expect(await test.client.flush() == 1)
        #expect(await test.client.flush() == 0)

        #expect(test.server.events.count == 1)
    }

    @Test("A thousand events are sent in batches of at most 500") func limitsBatches() async throws {
        let test = try TestClient()
        for number in UInt32(1)...1_001 { await test.client.report(.received, of: Sample.push(number)) }

        #expect(await test.client.flush() == 0)
        #expect(test.server.events.count == 1_001)
        #expect(test.server.requests.count == 3)
    }

    @Test("An event that the server cannot process does not delay the others")
    func isolatesRefusedEvents() async throws {
        let test = try TestClient()
        let poison = Sample.occurrence(777)
        test.server.refuseBatches { $0.occurrence == poison }
        for number in UInt32(1)...900 { await test.client.report(.received, of: Sample.push(number)) }

        #expect(await test.client.flush() == 0)
        #expect(test.server.events.count == 899)
        #expect(test.server.requests.count < 40)
        #expect(test.log.entries.contains { $0.level == .warning && $0.facts == ["count": "1"] })
    }

    @Test("An event that the server rejects is not sent again") func dropsRejectedEvents() async throws {
        let test = try TestClient()
        let answer = EventBatchAnswer(counted: 0, repeated: 0, rejected: [.init(index: 0, problem: "receipt")])
        await test.client.report(.received, of: Sample.push())
        test.server.answerNext(TransportAnswer(status: 200, body: try JSONEncoder().encode(answer)))

        #expect(await test.client.flush() == 0)
        let count = test.server.requests.count
        #expect(await test.client.flush() == 0)
        #expect(test.server.requests.count == count)
        #expect(test.log.entries.contains { $0.level == .warning })
    }

    @Test("Retry-After is respected") func respectsRetryAfter() async throws {
        let test = try TestClient()
        await test.client.report(.received, of: Sample.push())
        test.server.answerNext(.problem(429, "rate", headers: ["Retry-After": "30"]))
        #expect(await test.client.flush() == 1)
        #expect(await test.client.flush() == 1)
        #expect(test.server.requests.count == 1)
        test.time.advance(30)

        #expect(await test.client.flush() == 0)
    }

    @Test("The app sends its extension's events from the shared folder, and the extension sees only its own")
    func sendsExtensionEvents() async throws {
        let folder = try TemporaryFolder()
        let server = FakeServer()
        let appExtension = try TestClient(folder: folder, server: server, process: "extension")
        server.answerAlways(nil)
        await appExtension.client.report(.received, of: Sample.push(1))
        await appExtension.client.flush()
        server.recover()
        let app = try TestClient(folder: folder, server: server)
        await app.client.report(.opened, of: Sample.push(1))
        #expect(await appExtension.client.waitingEventCount == 1)
        #expect(await app.client.waitingEventCount == 2)

        #expect(await app.client.flush() == 0)
        #expect(server.events == ["\(Sample.occurrence()) received", "\(Sample.occurrence()) opened"])
        #expect(await appExtension.client.waitingEventCount == 0)
    }

    @Test("An event that the app reports while it sends its extension's is sent by the next flush")
    func sendsNewEventsNext() async throws {
        let folder = try TemporaryFolder()
        let server = FakeServer()
        let appExtension = try TestClient(folder: folder, server: server, process: "extension")
        server.answerAlways(nil)
        await appExtension.client.report(.received, of: Sample.push(1))
        await appExtension.client.flush()
        server.recover()
        let app = try TestClient(folder: folder, server: server)
        let (hasCome, mayGo) = (OneShot<Void>(), OneShot<Void>())
        server.holdNext {
            hasCome.complete(())
            await mayGo.wait()
        }

        await withTaskGroup(of: Void.self) { [client = app.client] group in
            group.addTask { await client.flush() }
            await hasCome.wait()
            await client.report(.opened, of: Sample.push(1))
            for _ in 1...8 { group.addTask { #expect(await client.flush() == 0) } }
            group.addTask { mayGo.complete(()) }
        }

        #expect(server.events.count == 2)
    }

    @Test("Concurrent flushes send each event once") func flushesConcurrently() async throws {
        let test = try TestClient()
        for number in UInt32(1)...30 { await test.client.report(.received, of: Sample.push(number)) }
        let client = test.client
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...8 { group.addTask { await client.flush() } }
        }

        #expect(test.server.events.count == 30)
        #expect(test.server.requests.count == 1)
    }

    @Test("An event that cannot be saved on disk is sent nevertheless") func sendsUnsavedEvents() async throws {
        let test = try TestClient()
        try FileManager.default.removeItem(at: test.folder.url)
        #expect(await test.client.report(.received, of: Sample.push()))
        #expect(await !test.client.report(.received, of: Sample.push()))

        #expect(await test.client.flush() == 0)
        #expect(test.server.events.count == 1)
        #expect(test.log.entries.contains { $0.message == "An event cannot be saved" })
    }

    @Test("A typed text of any length is cut to what the server accepts") func cutsLongTexts() async throws {
        let test = try TestClient()
        let long = String(repeating: "é", count: 5_000)
        await test.client.report(.action, of: Sample.push(), action: "reply", reply: long)

        #expect(await test.client.flush() == 0)
        #expect(test.server.events == ["\(Sample.occurrence()) action reply"])
    }
}

@Suite("Keeping the server up to date")
struct RunningTests {
    @Test("A failed request is sent again after its pause, without a call by the app")
    func retriesByItself() async throws {
        let test = try TestClient()
        test.server.answerNext(nil)
        let error = await #expect(throws: CarillonError.self) {
            try await test.client.register(consent: Sample.consent)
        }
        #expect(error?.code == .unreachable)
        let client = test.client
        await test.time.untilNobodySleeps()
        let running = Task { await client.run() }
        // It sleeps until the pause is over.
        await test.time.untilSleeping(1)
        #expect(test.server.deviceMethods == ["PUT"])
        test.time.advance(2)
        await test.time.untilSleeping(1)

        #expect(test.server.deviceMethods == ["PUT", "PUT"])
        running.cancel()
        await running.value
    }

    @Test("The whole registration is sent again within a week") func repeatsWithinAWeek() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent)
        let client = test.client
        await test.time.untilNobodySleeps()
        let running = Task { await client.run() }
        for _ in 1...(7 * 4) {
            await test.time.untilSleeping(1)
            test.time.advance(6 * 3_600)
        }
        await test.time.untilSleeping(1)

        #expect(test.server.deviceMethods == ["PUT", "PUT"])
        running.cancel()
        await running.value
    }

    @Test("An event is sent as soon as it happens") func sendsEventsAtOnce() async throws {
        let test = try TestClient()
        let client = test.client
        await test.time.untilNobodySleeps()
        let running = Task { await client.run() }
        await test.time.untilSleeping(1)
        await client.report(.opened, of: Sample.push())
        while test.server.events.isEmpty { await Task.yield() }

        #expect(test.server.events.count == 1)
        running.cancel()
        await running.value
    }
}
