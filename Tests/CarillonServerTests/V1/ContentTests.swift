import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

struct ContentTests {
    private static let template = #"{"name":"late","message":{"content":{"default":{"body":"{{value.min}} minutes"}}}}"#

    private static let device = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

    @Test("A template is created, read, listed, changed, sent and deleted")
    func templates() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .send, .read)

            let made = try await server.send(.post, "/v1/templates", Self.template, key: key)
            let template = try made.decoded(Template.self)
            let path = "/v1/templates/\(template.id)"
            #expect(made.status == .created && made.headers[.location] == path && template.app == app)
            #expect(try await server.send(.get, path, key: key).decoded(Template.self) == template)
            let list = try await server.send(.get, "/v1/templates", key: key)
            #expect(try list.decoded(Page<Template>.self) == Page(items: [template], nextCursor: nil))
            #expect(try await server.send(.post, "/v1/templates", Self.template, key: key).problem == "conflict")

            let campaign = #"{"audience":{"all":true},"draft":true,"template":"\#(template.id)","values":{"min":10}}"#
            let sent = try await server.send(.post, "/v1/campaigns", campaign, key: key).decoded(Campaign.self)
            #expect(sent.message.content["default"]?.body == "10 minutes" && sent.template == template.id)

            let other = Self.template.replacingOccurrences(of: "late", with: "early")
            #expect(try await server.send(.put, path, other, key: key).decoded(Template.self).name == "early")
            #expect(try await server.send(.delete, path, key: key).status == .noContent)
            #expect(try await server.send(.get, path, key: key).problem == "unknown-template")
            #expect(try await server.send(.delete, path, key: key).problem == "unknown-template")
        }
    }

    @Test("S1-operators-5 each recipient is accepted once, instead of an audience")
    func recipients() async throws {
        try await TestServer.run { server in
            let key = try await server.makeKey(try await server.makeApp().app.id, .send, .read)
            func campaign(_ rest: String) -> String {
                #"{"draft":true,"message":{"content":{"default":{"body":"{{recipient.n}}"}}},\#(rest)}"#
            }
            let recipients = #""recipients":[{"user":"u1","values":{"n":1}},{"user":"u2","values":{"n":true}}]"#

            let made = try await server.send(.post, "/v1/campaigns", campaign(recipients), key: key)
            #expect(made.status == .created && (try? made.decoded([String: JSONValue].self)["recipients"]) == nil)
            let users = ["u1", "u2"].compactMap { UserID(rawValue: $0) }
            #expect(try made.decoded(Campaign.self).audience == .users(users))
            for (rest, field) in [
                (recipients + #","audience":{"all":true}"#, "audience"), (#""recipients":[]"#, "recipients"),
                (#""recipients":[{"user":"u1","values":{"n":1}},{"user":"u1"}]"#, "recipients.1.user"),
                (#""recipients":[{"user":"u1","values":{"n":[]}}]"#, "recipients.0.values.n"),
                (#""recipients":[{"user":"u1","values":{"n":1},"x":1}]"#, "recipients.0.x"),
            ] {
                #expect(try await server.send(.post, "/v1/campaigns", campaign(rest), key: key).field == field)
            }
            let nobody = #"{"message":{"content":{"default":{"body":"Hi"}}}}"#
            #expect(try await server.send(.post, "/v1/campaigns", nobody, key: key).field == "audience")
            func many(_ count: Int, _ value: String) -> String {
                let all = (0..<count).map { #"{"user":"u\#($0)","values":{"n":"\#(value)"}}"# }
                return campaign(#""recipients":[\#(all.joined(separator: ","))]"#)
            }
            let most = try await server.send(.post, "/v1/campaigns", many(10_000, "1"), key: key)
            #expect(most.status == .created)
            #expect(
                try await server.send(.post, "/v1/campaigns", many(10_001, "1"), key: key).field == "recipients"
            )
            let large = many(9_000, String(repeating: "x", count: 1_000))
            #expect(try await server.send(.post, "/v1/campaigns", large, key: key).problem == "body-too-large")
        }
    }

    @Test("S1-operators-5 a request of more than 2 MiB takes a place of the expensive ones")
    func largeRequests() async throws {
        try await TestServer.run { configuration, _ in
            configuration.requestLimits?.costly = 0
        } _: { server in
            let key = try await server.makeKey(try await server.makeApp().app.id, .send, .read)
            let made = try await server.send(.post, "/v1/campaigns", CampaignTests.draft, key: key)
            let path = "/v1/campaigns/\(try made.decoded(Campaign.self).id)"
            let spaces = String(repeating: " ", count: 2 * 1_024 * 1_024)

            for (method, path) in [
                (HTTPRequest.Method.post, "/v1/campaigns"), (.post, "/v1/dry-run"), (.patch, path),
            ] {
                #expect(try await server.send(method, path, "{}" + spaces, key: key).status == .tooManyRequests)
            }
            #expect(made.status == .created)
        }
    }

    @Test("A repeated request creates one template")
    func repeats() async throws {
        try await TestServer.run { server in
            let key = try await server.makeKey(try await server.makeApp().app.id, .send, .read)
            let headers = ["Idempotency-Key": "once"]
            let first = try await server.send(.post, "/v1/templates", Self.template, key: key, headers: headers)
            let second = try await server.send(.post, "/v1/templates", Self.template, key: key, headers: headers)
            #expect(try first.decoded(Template.self) == second.decoded(Template.self))
        }
    }

    @Test("Content routes require a scope and separate Apps")
    func access() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .send, .read)
            let reader = try await server.makeKey(app.app.id, .read)
            let stranger = try await server.makeKey(try await server.makeApp().app.id, .send, .read)
            let template = try await server.send(.post, "/v1/templates", Self.template, key: key).decoded(Template.self)
            let path = "/v1/templates/\(template.id)"

            for (method, path, body) in [
                (HTTPRequest.Method.post, "/v1/templates", Self.template), (.put, path, Self.template),
                (.delete, path, nil), (.post, "/v1/dry-run", CampaignTests.draft),
            ] as [(HTTPRequest.Method, String, String?)] {
                #expect(try await server.send(method, path, body, key: reader).problem == "missing-scope")
                #expect(try await server.send(method, path, body).status == .unauthorized)
            }
            #expect(try await server.send(.get, path, key: stranger).problem == "unknown-template")
            #expect(try await server.send(.put, path, Self.template, key: stranger).problem == "unknown-template")
            #expect(try await server.send(.delete, path, key: stranger).problem == "unknown-template")
            #expect(
                try await server.send(.get, "/v1/templates?app=\(app.app.id)", key: stranger).problem == "unknown-app"
            )
            #expect(try await server.send(.get, "/v1/templates", key: server.serverKey).field == "app")
            #expect(
                try await server.send(.get, "/v1/consents/ads?app=\(app.app.id)", key: stranger).problem
                    == "unknown-app"
            )
            let writer = try await server.makeKey(app.app.id, .send)
            for path in ["/v1/templates", path, "/v1/consents/ads", "/v1/devices/\(Self.device)/consents"] {
                #expect(try await server.send(.get, path, key: writer).problem == "missing-scope")
            }
        }
    }

    @Test("C-47, C-48 a dry run returns payloads and sizes, names what is too large, and stores nothing")
    func dryRun() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let key = try await server.makeKey(app, .send, .read)

            let fine = try await server.send(.post, "/v1/dry-run", CampaignTests.draft, key: key)
            let answer = try fine.decoded(DryRun.self)
            #expect(fine.status == .ok && answer.problems.isEmpty)
            #expect(answer.renderings.map(\.bytes) == [answer.renderings[0].payload.utf8.count])
            #expect(answer.renderings[0].payload.hasPrefix("LateTen minutes."))

            _ = try await server.send(.patch, "/v1/apps/\(app)", #"{"payloadLimit":256}"#, key: server.serverKey)
            let long = CampaignTests.draft.replacingOccurrences(of: "Ten", with: String(repeating: "x", count: 256))
            let refused = try await server.send(.post, "/v1/dry-run", long, key: key).decoded(DryRun.self)
            #expect(refused.problems.map(\.field) == ["message.content.default"] && refused.renderings.isEmpty)
            #expect(try await server.send(.post, "/v1/campaigns", long, key: key).field == "message.content.default")
            #expect(try await server.send(.get, "/v1/campaigns", key: key).decoded(Page<Campaign>.self).items.isEmpty)
            let path = "/v1/dry-run?device="
            #expect(try await server.send(.post, path + "x", CampaignTests.draft, key: key).field == "device")
            #expect(
                try await server.send(.post, path + Self.device, CampaignTests.draft, key: key).problem
                    == "unknown-device"
            )
        }
    }

    @Test("S1-h2 a dry run with a Device contains that person's attributes, and requires scope read")
    func dryRunWithDevice() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let path = "/v1/dry-run?device=" + Self.device

            let sends = try await server.makeKey(app, .send)
            #expect(try await server.send(.post, path, CampaignTests.draft, key: sends).problem == "missing-scope")
            let reads = try await server.makeKey(app, .send, .read)
            #expect(try await server.send(.post, path, CampaignTests.draft, key: reads).problem == "unknown-device")
        }
    }

    @Test("Consent decisions of a Device, and consent to ads that is two years old, are listed")
    func consents() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .read)
            let path = "/v1/devices/\(Self.device)"
            func register(_ consent: String) async throws {
                let body = "{\"consent\":\(consent)}"
                #expect(try await server.send(.put, path, body, headers: server.device(app)).status.code < 300)
                server.clock.advance(byMilliseconds: 1_000)
            }
            try await register(#"{"notifications":true,"ads":true}"#)
            try await register(#"{"notifications":true,"ads":true,"nightAds":true}"#)

            let history = try await server.send(.get, path + "/consents", key: key).decoded(ConsentHistory.self)
            #expect(history.changes.map(\.source) == [.app, .registration])
            #expect(history.changes.map(\.new.nightAds) == [true, false])
            let unknown = "/v1/devices/\(Self.device.replacingOccurrences(of: "1", with: "2"))/consents"
            #expect(try await server.send(.get, unknown, key: key).problem == "unknown-device")

            #expect(
                try await server.send(.get, "/v1/consents/ads", key: key).decoded(Page<OldConsent>.self).items.isEmpty
            )
            server.clock.advance(byMilliseconds: 731 * 86_400_000)
            let old = try await server.send(.get, "/v1/consents/ads", key: key).decoded(Page<OldConsent>.self).items
            #expect(old.map(\.device.description) == [Self.device])
            let later = "/v1/consents/ads?from=2100-01-01T00:00:00Z"
            #expect(try await server.send(.get, later, key: key).decoded(Page<OldConsent>.self).items.isEmpty)
            #expect(try await server.send(.get, "/v1/consents/ads?from=soon", key: key).field == "from")
            #expect(try await server.send(.get, "/v1/consents/ads?cursor=!", key: key).field == "cursor")
            #expect(try await server.send(.get, "/v1/consents/ads?limit=1001", key: key).field == "limit")
        }
    }
}
