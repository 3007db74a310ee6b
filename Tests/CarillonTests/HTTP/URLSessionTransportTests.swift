import Carillon
import CarillonModel
import CarillonServiceExtension
import Foundation
import PhoneSimulator
import Testing

@Suite("URLSession as transport")
struct URLSessionTransportTests {
    private func request(_ url: URL, _ method: String = "GET", timeLimit: TimeInterval = 20) -> TransportRequest {
        TransportRequest(
            method: method,
            url: url.appendingPathComponent("v1/x"),
            headers: ["Carillon-App-Key": "pk", "Content-Type": "application/json"],
            body: method == "GET" ? nil : Data("{}".utf8),
            timeLimit: timeLimit
        )
    }

    @Test(
        "A request is sent with method, headers and body, its answer has status, headers and body",
        arguments: ["GET", "PUT", "PATCH", "POST", "DELETE"]
    )
    func sendsAndReceives(method: String) async throws {
        let server = try LoopbackServer { request, connection in
            let body =
                "\(request.method) \(request.path) \(request.headers["carillon-app-key"] ?? "") \(request.body.count)"
            connection.answer(429, headers: ["Retry-After": "7"], body: Data(body.utf8))
        }
        let answer = try await URLSessionTransport().send(request(server.url, method))

        #expect(answer.status == 429)
        #expect(answer.headers["retry-after"] == "7")
        #expect(String(decoding: answer.body, as: UTF8.self) == "\(method) /v1/x pk \(method == "GET" ? 0 : 2)")
    }

    @Test("The progress of a body rises to its size") func reportsProgress() async throws {
        let server = try LoopbackServer { request, connection in
            connection.answer(200, body: Data("\(request.body.count)".utf8))
        }
        var request = request(server.url, "POST")
        request.body = Data(repeating: 7, count: 300_000)
        let sent = SentBytes()
        let transport: any UploadTransport = URLSessionTransport()
        let answer = try await transport.send(request) { sent.add($0) }

        #expect(String(decoding: answer.body, as: UTF8.self) == "300000")
        #expect(sent.all == sent.all.sorted() && sent.all.last == 300_000)
    }

    @Test("Redirects are not followed: App key and secret are for one server only")
    func followsNoRedirects() async throws {
        let other = try LoopbackServer { _, connection in
            Issue.record("the redirect was followed")
            connection.answer(200)
        }
        let server = try LoopbackServer { _, connection in
            connection.answer(307, headers: ["Location": other.url.absoluteString + "/stolen"])
        }
        let answer = try await URLSessionTransport().send(request(server.url))

        #expect(answer.status == 307)
    }

    @Test("An answer that is too long is an error") func refusesLongAnswers() async throws {
        let server = try LoopbackServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            while connection.write(String(repeating: "x", count: 65_536)) {}
        }

        await #expect(throws: (any Error).self) { try await URLSessionTransport().send(request(server.url)) }
    }

    @Test("An answer that never ends is an error at the time limit") func endsSlowAnswers() async throws {
        let server = try LoopbackServer { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            while connection.write("x") { usleep(20_000) }
        }

        await #expect(throws: (any Error).self) {
            try await URLSessionTransport().send(request(server.url, timeLimit: 0.3))
        }
    }

    @Test("C-73 an answer that may be kept for an hour is asked for each time")
    func ignoresCaches() async throws {
        let count = RequestCount()
        let server = try LoopbackServer { _, connection in
            let number = count.next()
            connection.answer(200, headers: ["Cache-Control": "max-age=3600"], body: Data("\(number)".utf8))
        }
        let transport = URLSessionTransport()
        var bodies: [String] = []
        for _ in 0..<3 {
            bodies.append(String(decoding: try await transport.send(request(server.url)).body, as: UTF8.self))
        }

        #expect(bodies == ["1", "2", "3"])
    }

    @Test("Cancelling ends a request") func cancelsRequests() async throws {
        let reached = OneShot<Void>()
        let server = try LoopbackServer { _, connection in
            reached.complete(())
            connection.untilClosed()
        }
        let request = request(server.url)
        let sending = Task { try await URLSessionTransport().send(request) }
        await reached.wait()
        sending.cancel()

        await #expect(throws: (any Error).self) { try await sending.value }
    }

    @Test("A request that reaches no server throws") func throwsWhenUnreachable() async throws {
        await #expect(throws: (any Error).self) {
            try await URLSessionTransport().send(request(URL(string: "http://127.0.0.1:1")!))
        }
    }

    @Test("A date in Retry-After is respected") func respectsRetryDates() async throws {
        let test = try TestClient()
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = format.string(from: test.time.now().date.addingTimeInterval(90))
        test.server.answerNext(.problem(503, "busy", headers: ["Retry-After": date]))
        await test.client.report(.opened, of: Sample.push())
        #expect(await test.client.flush() == 1)
        test.time.advance(89)
        #expect(await test.client.flush() == 1)
        test.time.advance(1)

        #expect(await test.client.flush() == 0)
    }
}

/// Counts requests, on any thread.
///
/// Unchecked: `lock` protects `last`.
private final class RequestCount: @unchecked Sendable {
    private let lock = NSLock()
    private var last = 0

    func next() -> Int {
        lock.withLock {
            last += 1
            return last
        }
    }
}

@Suite("Pictures by URLSession")
struct ImageSourceTests {
    @Test("Pictures are streamed to disk up to a size limit") func streamsPictures() async throws {
        let server = try LoopbackServer { request, connection in
            let count = Int(request.path.dropFirst()) ?? 0
            connection.answer(200, body: Data(repeating: 0x41, count: count))
        }
        let folder = try TemporaryFolder()
        let source = URLSessionMediaSource()
        let file = folder.url.appendingPathComponent("picture")
        try await source.load(
            server.url.appendingPathComponent("300000"),
            into: file,
            maximumSize: 300_000,
            timeLimit: 20
        )
        #expect(try Data(contentsOf: file).count == 300_000)

        await #expect(throws: (any Error).self) {
            try await source.load(
                server.url.appendingPathComponent("300001"),
                into: folder.url.appendingPathComponent("large"),
                maximumSize: 300_000,
                timeLimit: 20
            )
        }
    }

    @Test("Pictures that do not exist are an error") func reportsMissingPictures() async throws {
        let server = try LoopbackServer { _, connection in connection.answer(404, body: Data("no".utf8)) }
        let folder = try TemporaryFolder()

        await #expect(throws: (any Error).self) {
            try await URLSessionMediaSource().load(
                server.url.appendingPathComponent("x"),
                into: folder.url.appendingPathComponent("x"),
                maximumSize: 100,
                timeLimit: 20
            )
        }
    }
}

/// The progress of a body.
///
/// Unchecked: `lock` protects `counts`.
private final class SentBytes: @unchecked Sendable {
    private let lock = NSLock()
    private var counts: [Int64] = []

    var all: [Int64] { lock.withLock { counts } }

    func add(_ count: Int64) { lock.withLock { counts.append(count) } }
}
