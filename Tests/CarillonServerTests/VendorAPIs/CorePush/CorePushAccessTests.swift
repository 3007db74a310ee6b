import CarillonContentJobs
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Who may call what of CORE PUSH's API, how often, and what is recorded.
struct CorePushAccessTests {
    private static let keyed = [
        "iphone_tokens_regist", "iphone_push_request", "iphone_push_request_async", "iphone_push_request_sandbox",
        "android_push_request", "android_push_request_async", "iphone_feedback", "android_feedback",
        "iphone_push_schedule", "iphone_push_schedule_status", "iphone_push_schedule_cancel",
        "iphone_push_distribution", "iphone_push_distribution_status", "iphone_push_distribution_modify",
        "user_attribute_regist", "iphone_certificate_expiry",
    ]
    private static let open = [
        "iphone_token_regist", "android_token_regist", "notify_history", "research_history", "launch_regist",
    ]

    @Test("What a back end does needs the secret: the config key is in every app")
    func secret() async throws {
        try await CorePushClient.run { client in
            for path in Self.keyed {
                #expect(try await client.send(path).message.hasPrefix("Send the secret"), "\(path)")
                #expect(try await client.send(path, secret: "wrongwrong").message == "The secret is wrong.", "\(path)")
                let right = try await client.send(path, secret: CorePushClient.secret).message
                #expect(!right.contains("ecret"), "\(path): \(right)")
            }
            for path in Self.open {
                #expect(try await !client.send(path).message.contains("ecret"), "\(path)")
                #expect(try await client.send(path, secret: "wrongwrong").message == "The secret is wrong.", "\(path)")
            }
        }
    }

    @Test("Every route of the vendor's is one of these")
    func routes() async throws {
        let (engine, stores) = try await TestServer.makeServices()
        let server = APIServer(
            configuration: .init(),
            engine: engine,
            content: ContentServices(stores, engine, UnusedFetcher()),
            logger: TestServer.logger
        )
        let declared = server.declaredRoutes.filter { CorePushPath.isOne($0.path) }
        let names = { (routes: [DeclaredRoute]) in
            routes.map { $0.path.dropFirst().dropLast(4) }.map(String.init).sorted()
        }
        #expect(names(declared.filter { $0.access == "corepush: secret" }) == Self.keyed.sorted())
        #expect(names(declared.filter { $0.access == "corepush: config key" }) == Self.open.sorted())
        #expect(declared.count == Self.keyed.count + Self.open.count && declared.allSatisfy { $0.method == "POST" })
    }

