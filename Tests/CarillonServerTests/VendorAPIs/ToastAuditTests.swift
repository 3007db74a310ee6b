import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// Which calls of vendors are in the audit log: what a back end does, and of apps one a minute, whatever they send.
struct ToastAuditTests {
    private func entries(_ server: TestServer, _ app: AppID) async throws -> [AuditEntry] {
        let answer = try await server.send(.get, "/v1/audit?app=\(app)", key: server.serverKey)
        let page: Page<AuditEntry> = try answer.decoded()
        return page.items.filter { $0.actor.hasPrefix("toast") || $0.actor.hasPrefix("corepush") }
    }

    @Test("With the secret key each call that apps may make too is recorded, reads as well")
    func keyedCalls() async throws {
        try await ToastClient.run { client async throws in
            let tag = try await client.makeTag("news")
            let tags = #"{"tagIds":["\#(tag)"]}"#
            for (method, path, body) in [
                (HTTPRequest.Method.post, "tokens", try ToastClient.registration()),
                (.get, "tokens/\(ToastClient.token(1))?pushType=APNS", nil), (.post, "uids/u-1/tag-ids", tags),
                (.get, "uids/u-1/tag-ids", nil), (.put, "uids/u-1/tag-ids", tags),
                (.delete, "uids/u-1/tag-ids?tagIds=\(tag)", nil), (.delete, "tokens/\(ToastClient.token(1))", nil),
            ] as [(HTTPRequest.Method, String, String?)] {
                let before = try await entries(client.server, client.app).count
                #expect(try await client.send(method, path, body).code == 0, "\(method) \(path)")
                let after = try await entries(client.server, client.app)
                #expect(after.count == before + 1 && after.allSatisfy { $0.actor == "toast" }, "\(method) \(path)")
            }
        }
    }

    @Test("A header that is no verified secret does not decide what is recorded")
    func headers() async throws {
        try await ToastClient.run { client async throws in
            let body = try ToastClient.registration()
            for _ in 1...3 {
                _ = try await client.send(.post, "tokens", body, secret: nil, headers: ["Authorization": "x"])
            }
            #expect(try await entries(client.server, client.app).map(\.actor) == ["toast-app"])
        }
        try await CorePushClient.run { client async throws in
            let body = "config_key=\(CorePushClient.configKey)&mode=1&device_token=\(CorePushClient.token(1))"
            for _ in 1...3 {
                let reply = try await client.send(
                    "iphone_token_regist",
                    body: body,
                    headers: ["X-Secret-Access-Key": "x"]
                )
                #expect(reply.status == "0")
            }
            #expect(try await entries(client.server, client.app).map(\.actor) == ["corepush-app"])
        }
        try await ToastClient.run(identity: .signed) { client async throws in
            let body = try ToastClient.registration()
            for _ in 1...3 {
                let reply = try await client.send(.post, "tokens", body, secret: nil, headers: ["Authorization": "x"])
                #expect(reply.code == 40101)
            }
            #expect(try await entries(client.server, client.app).isEmpty)
        }
    }

    @Test("Reads of apps are limited by address, and a back end's calls apart from those of phones")
    func limits() async throws {
        try await ToastClient.run { configuration, _ in
            configuration.registrationLimiter = RegistrationLimiter(rate: 0.001, burst: 1)
        } _: { client async throws in
            let path = "tokens/\(ToastClient.token(1))?pushType=APNS"
            #expect(try await client.send(.get, path, secret: nil).code == 40401)
            #expect(try await client.send(.get, path, secret: nil).code == 40008)
            #expect(try await client.send(.get, path).code == 40401)
        }
        for path in ["notify_history", "research_history"] {
            try await CorePushClient.run { configuration, _ in
                configuration.registrationLimiter = RegistrationLimiter(rate: 0.001, burst: 1)
            } _: { client async throws in
                let fields = [("config_type", "1")]
                #expect(try await client.send(path, fields).status == "0")
                #expect(try await client.send(path, fields).message.hasPrefix("Too many"))
                #expect(try await client.send(path, fields, secret: CorePushClient.secret).status == "0")
            }
        }
        try await ToastClient.run { configuration, _ in
            configuration.requestLimits?.appKey = 0.001
        } _: { client async throws in
            for _ in 1...3 { #expect(try await client.send(.get, "uids/u-1/tag-ids").code == 0) }
            #expect(try await client.send(.get, "uids/u-1/tag-ids", secret: nil).code == 0)
            #expect(try await client.send(.get, "uids/u-1/tag-ids", secret: nil).code == 40008)
            #expect(try await client.send(.get, "uids/u-1/tag-ids").code == 0)
        }
    }
}
