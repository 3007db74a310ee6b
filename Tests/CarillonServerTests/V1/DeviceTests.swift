import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

struct DeviceTests {
    private static let path = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    private static let body = """
        {"token":"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff","user":"u-1",
         "consent":{"notifications":true},"language":"ja"}
        """

    @Test("Registering creates the Device, and again replaces its registration")
    func registers() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let first = try await server.send(.put, Self.path, Self.body, headers: server.device(app))
            let second = try await server.send(
                .put,
                Self.path,
                #"{"consent":{"notifications":false}}"#,
                headers: server.device(app)
            )

            let record = try first.decoded(DeviceRecord.self)
            #expect(first.status == .created)
            #expect(record.tokenState == .active && record.language == "ja" && record.user?.rawValue == "u-1")
            #expect(!String(buffer: first.body).contains("00112233"))
            #expect(second.status == .ok)
            #expect(try second.decoded(DeviceRecord.self).language == nil)
        }
    }

    @Test("A change leaves missing fields and deletes those that are null")
    func updates() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            _ = try await server.send(.put, Self.path, Self.body, headers: server.device(app))

            let answer = try await server.send(
                .patch,
                Self.path,
                #"{"language":null,"model":"iPhone15,3"}"#,
                headers: server.device(app)
            )

            let record = try answer.decoded(DeviceRecord.self)
            #expect(record.language == nil && record.model == "iPhone15,3" && record.user?.rawValue == "u-1")
        }
    }

    @Test("An unknown time zone and a malformed language are not stored; the Device is, with warnings that are counted")
    func warns() async throws {
        try await TestServer.run({ configuration, _ in configuration.metricsAreOpen = true }) { server in
            let app = try await server.makeApp()
            func body(_ zone: String, _ language: String) -> String {
                #"{"consent":{"notifications":true},"timeZone":"\#(zone)","language":"\#(language)"}"#
            }
            for (method, zone, language) in [
                (HTTPRequest.Method.put, "Mars/Olympus_Mons", "日本語"), (.put, "asia/nowhere", "-"),
                (.patch, "x", "ja-"),
                (.put, "../UTC", "123"),
            ] {
                let known = try await server.send(
                    .put,
                    Self.path,
                    body("Asia/Tokyo", "zh-Hant-TW"),
                    headers: server.device(app)
                )
                let wrong = try await server.send(method, Self.path, body(zone, language), headers: server.device(app))
                let read = try await server.send(.get, Self.path, headers: server.device(app))

                let stored = try known.decoded(DeviceRecord.self)
                #expect(stored.timeZone == "Asia/Tokyo" && stored.language == "zh-Hant-TW" && stored.warnings == nil)
                let warned = try wrong.decoded(DeviceRecord.self)
                #expect(warned.warnings?.map(\.field) == ["language", "timeZone"])
                #expect(warned.timeZone == nil && warned.language == nil && warned.consent.notifications)
                let record = try read.decoded(DeviceRecord.self)
                #expect(record.timeZone == nil && record.language == nil && record.warnings == nil)
            }
            let page = String(buffer: try await server.send(.get, "/metrics").body)
            for field in ["timeZone", "language"] {
                #expect(page.contains("carillon_registration_warnings_total{field=\"\(field)\"} 4\n"))
            }
        }
    }

    @Test(
        "Names of zones and languages that phones report are stored",
        arguments: [
            ("GMT", "ko"), ("Asia/Calcutta", "kor"), ("America/Argentina/ComodRivadavia", "sr-Latn-RS"),
            ("GMT+0900", "de-CH-1901"), ("UTC", "ja_JP"), ("Pacific/Kanton", "x-whatever"),
            ("Europe/Kyiv", "en-US-u-hc-h23"),
        ]
    )
    func storesKnownNames(_ zone: String, _ language: String) async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let body = #"{"consent":{"notifications":true},"timeZone":"\#(zone)","language":"\#(language)"}"#
            let answer = try await server.send(.put, Self.path, body, headers: server.device(app))

            let record = try answer.decoded(DeviceRecord.self)
            #expect(record.timeZone == zone && record.language == language && record.warnings == nil)
        }
    }

    @Test("A Device is readable by itself and by keys with scope read only")
    func shows() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let other = try await server.makeApp()
            _ = try await server.send(.put, Self.path, Self.body, headers: server.device(app))
            let named = Self.path + "?app=\(app.app.id)"
            let key = try await server.makeKey(app.app.id, .read)

            #expect(try await server.send(.get, Self.path, headers: server.device(app)).status == .ok)
            #expect(try await server.send(.get, Self.path, key: key).status == .ok)
            #expect(try await server.send(.get, named, key: server.serverKey).status == .ok)
            #expect(try await server.send(.get, Self.path, key: server.serverKey).field == "app")
            let wrong = server.device(app, secret: String(repeating: "x", count: 43))
            #expect(try await server.send(.get, Self.path, headers: wrong).problem == "wrong-device-secret")
            #expect(try await server.send(.get, Self.path, headers: server.device(other)).problem == "unknown-device")
            #expect(try await server.send(.get, Self.path).problem == "missing-credentials")
            #expect(
                try await server.send(.get, Self.path, headers: ["Carillon-App-Key": app.appKey]).problem
                    == "missing-credentials"
            )
            let unknown = ["Carillon-App-Key": "ak_unknown", "Carillon-Device-Secret": TestServer.deviceSecret]
            #expect(try await server.send(.get, Self.path, headers: unknown).problem == "wrong-credentials")
        }
    }

    @Test("Another secret may not register, change or delete the Device")
    func keepsSecret() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            _ = try await server.send(.put, Self.path, Self.body, headers: server.device(app))
            let wrong = server.device(app, secret: String(repeating: "x", count: 43))

            #expect(try await server.send(.put, Self.path, Self.body, headers: wrong).problem == "wrong-device-secret")
            #expect(try await server.send(.patch, Self.path, "{}", headers: wrong).problem == "wrong-device-secret")
            #expect(try await server.send(.delete, Self.path, headers: wrong).problem == "wrong-device-secret")
            #expect(try await server.send(.delete, Self.path, headers: server.device(app)).status == .noContent)
            #expect(try await server.send(.delete, Self.path, headers: server.device(app)).problem == "unknown-device")
        }
    }

    @Test("An App with identity signed requires a proof of the User")
    func asksForProof() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp(identity: .signed)
            let forged = """
                {"consent":{"notifications":true},"user":"u",
                 "userProof":{"expires":9999999999,"signature":"\(String(repeating: "A", count: 43))"}}
                """

            let none = try await server.send(.put, Self.path, Self.body, headers: server.device(app))
            let wrong = try await server.send(.put, Self.path, forged, headers: server.device(app))

            #expect(none.problem == "user-proof-required" && none.status == .forbidden)
            #expect(wrong.problem == "wrong-user-proof")
        }
    }

    @Test("A malformed path or secret is reported")
    func refusesMalformed() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let short = server.device(app, secret: "short")

            #expect(
                try await server.send(.put, "/v1/devices/x", Self.body, headers: server.device(app)).field == "device"
            )
            #expect(try await server.send(.put, Self.path, Self.body, headers: short).field == "Carillon-Device-Secret")
            #expect(
                try await server.send(.get, "/v1/devices/x", headers: server.device(app)).problem == "unknown-device"
            )
        }
    }

    @Test("Too many registrations of one address are limited")
    func limits() async throws {
        try await TestServer.run { configuration, _ in
            configuration.registrationLimiter = RegistrationLimiter(rate: 0.01, burst: 2)
        } _: { server in
            let app = try await server.makeApp()
            for _ in 0..<2 { _ = try await server.send(.put, Self.path, Self.body, headers: server.device(app)) }

            let answer = try await server.send(.put, Self.path, Self.body, headers: server.device(app))

            #expect(answer.status == .tooManyRequests && answer.problem == "too-many-requests")
            let wait = try #require(answer.headers[.retryAfter].flatMap { Int($0) })
            #expect((90...101).contains(wait))
        }
    }
}
