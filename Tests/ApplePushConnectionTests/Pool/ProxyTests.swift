import ApplePush
import ApplePushConnection
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

struct ProxyTests {
    private let group = MultiThreadedEventLoopGroup.singleton

    private func pool(
        _ port: Int,
        through proxy: HTTPProxy,
        timeout: Duration = .seconds(60),
        logger: Logger? = nil,
        failsWhenUnreachable: Bool = false
    ) throws -> ConnectionPool {
        var configuration = ConnectionPool.Configuration()
        configuration.failsWhenUnreachable = failsWhenUnreachable
        configuration.proxy = proxy
        configuration.connectTimeout = timeout
        configuration.firstBackoff = .seconds(60)
        return try ConnectionPool(
            endpoint: Endpoint(host: "localhost", port: port),
            configuration: configuration,
            eventLoopGroup: group,
            logger: logger
        )
    }

    @Test(
        "P-44 notifications go through a tunnel, with TLS and h2 agreed inside it, and the proxy gets its credentials"
    )
    func tunnel() async throws {
        let server = try await LoopbackServer.start(on: group)
        let proxy = try await FakeProxy.start(on: group) { _ in .tunnel }
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = .file(server.certificatePath)
        configuration.proxy = try HTTPProxy(url: "http://us%20er:p%40ss:word@127.0.0.1:\(proxy.port)")
        let pool = try ConnectionPool(
            endpoint: Endpoint(host: "localhost", port: server.port),
            configuration: configuration,
            eventLoopGroup: group
        )

        let outcomes = await pool.send(Sample.batch(3000), token: Sample.token, deadline: .now() + .seconds(120))

        #expect(outcomes == Array(repeating: .accepted(uniqueID: nil), count: 3000))
        #expect(server.requests == 3000 && proxy.questions.count == server.connections)
        let target = "localhost:\(server.port)"
        let question = FakeProxy.Question(
            method: "CONNECT",
            target: target,
            // base64 of "us er:p@ss:word"
            authorization: "Basic dXMgZXI6cEBzczp3b3Jk",
            host: target
        )
        #expect(Set(proxy.questions) == [question])
        await pool.shutDown()
        await proxy.stop()
        await server.stop()
    }

    @Test(
        "P-44 a proxy that refuses the tunnel is reported with its reason",
        arguments: [
            ("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n", "the proxy answered 407"),
            ("HTTP/1.1 403 Forbidden\r\ncontent-length: 1\r\n\r\nx", "the proxy answered 403: it refuses the tunnel"),
            ("HTTP/1.1 302 Found\r\nlocation: http://elsewhere\r\n\r\n", "the proxy answered 302"),
            ("SSH-2.0-OpenSSH_9.2\r\n", "the proxy's answer is not HTTP"),
            ("HTTP/1.1 200 OK\r\nx: " + String(repeating: "y", count: 300_000), "the proxy's answer is not HTTP"),
            ("HTTP/1.1 200", "the proxy did not answer in time"),
            ("", "the proxy closed the connection"),
        ]
    )
    func refusals(answer: String, detail: String) async throws {
        let proxy = try await FakeProxy.start(on: group) { _ in answer.isEmpty ? .hangUp : .say(answer) }
        let ends = ConnectionEnds()
        let pool = try pool(
            2197,
            through: try HTTPProxy(host: "127.0.0.1", port: proxy.port),
            timeout: detail.hasSuffix("in time") ? .seconds(8) : .seconds(60),
            logger: ends.logger
        )

        let outcomes = await ends.sendUntilFirst(2, over: pool)

        #expect(outcomes == Array(repeating: .notSent(.cancelled), count: 2))
        #expect(pool.status.lastClosure?.cause == .proxyFailed)
        #expect(pool.status.lastClosure?.detail.hasPrefix(detail) == true, "\(pool.status)")
        await pool.shutDown()
        await proxy.stop()
    }

    @Test("P-44 an unreachable proxy is reported, and nothing hangs")
    func absent() async throws {
        let proxy = try await FakeProxy.start(on: group) { _ in .tunnel }
        let port = proxy.port
        await proxy.stop()
        let ends = ConnectionEnds()
        let pool = try pool(2197, through: try HTTPProxy(host: "127.0.0.1", port: port), logger: ends.logger)
        #expect(await ends.sendUntilFirst(1, over: pool) == [.notSent(.cancelled)])
        #expect(pool.status.lastClosure?.cause == .proxyFailed)
        await pool.shutDown()
    }

    @Test("P-44 a proxy URL is parsed or refused with a reason, without its password")
    func urls() throws {
        let full = try HTTPProxy(url: "http://user:secret@proxy.example:3128/")
        #expect(full.host == "proxy.example" && full.port == 3128)
        #expect("\(full)" == "proxy.example:3128" && String(reflecting: full) == "proxy.example:3128")
        let six = try HTTPProxy(url: "http://[::1]:8080")
        #expect(six.host == "::1" && six.port == 8080)
        #expect(try HTTPProxy(url: "http://proxy.example").port == 80)
        let bad: [(String, HTTPProxy.Problem)] = [
            ("", .notURL), ("proxy.example:3128", .notURL), ("http://", .notURL),
            ("https://proxy.example", .otherScheme), ("http://proxy.example:70000", .badPort),
            ("http://proxy.example/path", .notAnOrigin), ("http://proxy.example?a", .notAnOrigin),
            ("http://us%3Aer:secret@proxy.example", .badCredentials),
            ("http://user:sec%0Aret@proxy.example", .badCredentials),
        ]
        for (url, problem) in bad {
            #expect(throws: problem, "\(url)") { try HTTPProxy(url: url) }
            #expect(!problem.description.contains("secret"))
        }
    }

    @Test("P-43 neither a proxy's password nor a provider token nor a device token is logged")
    func secrets() async throws {
        let proxy = try await FakeProxy.start(on: group) { _ in
            .say("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
        }
        let lines = NIOLockedValueBox<[String]>([])
        var logger = Logger(label: "test") { _ in LineLog { line in lines.withLockedValue { $0.append(line) } } }
        logger.logLevel = .trace
        let secret = try HTTPProxy(host: "127.0.0.1", port: proxy.port, user: "user", password: "hunter2")
        let pool = try pool(2197, through: secret, logger: logger, failsWhenUnreachable: true)
        let outcomes = await pool.send(Sample.batch(2), token: Sample.token, deadline: .now() + .seconds(600))
        #expect(outcomes == Array(repeating: .notSent(.noConnection), count: 2))
        await pool.shutDown()
        await proxy.stop()

        let text = lines.withLockedValue { $0 }.joined(separator: "\n")
        #expect(text.contains("it refuses the user and the password"))
        let hex = Sample.tokenBytes(0).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        for word in ["hunter2", "dXNlcjpodW50ZXIy", Sample.token.rawValue, hex] { #expect(!text.contains(word)) }
    }
}
