import CarillonContentSets
import CarillonWebhooks
import Hummingbird
import Testing

/// Images for the console, fetched by way of the guard that webhooks have.
struct CheckedFetchTests {
    @Test("K-36 An address of the server's own networks is forbidden, and so is one that leads there")
    func forbids() async throws {
        let (world, outside) = (try await JobWorld(), OutsideServer())
        let guarded = HTTPContentFetcher(wholeTime: .seconds(10))
        for url in ["https://127.0.0.1/a.png", "https://[::1]/a.png", "https://10.0.0.1/a", "http://example.org/a.png"]
        {
            let answer = await guarded.fetchNow(ContentFetch(app: world.app, url: url, limit: 1_000))
            guard case .forbidden = answer else {
                Issue.record("\(url): \(answer)")
                continue
            }
        }
        try await outside.run { port in
            outside.set { request in
                request.path == "/a"
                    ? Response(status: .found, headers: [.location: "file:///etc/passwd"]) : Response(text: "hello")
            }
            let open = HTTPContentFetcher(options: JobWorld.fetcherOptions, wholeTime: .seconds(10))
            func fetch(_ path: String, _ limit: Int = 100) async -> CheckedFetchAnswer {
                await open.fetchNow(ContentFetch(app: world.app, url: "http://127.0.0.1:\(port)\(path)", limit: limit))
            }
            guard case .forbidden = await fetch("/a") else {
                Issue.record("A redirect is not checked.")
                return
            }
            #expect(await fetch("/b") == .content(Array("hello".utf8)))
            guard case .tooLarge = await fetch("/b", 2) else {
                Issue.record("The limit does not hold.")
                return
            }
        }
    }
}
