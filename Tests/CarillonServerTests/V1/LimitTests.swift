import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import CarillonServer

/// How many requests callers may send: a rate of 0.01 a second lets one pass in a test.
struct LimitTests {
    func limited(_ server: TestServer, _ kind: String) async throws -> Int {
        let page = String(buffer: try await server.send(.get, "/metrics", key: server.serverKey).body)
        let sample = "carillon_http_requests_limited_total{kind=\"\(kind)\"} "
        let line = page.split(separator: "\n").first { $0.hasPrefix(sample) }
        return try #require(line.flatMap { Int($0.dropFirst(sample.count)) })
    }

    @Test("S1-m1 An API key above its rate is limited; another key is not")
    func limitsAPIKeys() async throws {
        try await TestServer.run { configuration, _ in
            configuration.requestLimits?.apiKey = 0.01
        } _: { server in
            let key = try await server.makeKey(nil, .read)
            #expect(try await server.send(.get, "/v1/apps", key: key).status == .ok)

            let answer = try await server.send(.get, "/v1/apps", key: key)

            #expect(answer.problem == "too-many-requests")
            let wait = try #require(answer.headers[.retryAfter].flatMap { Int($0) })
            #expect((90...101).contains(wait))
            #expect(try await limited(server, "api-key") == 1)
        }
    }

    @Test("S1-m1 An App key above its rate is limited; another App is not")
    func limitsAppKeys() async throws {
        try await TestServer.run { configuration, _ in
            configuration.requestLimits?.appKey = 0.01
        } _: { server in
            let (app, other) = (try await server.makeApp(), try await server.makeApp())
            let events = #"{"events":[]}"#
            func post(_ app: AppSecrets) async throws -> HTTPResponse.Status {
                try await server.send(.post, "/v1/events", events, headers: ["Carillon-App-Key": app.appKey]).status
            }
            #expect(try await post(app) != .tooManyRequests)
            #expect(try await post(app) == .tooManyRequests)
            #expect(try await post(other) != .tooManyRequests)
            #expect(try await limited(server, "app-key") == 1)
        }
    }