    @Test("The secret is the password of Basic, whatever the name is, or X-Secret-Key")
    func forms() async throws {
        try await CorePushClient.run { (client) async throws in
            let body = "config_key=" + CorePushClient.configKey
            func call(_ headers: [String: String]) async throws -> String? {
                try await client.send("iphone_certificate_expiry", body: body, headers: headers).status
            }
            func basic(_ pair: String) -> [String: String] {
                ["Authorization": "Basic " + Data(pair.utf8).base64EncodedString()]
            }
            #expect(try await call(["X-Secret-Key": CorePushClient.secret]) == "0")
            #expect(try await call(basic("corepush:" + CorePushClient.secret)) == "0")
            #expect(try await call(basic(":" + CorePushClient.secret)) == "0")
            #expect(
                try await call([
                    "Authorization": "basic  " + Data(("a:" + CorePushClient.secret).utf8).base64EncodedString()
                ]) == "0"
            )
            for headers in [
                basic(CorePushClient.secret), basic("a:"), ["Authorization": "Basic %%%"], ["Authorization": "Basic"],
                ["Authorization": "Bearer " + CorePushClient.secret], ["X-Secret-Key": ""],
                ["Authorization": "Bearer " + client.server.serverKey],
            ] {
                #expect(try await call(headers) == "1", "\(headers)")
            }
        }
    }

    @Test("Wrong config keys and secrets of an address are limited; the answer says when to try again")
    func guesses() async throws {
        try await CorePushClient.run {
            configuration,
            _ in
            configuration.requestLimits = RequestLimits()
            configuration.requestLimits?.unknownKey = 0.2
        } _: { client in
            #expect(
                try await client.send("iphone_certificate_expiry", secret: "wrongwrong").message
                    == "The secret is wrong."
            )
            let limited = try await client.send("iphone_certificate_expiry", secret: "wrongwron2")
            #expect(limited.status == "1" && limited.message.hasPrefix("Too many wrong keys"), "\(limited.body)")
            let key = try await client.send("notify_history", [("config_type", "1")], key: "unknownunknown")
            #expect(key.message.hasPrefix("Too many wrong keys"))
            // Phones behind the same address go on.
            #expect(try await client.send("notify_history", [("config_type", "1")]).status == "0")
        }
    }

    @Test("Registrations of an address and of a token are limited, those of a back end are not")
    func registrations() async throws {
        try await CorePushClient.run {
            configuration,
            _ in
            configuration.registrationLimiter = RegistrationLimiter(rate: 0.001, burst: 2)
        } _: { client in
            for byte in 1...2 { try await client.register(byte) }
            let fields = [("device_token", CorePushClient.token(3)), ("mode", "1")]
            let limited = try await client.send("iphone_token_regist", fields)
            #expect(limited.status == "1" && limited.message.hasPrefix("Too many registrations"))
            #expect(try await client.registered(3) == nil)
            #expect(try await client.send("iphone_token_regist", fields, secret: CorePushClient.secret).status == "0")
        }
    }

    @Test("The audit log has calls without secrets: a back end's changes, and one a minute of each of an app's calls")
    func audit() async throws {
        try await CorePushClient.run { client in
            for byte in 1...3 { try await client.register(byte) }
            _ = try await client.campaigns([["app_user_id": "9999999999", "message": "Hi"]])
            _ = try await client.send("iphone_push_request", secret: "wrongwrong")
            _ = try await client.send("iphone_push_request", secret: CorePushClient.secret)
            let answer = try await client.server.send(.get, "/v1/audit", key: client.server.serverKey)
            let all: Page<AuditEntry> = try answer.decoded()
            let found = all.items.filter { $0.action.hasSuffix(".php") }.sorted { $0.id < $1.id }
            let send = "POST /iphone_push_request.php"
            #expect(found.map(\.action) == ["POST /iphone_token_regist.php", send, send])
            #expect(found.map(\.actor) == ["corepush-app", "corepush", "unknown"])
            #expect(found.map(\.status) == [200, 200, 401])
            #expect(found.first?.app == client.app)
            let text = String(buffer: answer.body)
            #expect(!text.contains(CorePushClient.secret) && !text.contains(CorePushClient.configKey))
        }
    }

    @Test("C-05 an App that turned the API off, or never on, has no calls; a node that only sends has no such paths")
    func off() async throws {
        try await CorePushClient.run { client in
            #expect(try await client.send("notify_history", [("config_type", "1")]).status == "0")
            try await client.server.engine.vendorAPIs.turnOff(.corepush, app: client.app)
            #expect(
                try await client.send("notify_history", [("config_type", "1")]).message == "config_key is of no App."
            )
        }
        try await TestServer.run { configuration, _ in
            configuration.servesAPI = false
        } _: { (server) async throws in
            #expect(try await server.send(.post, "/notify_history.php").status == .notFound)
        }
    }

    @Test("C-64 calls work over https")
    func https() async throws {
        let certificate = try SelfSignedCertificate()
        let (engine, stores) = try await TestServer.makeServices()
        var configuration = APIServer.Configuration()
        configuration.tls = certificate.serverConfiguration
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let server = APIServer(
            configuration: configuration,
            engine: engine,
            content: ContentServices(stores, engine, UnusedFetcher()),
            logger: TestServer.logger
        )
        let application = try server.application { continuation.yield($0) }
        let request = AppRequest(name: "Bus", bundleID: "org.example.bus", identity: .open, dialect: .corepush)
        let app = try await engine.apps.create(request).app.id
        let keys = VendorAPIRequest(key: CorePushClient.configKey, secret: CorePushClient.secret)
        _ = try await engine.vendorAPIs.turnOn(.corepush, app: app, keys)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            for await port in ports {
                let settings = TestClient.Configuration(
                    tlsConfiguration: certificate.clientConfiguration,
                    serverName: "localhost"
                )
                try await TestClient.withClient(host: "127.0.0.1", port: port, configuration: settings) { client in
                    let body = ByteBuffer(string: "config_key=\(CorePushClient.configKey)&config_type=1")
                    let answer = try await client.post("/notify_history.php", body: body)
                    #expect(answer.status == .ok)
                    #expect(answer.body.map { String(buffer: $0) } == #"{"results":[],"status":"0"}"#)
                }
                break
            }
            group.cancelAll()
        }
    }
}
