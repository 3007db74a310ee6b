import CarillonEngine
import CarillonModel
import CarillonWebhooks
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPWebhookClientTests {
    /// A resolver whose answers a test sets.
    private struct FixedResolver: HostResolver {
        var found: [[UInt8]]

        func addresses(of host: String, for app: AppID) async -> [[UInt8]] { found }
    }

    private func post(_ url: String) -> WebhookPost {
        WebhookPost(
            app: AppID(rawValue: 1),
            url: url,
            id: "msg_000000000001",
            timestamp: Timestamp(rawValue: 1_700_000_000_999),
            signature: "v1,c2lnbmF0dXJl",
            body: Array(#"{"items":[]}"#.utf8)
        )
    }

    private func client(
        allowsLocal: Bool = true,
        leadsTo found: [[UInt8]] = [[127, 0, 0, 1]],
        wholeTime: Duration = .seconds(30)
    ) -> HTTPWebhookClient {
        var options = HTTPWebhookClient.Options()
        options.allowsLocal = allowsLocal
        options.wholeTime = wholeTime
        return HTTPWebhookClient(options: options, resolver: FixedResolver(found: found))
    }

    @Test("A post goes to the checked address, with its host name and signature")
    func postsToTheCheckedAddress() async throws {
        let backEnd = BackEnd()
        try await backEnd.run { [client = client()] port in
            // The system does not know this name, so the post went to the address that the resolver returned.
            let answer = await client.post(post("http://hook.example.test:\(port)/hook"))
            #expect(answer == .answered(status: 204, retryAfter: nil))
        }
        let request = try #require(backEnd.requests.first)
        #expect(request.body == Array(#"{"items":[]}"#.utf8))
        #expect(request.headers[.contentType] == "application/json")
        #expect(request.headers[HTTPField.Name("webhook-id")!] == "msg_000000000001")
        #expect(request.headers[HTTPField.Name("webhook-timestamp")!] == "1700000000")
        #expect(request.headers[HTTPField.Name("webhook-signature")!] == "v1,c2lnbmF0dXJl")
    }

    @Test("K-81 A private address is refused when it is saved, and when a name leads to one later")
    func refusesPrivateAddresses() async throws {
        let guarded = client(allowsLocal: false, leadsTo: [[10, 0, 0, 1]])
        for url in ["https://127.0.0.1/hook", "https://10.1.2.3/", "http://example.org/", "https://[::1]/"] {
            #expect(guarded.objection(to: url) != nil, "\(url)")
        }
        // The name is public as far as the text says; DNS has changed since.
        #expect(guarded.objection(to: "https://hook.example.test/") == nil)
        guard case .failed = await guarded.post(post("https://hook.example.test/")) else {
            Issue.record("A post went to a private address.")
            return
        }
    }

    @Test("The beginning of an answer's text is returned") func returnsBody() async throws {
        let backEnd = BackEnd()
        try await backEnd.run({
            Response(status: .internalServerError, body: ResponseBody(byteBuffer: ByteBuffer(string: "out of order")))
        }) { [client = client()] port in
            let reply = await client.reply(to: post("http://hook.example.test:\(port)/hook"))
            #expect(reply.answer == .answered(status: 500, retryAfter: nil) && reply.body == "out of order")
        }
    }

    @Test("A redirect is returned and not followed") func returnsRedirects() async throws {
        let backEnd = BackEnd()
        try await backEnd.run({
            Response(status: .temporaryRedirect, headers: [.location: "/hook", .retryAfter: "7"])
        }) { [client = client()] port in
            let answer = await client.post(post("http://hook.example.test:\(port)/hook"))
            #expect(answer == .answered(status: 307, retryAfter: .seconds(7)))
        }
        #expect(backEnd.requests.count == 1)
    }

    @Test("An endless answer is not read completely") func limitsAnswers() async throws {
        let backEnd = BackEnd()
        try await backEnd.run({
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    while true { try await writer.write(ByteBuffer(repeating: 0x78, count: 65_536)) }
                }
            )
        }) { [client = client()] port in
            let answer = await client.post(post("http://hook.example.test:\(port)/hook"))
            #expect(answer == .answered(status: 200, retryAfter: nil))
        }
    }

    @Test("Posts that a host does not answer do not block others to it")
    func keepsNobodyElse() async throws {
        let hangingCount = WebhookDispatcher.Options().webhooksAtOnce - 1
        let (arrived, gate) = (NIOLockedValueBox(0), AsyncSignal())
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let backEnd = BackEnd()
        try await backEnd.run({
            arrival.yield()
            let number = arrived.withLockedValue { count in
                count += 1
                return count
            }
            guard number <= hangingCount else { return Response(status: .noContent) }
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    await gate.wait(after: 0)
                    try await writer.finish(nil)
                }
            )
        }) { [client = client()] port in
            await withTaskGroup { group in
                for _ in 0..<hangingCount {
                    group.addTask { _ = await client.post(post("http://hook.example.test:\(port)/hook")) }
                }
                var count = 0
                for await _ in arrivals {
                    count += 1
                    if count == hangingCount { break }
                }
                let answer = await client.post(post("http://hook.example.test:\(port)/hook"))
                #expect(answer == .answered(status: 204, retryAfter: nil))
                gate.signal()
            }
        }
    }

    @Test("A refused connection and an unknown name are failures") func reportsFailures() async {
        #expect(await client().post(post("http://hook.example.test:1/hook")).isFailure)
        #expect(await client(leadsTo: []).post(post("http://a.test/")) == .failed("The name does not resolve."))
    }

    @Test(
        "A name with an address of the server's own networks is refused, even if only one of many is",
        arguments: [
            [[127, 0, 0, 1]], [[8, 8, 8, 8], [10, 0, 0, 7]], [[169, 254, 169, 254]],
            [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1]],
        ] as [[[UInt8]]]
    )
    func refusesOwnNetworks(_ found: [[UInt8]]) async {
        let answer = await client(allowsLocal: false, leadsTo: found).post(post("https://hook.example.test/"))
        #expect(answer == .failed("The name leads to a network of the server's own."))
    }

    @Test(
        "A forbidden address is refused when it is configured",
        arguments: [
            "": "absolute", "hook": "absolute", "/hook": "absolute", "ftp://example.com/": "https",
            "http://example.com/": "https", "https://": "absolute", "https://user:pass@example.com/": "user",
            "https://example.com/#x": "fragment", "https://127.0.0.1/": "Internet", "https://[::1]/": "Internet",
            "https://[::ffff:10.0.0.1]:8443/": "Internet", "https://169.254.169.254/latest": "Internet",
            "https://exa mple.com/": "absolute", "https://ex\u{E4}mple.com/": "absolute",
        ]
    )
    func objects(_ url: String, _ words: String) throws {
        let objection = try #require(client(allowsLocal: false).objection(to: url))
        #expect(objection.contains(words))
    }

    @Test("Ordinary addresses are allowed, local ones by a setting") func allowsAddresses() {
        let strict = client(allowsLocal: false)
        #expect(strict.objection(to: "https://example.com/hook?x=1") == nil)
        #expect(strict.objection(to: "https://example.com:8443") == nil)
        #expect(strict.objection(to: "https://[2606:4700::1111]/") == nil)
        #expect(client().objection(to: "http://127.0.0.1:8080/hook") == nil)
    }

    @Test(
        "Numbers that the system reads as an address are checked as that address",
        arguments: ["https://2130706433/", "https://0x7f.1/", "https://127.1/", "https://localhost/"]
    )
    func looksThroughNumbers(_ url: String) async {
        var options = HTTPWebhookClient.Options()
        options.allowsLocal = false
        let answer = await HTTPWebhookClient(options: options).post(post(url))
        #expect(answer.isFailure)
    }
}

extension WebhookAnswer {
    fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }
}