    @Test(
        "S1-m1 A Device above its rate is limited on all paths; another Device is not",
        arguments: [
            (HTTPRequest.Method.put, ""), (.get, ""), (.get, "/tags"), (.get, "/inbox"), (.get, "/attributes"),
            (.patch, ""), (.get, "/voip"), (.post, "/forget"),
        ]
    )
    func limitsDevices(_ method: HTTPRequest.Method, _ rest: String) async throws {
        try await TestServer.run { configuration, _ in
            configuration.requestLimits?.device = 0.01
        } _: { server in
            let fields = server.device(try await server.makeApp())
            let path = "/v1/devices/\(DeviceID(rawValue: UUID()))" + rest
            _ = try await server.send(method, path, method == .get ? nil : "{}", headers: fields)

            let answer = try await server.send(method, path, method == .get ? nil : "{}", headers: fields)
            let other = "/v1/devices/\(DeviceID(rawValue: UUID()))" + rest

            #expect(answer.status == .tooManyRequests)
            #expect(
                try await server.send(method, other, method == .get ? nil : "{}", headers: fields).status
                    != .tooManyRequests
            )
            #expect(try await limited(server, "device") == 1)
        }
    }

    @Test("S1-m1 An address with many wrong keys may only use cached ones")
    func limitsWrongKeys() async throws {
        try await TestServer.run { configuration, _ in
            configuration.requestLimits?.unknownKey = 0.01
        } _: { server in
            let app = try await server.makeApp()
            let late = try await server.makeKey(nil, .read)
            #expect(try await server.send(.get, "/v1/apps", key: server.serverKey).status == .ok)
            #expect(try await server.send(.get, "/v1/apps", key: "ck_wrong").status == .unauthorized)

            let answer = try await server.send(.get, "/v1/apps", key: "ck_wrong2")

            #expect(answer.status == .tooManyRequests && answer.headers[.retryAfter] != nil)
            #expect(try await server.send(.get, "/v1/apps", key: server.serverKey).status == .ok)
            #expect(try await server.send(.get, "/v1/apps", key: late).status == .tooManyRequests)
            let phone = ["Carillon-App-Key": app.appKey]
            #expect(try await server.send(.post, "/v1/events", "{}", headers: phone).status == .tooManyRequests)
            #expect(try await server.send(.get, "/health").status == .ok)
            #expect(try await limited(server, "unknown-key") == 3)
        }
    }

    @Test("S1-m1 Concurrent estimates, dry runs and exports are limited by App, and four times as many by node")
    func limitsCostly() throws {
        var limits = RequestLimits()
        limits.costly = 1
        let limiter = RequestLimiter(limits, metrics: ServerMetrics(startedAt: 0))
        var places = try (1...4).map { try limiter.acquireCostly(AppID(rawValue: $0)) }

        #expect(throws: ProblemAnswer.self) { try limiter.acquireCostly(AppID(rawValue: 1)) }
        #expect(throws: ProblemAnswer.self) { try limiter.acquireCostly(AppID(rawValue: 5)) }
        places.removeLast()
        #expect(try limiter.acquireCostly(AppID(rawValue: 5)) != nil)
        withExtendedLifetime(places) {}
    }

    @Test(
        "S1-m1 Estimate, dry run and export require a place",
        arguments: [
            (HTTPRequest.Method.post, "/v1/audience-estimate?app=APP", #"{"audience":{"all":true}}"#),
            (
                .post, "/v1/dry-run?app=APP",
                #"{"audience":{"all":true},"message":{"content":{"en":{"body":"x"}},"defaultLanguage":"en"}}"#
            ),
            (.post, "/v1/campaign-reach?app=APP&exact=true", #"{"audience":{"all":true},"draft":true}"#),
            (.get, "/v1/device-export?app=APP", nil),
        ] as [(HTTPRequest.Method, String, String?)]
    )
    func givesPlacesBack(_ method: HTTPRequest.Method, _ path: String, _ body: String?) async throws {
        try await TestServer.run { configuration, _ in
            configuration.requestLimits?.costly = 1
        } _: { server in
            let app = try await server.makeApp().app.id.description
            for _ in 0..<6 {
                let answer = try await server.send(
                    method,
                    path.replacing("APP", with: app),
                    body,
                    key: server.serverKey
                )
                #expect(answer.status != .tooManyRequests)
            }
            #expect(try await limited(server, "costly") == 0)
        }
    }
}

struct ReadinessCheckTests {
    @Test("S1-m1 The store is probed at most once a second")
    func asksOnceASecond() async throws {
        let count = NIOLockedValueBox(0)
        let time = NIOLockedValueBox(ContinuousClock.now)
        let check = ReadinessCheck { () async throws(StoreError) in
            if count.increment() == 2 { throw StoreError.unavailable("gone") }
        } now: {
            time.withLockedValue { $0 }
        }

        for _ in 0..<100 { try await check.check() }
        #expect(count.withLockedValue { $0 } == 1)

        time.withLockedValue { $0 += .seconds(1) }
        for _ in 0..<2 {
            await #expect(throws: StoreError.unavailable("gone")) { () async throws in try await check.check() }
        }
        time.withLockedValue { $0 += .seconds(1) }
        try await check.check()
        #expect(count.withLockedValue { $0 } == 3)
    }
}

extension ReadinessCheckTests {
    @Test("S1-m1 Concurrent checks of an unresponsive store share one probe")
    func waitsForOneQuestion() async throws {
        let count = NIOLockedValueBox(0)
        let time = NIOLockedValueBox(ContinuousClock.now)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let (questions, question) = AsyncStream.makeStream(of: Void.self)
        let check = ReadinessCheck { () async throws(StoreError) in
            _ = count.increment()
            question.yield()
            for await _ in answers { return }
        } now: {
            time.withLockedValue { $0 }
        }
        async let first: Void = check.check()
        for await _ in questions { break }

        time.withLockedValue { $0 += .seconds(60) }
        async let second: Void = check.check()
        answer.yield()
        _ = try await (first, second)
        try await check.check()

        #expect(count.withLockedValue { $0 } == 1)
    }
}

extension NIOLockedValueBox<Int> {
    fileprivate func increment() -> Int {
        withLockedValue { value in
            value += 1
            return value
        }
    }
}
