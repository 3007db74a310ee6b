import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import HTTPTypes
import HummingbirdTesting
import NIOCore
import TestStores
import Testing

struct FrameTests {
    @Test("An unknown path answers 404, an unsupported method 405 with the supported ones")
    func tellsPathFromMethod() async throws {
        try await TestServer.run { server in
            let unknown = try await server.send(.get, "/v1/nothing")
            let method = try await server.send(.delete, "/v1/campaigns/cmp_000000000000/funnel")
            let test = try await server.send(.get, "/v1/test-send", key: server.serverKey)

            #expect(unknown.status == .notFound && unknown.problem == "unknown-path")
            #expect(method.status == .methodNotAllowed && method.problem == "method-not-allowed")
            #expect(method.headers[.allow] == "GET, HEAD")
            #expect(test.status == .methodNotAllowed)
            #expect(test.headers[.allow] == "POST")
        }
    }

    @Test("Every response has an id and security headers")
    func hasFields() async throws {
        try await TestServer.run { server in
            for path in ["/health", "/v1/apps", "/nothing"] {
                let answer = try await server.send(.get, path)
                #expect(answer.headers[try #require(HTTPField.Name("X-Request-Id"))]?.isEmpty == false)
                #expect(answer.headers[.xContentTypeOptions] == "nosniff")
                #expect(answer.headers[.cacheControl] == "no-store")
                #expect(answer.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
            }
        }
    }

    @Test("An unreachable store makes the server not ready, and requests answer 503 with Retry-After")
    func tellsStoreIsGone() async throws {
        try await TestServer.run { _, node in
            node.probe = { () async throws(StoreError) in throw .unavailable("gone") }
        } _: { server in
            #expect(try await server.send(.get, "/health").status == .ok)
            let ready = try await server.send(.get, "/ready")
            #expect(ready.status == .serviceUnavailable && ready.problem == "store-unavailable")
            #expect(ready.headers[.retryAfter] != nil)
            #expect(!String(buffer: ready.body).contains("gone"))
        }
    }

    @Test(
        "A full disk answers 507, and accepted data stays",
        .enabled(if: !TestPlace.isPostgreSQL, "only SQLite's file can be given a limit")
    )
    func tellsDiskIsFull() async throws {
        var options = SQLiteDatabase.Options.forTests
        options.maximumPageCount = 400
        try await TestServer.run(store: options) { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .send, .read)
            let long = String(repeating: "x", count: 1_900)
            let body =
                "{\"audience\":{\"all\":true},\"draft\":true,\"message\":{\"content\":{\"default\":{\"body\":\"\(long)\"}}}}"
            var accepted: [CampaignID] = []
            var problem: String?
            while problem == nil, accepted.count < 1_000 {
                let answer = try await server.send(.post, "/v1/campaigns", body, key: key)
                if answer.status == .created { accepted.append(try answer.decoded(Campaign.self).id) }
                problem = answer.problem
            }

            #expect(problem == "store-full")
            #expect(!accepted.isEmpty)
            for id in accepted {
                #expect(try await server.send(.get, "/v1/campaigns/\(id)", key: key).status == .ok)
            }
        }
    }

    @Test("Metrics are open to keys of the server, and to all when configured")
    func guardsMetrics() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let appKey = try await server.makeKey(app.app.id, .read)
            #expect(try await server.send(.get, "/metrics").problem == "metrics-refused")
            #expect(try await server.send(.get, "/metrics", key: appKey).problem == "server-key-required")
            let page = try await server.send(.get, "/metrics", key: server.serverKey)
            #expect(page.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        }
        try await TestServer.run { configuration, _ in
            configuration.metricsAreOpen = true
        } _: { server in
            _ = try await server.send(.get, "/v1/apps/app_000000000000", key: server.serverKey)
            _ = try await server.send(.get, "/no/such/path?secret=1")
            let page = String(buffer: try await server.send(.get, "/metrics").body)
            #expect(
                page.contains(
                    "carillon_http_requests_total{route=\"/v1/apps/{app}\",method=\"GET\",status=\"404\"} 1\n"
                )
            )
            #expect(
                page.contains(
                    "carillon_http_request_duration_seconds_count{route=\"/v1/apps/{app}\",method=\"GET\"} 1\n"
                )
            )
            #expect(page.contains("carillon_http_requests_in_flight 1\n"))
            #expect(!page.contains("such"))
            for line in page.split(separator: "\n") {
                #expect(line.hasPrefix("# ") || line.contains(/^[a-z_]+(\{.*\})? [0-9.e+-]+$/), "\(line)")
            }
        }
    }

    @Test("The API's description is served")
    func servesDescription() async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.get, "/v1/openapi.yaml")

            #expect(answer.headers[.contentType] == "application/yaml")
            #expect(String(buffer: answer.body).hasPrefix("openapi: 3.1"))
        }
    }
}
