import CarillonContentJobs
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import Logging
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import CarillonServer

/// What keeps the weaker rules of vendors from harm.
struct VendorFenceTests {
    @Test("An app's calls about one token or uid are limited like those of a Device; a back end's are not")
    func limitsSubjects() async throws {
        try await ToastClient.run { configuration, _ in
            configuration.requestLimits?.device = 0.01
        } _: { client async throws in
            let body = try ToastClient.registration()
            #expect(try await client.send(.post, "tokens", body, secret: nil).code == 0)
            #expect(try await client.send(.post, "tokens", body, secret: nil).code == 40008)
            #expect(try await client.of("v2.2").send(.post, "tokens", body, secret: nil).code == 40007)
            #expect(try await client.send(.post, "tokens", body).code == 0)
            try await client.register(2, uid: "u-2")
            #expect(try await client.send(.get, "uids/u-1/tag-ids", secret: nil).code == 0)
            #expect(try await client.send(.get, "uids/u-1/tag-ids", secret: nil).code == 40008)
            #expect(try await client.send(.get, "uids/u-2/tag-ids", secret: nil).code == 0)
        }
        try await CorePushClient.run { configuration, _ in
            configuration.requestLimits?.device = 0.01
        } _: { client async throws in
            try await client.register(1)
            let fields = [("device_token", CorePushClient.token(1)), ("mode", "1")]
            let limited = try await client.send("iphone_token_regist", fields)
            #expect(limited.status == "1" && limited.message.contains("too many"), "\(limited.body)")
            #expect(try await client.send("iphone_token_regist", fields, secret: CorePushClient.secret).status == "0")
            try await client.register(2)
        }
    }

    @Test("Keys, secrets, tokens and uids of calls are never logged, whatever happens to them")
    func logsNoSecrets() async throws {
        let lines = NIOLockedValueBox<[String]>([])
        let logger = Logger(label: "test") { _ in KeptLog(lines: lines) }
        let (engine, stores) = try await TestServer.makeServices()
        var configuration = APIServer.Configuration()
        configuration.accessLog = .all
        let app = try await engine.apps.create(AppRequest(name: "Bus", bundleID: "org.example.bus")).app.id
        let core = VendorAPIRequest(key: CorePushClient.configKey, secret: CorePushClient.secret)
        _ = try await engine.vendorAPIs.turnOn(.corepush, app: app, core)
        let toast = VendorAPIRequest(key: ToastClient.appKey, secret: ToastClient.secretKey)
        _ = try await engine.vendorAPIs.turnOn(.toast, app: app, toast)
        let server = APIServer(
            configuration: configuration,
            engine: engine,
            content: ContentServices(stores, engine, UnusedFetcher()),
            logger: logger
        )
        let form = "config_key=\(CorePushClient.configKey)&"
        try await server.application().test(.router) { client in
            for (path, body) in [
                ("/push/v2.4/appkeys/\(ToastClient.appKey)/tokens", try ToastClient.registration()),
                ("/push/v2.4/appkeys/\(ToastClient.appKey)/uids/secret-uid/tag-ids", "{"),
                ("/push/v9/appkeys/\(ToastClient.appKey)/tokens/\(ToastClient.token(1))", ""),
                ("/iphone_token_regist.php", form + "device_token=\(ToastClient.token(1))"),
                ("/iphone_push_request.php", form + "request_data=x"),
            ] {
                for secret in [ToastClient.secretKey, CorePushClient.secret, "wrong-secret"] {
                    var fields = HTTPFields()
                    fields[try #require(HTTPField.Name("X-Secret-Key"))] = secret
                    let isForm = path.hasSuffix(".php")
                    fields[.contentType] = isForm ? "application/x-www-form-urlencoded" : "application/json"
                    let body = ByteBuffer(string: body)
                    let answer = try await client.executeRequest(uri: path, method: .post, headers: fields, body: body)
                    #expect(answer.status == .ok)
                    #expect(!String(buffer: answer.body).contains(secret))
                }
            }
        }
        let all = lines.withLockedValue { $0 }
        #expect(all.count >= 15)
        for word in [
            ToastClient.appKey, ToastClient.secretKey, CorePushClient.configKey, CorePushClient.secret, "wrong-secret",
            ToastClient.token(1), "secret-uid",
        ] {
            #expect(all.filter { $0.contains(word) } == [], "\(word)")
        }
    }

    @Test("A deleted App's vendor APIs are refused at once, and another App may have its key")
    func deletedApps() async throws {
        try await ToastClient.run { client async throws in
            #expect(try await client.send(.get, "tags").code == 0)
            try await client.server.engine.appDeletions.delete(client.app)
            #expect(try await client.send(.get, "tags").code == 40102)
            let other = try await client.server.makeApp().app.id
            let keys = VendorAPIRequest(key: ToastClient.appKey, secret: ToastClient.secretKey)
            _ = try await client.server.engine.vendorAPIs.turnOn(.toast, app: other, keys)
            #expect(try await client.server.engine.vendorAPIs.list(app: other).vendorAPIs.count == 1)
        }
    }

    @Test("A replaced secret is refused at once, and the new one is accepted")
    func replaces() async throws {
        try await ToastClient.run { client async throws in
            #expect(try await client.send(.get, "tags").code == 0)
            let keys = VendorAPIRequest(key: ToastClient.appKey, secret: "another1secret2that3is4longer")
            _ = try await client.server.engine.vendorAPIs.turnOn(.toast, app: client.app, keys)
            #expect(try await client.send(.get, "tags").code == 40102)
            #expect(try await client.send(.get, "tags", secret: "another1secret2that3is4longer").code == 0)
        }
    }

    @Test("Hostile bodies and paths are the caller's errors, in the vendor's form")
    func hostile() async throws {
        try await ToastClient.run { client async throws in
            let deep = String(repeating: "[", count: 10_000)
            let twice = #"{"tagName":"a","tagName":"b"}"#
            for body in [deep, twice, "null", "\u{FEFF}{}", #"{"tagName":"\u0000"}"#, #"{"tagName":1e999}"#] {
                let code = try #require(try await client.send(.post, "tags", body).code)
                #expect((40001...40008).contains(code), "\(body.prefix(40)): \(code)")
            }
            for path in ["tags/%zz", "tags/%ff", "uids/%00", "messages/99999999999999999999", "messages/-1"] {
                let code = try #require(try await client.send(.get, path).code)
                #expect((40001...40401).contains(code), "\(path): \(code)")
            }
        }
    }
}

/// A log whose lines a test reads, with their metadata.
private struct KeptLog: LogHandler {
    let lines: NIOLockedValueBox<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        lines.withLockedValue { $0.append("\(event.message) \(all)") }
    }
}
