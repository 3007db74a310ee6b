import CarillonContentJobs
import CarillonServer
import CarillonStore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOSSL
import Testing

/// What only a socket shows.
struct SocketTests {
    /// Runs a server that listens at a free port and tells it.
    func withServer(
        _ configure: (inout APIServer.Configuration) throws -> Void = { _ in },
        _ test: @Sendable @escaping (Int) async throws -> Void
    ) async throws {
        let (engine, stores) = try await TestServer.makeServices()
        var configuration = APIServer.Configuration()
        try configure(&configuration)
        let server = APIServer(
            configuration: configuration,
            engine: engine,
            content: ContentServices(stores, engine, UnusedFetcher()),
            logger: TestServer.logger
        )
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let application = try server.application { continuation.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            for await port in ports {
                try await test(port)
                break
            }
            group.cancelAll()
        }
    }

    @Test("Metrics are open to this machine, but not through a proxy on it")
    func showsMetricsLocally() async throws {
        try await withServer { port in
            try await TestClient.withClient(host: "127.0.0.1", port: port) { client in
                let direct = try await client.get("/metrics")
                let proxied = try await client.get(
                    "/metrics",
                    headers: [try #require(HTTPField.Name("X-Forwarded-For")): "127.0.0.1"]
                )

                #expect(direct.status == .ok)
                #expect(proxied.status == .forbidden)
            }
        }
    }

    @Test("S1-m3 Metrics are not open through a trusted proxy without X-Forwarded-For")
    func hidesMetricsBehindProxy() async throws {
        try await withServer {
            $0.trustedProxies = try #require(TrustedProxies(["127.0.0.1"]))
        } _: { port in
            try await TestClient.withClient(host: "127.0.0.1", port: port) { client in
                let answer = try await client.get("/metrics")
                #expect(answer.status == .forbidden)
            }
        }
    }

    @Test(
        "S1-h1 A node with role dispatch has no route of the API, however its path is written",
        arguments: ["/v1/apps", "//v1/apps", "/./v1/apps", "http://a/v1/apps", "/v1/openapi.yaml", "/%761/apps"]
    )
    func hidesAPI(_ target: String) async throws {
        try await withServer {
            $0.servesAPI = false
        } _: { port in
            let request = "GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let answer = try await RawClient.exchange(port, Array(request.utf8))
            #expect(answer.hasPrefix("HTTP/1.1 404"))
            let health = "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let healthy = try await RawClient.exchange(port, Array(health.utf8))
            #expect(healthy.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("With a certificate the server uses TLS and sends Strict-Transport-Security")
    func servesTLS() async throws {
        let certificate = try SelfSignedCertificate()
        try await withServer {
            $0.tls = certificate.serverConfiguration
        } _: { port in
            let configuration = TestClient.Configuration(
                tlsConfiguration: certificate.clientConfiguration,
                serverName: "localhost"
            )
            try await TestClient.withClient(host: "127.0.0.1", port: port, configuration: configuration) { client in
                let answer = try await client.get("/health")

                #expect(answer.status == .ok)
                #expect(answer.headers[.strictTransportSecurity] != nil)
            }
        }
    }

    @Test("M-44 COIMOTION's calls do not reach a server whose certificate the phone does not trust")
    func refusesUnknownCertificate() async throws {
        let certificate = try SelfSignedCertificate()
        try await withServer {
            $0.tls = certificate.serverConfiguration
        } _: { port in
            let error = try #require(await CoimCaller.profile("https://localhost:\(port)"))
            // Not that nobody listens, nor that the answer was another than expected.
            #expect(error.domain == NSURLErrorDomain && error.code != NSURLErrorCannotConnectToHost)
        }
        try await withServer { port in
            // Whatever the server says of the app: it is reached.
            let error = await CoimCaller.profile("http://127.0.0.1:\(port)")
            #expect(error?.domain != NSURLErrorDomain)
        }
    }

    @Test("A request that is not HTTP is answered 400, and the server continues")
    func survivesNonsense() async throws {
        try await withServer { port in
            let answer = try await RawClient.exchange(port, Array("\u{0}\u{1}nonsense\r\n\r\n".utf8))
            #expect(answer.hasPrefix("HTTP/1.1 400"))
            let huge = "GET /health HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n"
            #expect(try await RawClient.exchange(port, Array(huge.utf8)).hasPrefix("HTTP/1.1 400"))
            try await TestClient.withClient(host: "127.0.0.1", port: port) { client in
                let health = try? await client.get("/health")
                #expect(health?.status == .ok)
            }
        }
    }

    @Test("Pipelined requests are answered in order")
    func pipelines() async throws {
        try await withServer { port in
            let requests =
                "GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let answer = try await RawClient.exchange(port, Array(requests.utf8))
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            #expect(answer.contains("HTTP/1.1 404"))
        }
    }
}

extension SocketTests {
    @Test("S1-M3 Above the limit an address's connections are closed, and others are served")
    func capsConnections() async throws {
        try await withServer {
            $0.connections.perAddress = 1
        } _: { port in
            try await TestClient.withClient(host: "127.0.0.1", port: port) { client in
                #expect(try await client.get("/health").status == .ok)
                let health = "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

                let refused = try? await RawClient.exchange(port, Array(health.utf8))
                let other = try await RawClient.exchange(port, Array(health.utf8), from: "127.0.0.2")

                #expect(refused ?? "" == "")
                #expect(other.hasPrefix("HTTP/1.1 200"))
                #expect(try await client.get("/health").status == .ok)
            }
        }
    }

    @Test("S1-M3 A request that is refused before its body is answered, and its connection ends")
    func endsAfterRefusal() async throws {
        try await withServer {
            $0.connections.restTime = .milliseconds(1)
        } _: { port in
            let request = "PUT /v1/devices/x HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\nx"
            let answer = try await RawClient.exchange(port, Array(request.utf8))

            #expect(answer.hasPrefix("HTTP/1.1 401"))
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
        }
    }
}
