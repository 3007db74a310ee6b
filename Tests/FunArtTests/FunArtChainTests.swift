import Foundation
import SampledFunArt
import SampledFunArtApp
import Testing

@testable import CarillonCommand
@testable import SampledFunArtWeb

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// 瘋藝文 against a running server with imported data, a simulated Apple and simulated phones.
@Suite struct FunArtChainTests {
    private func run(
        _ body: @escaping @Sendable (FunArtServer.Running, OperatorAPI) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("carillon-fun-art-" + UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await DemoWorld(folder: folder, port: 0, allowsLocal: true).whileRunning { running in
            let funArt = FunArtServer(
                carillon: OperatorClient(server: running.server, key: running.api.key),
                simulator: running.control,
                pushKey: CarillonSetup.PushKey(
                    keyID: SampleKey.keyID,
                    teamID: SampleKey.teamID,
                    privateKey: try String(contentsOf: running.pushKey.file, encoding: .utf8)
                ),
                bundleID: DemoMessage.bundleID,
                size: .small
            )
            try await funArt.whileRunning { try await body($0, running.api) }
        }
    }

    @Test(
        "M-104 From signing up to the next bus, with a push of what the next import brings, and in a browser's pages",
        .timeLimit(.minutes(5))
    )
    func wholeChain() async throws {
        try await run { funArt, api in
            let phone = try await WebPhone(at: funArt.place)
            try await signUp(on: phone)
            let route = try await findBus(on: phone)
            try await watchArrivals(of: route, on: phone)
            try await hearOfNewEvent(on: phone, funArt)
            try await phone.withModel { app in
                await app.signOut()
                #expect(app.state.place == .signIn)
            }
            #expect(phone.complaints == [])
            phone.switchOff()
            try await browse(funArt, api)
        }
    }

    // MARK: - The steps

    private func signUp(on phone: WebPhone) async throws {
        try await phone.withModel { app in
            #expect(app.state.place == .signIn)
            let screen = app.signIn()
            screen.edit { state in
                state.mode = .signUp
                (state.name, state.password, state.passwordAgain) = ("alice@example.com", "short", "short")
            }
            await screen.submit()
            #expect(screen.state.problem == .failure(Failure(.invalidPassword)))
            screen.edit { ($0.password, $0.passwordAgain) = ("correct horse", "correct horse") }
            await screen.submit()
            #expect(screen.state.problem == nil)
            #expect(app.state.person?.displayName == "alice")
        }
    }

    /// Goes through the events until one has a bus nearby.
    private func findBus(on phone: WebPhone) async throws -> BusRoute {
        try await phone.withModel { app in
            let list = app.list(.music, period: .fourWeeks)
            await list.load()
            #expect(list.state.failure == nil && !list.state.isStored)
            try #require(!list.state.rows.isEmpty)
            for row in list.state.rows {
                let event = app.event(row.event)
                await event.load()
                let session = try #require(event.state.session)
                #expect(session.address.hasPrefix("高雄市"))
                let map = try #require(app.map(session))
                await map.load()
                guard let pin = map.state.pins.first(where: { !$0.stop.routes.isEmpty }) else { continue }
                await map.select(pin.id)
                #expect(map.state.selectedPin?.routes?.isEmpty == false)
                let routes = app.routes(map.state.pins.map(\.stop))
                await routes.load()
                #expect(routes.state.failure == nil)
                return try #require(routes.state.routes.first)
            }
            throw CocoaError(.featureUnsupported)
        }
    }

    private func watchArrivals(of route: BusRoute, on phone: WebPhone) async throws {
        try await phone.withModel { app in
            let screen = app.arrivals(route)
            #expect(screen.state.rows == nil)
            await screen.refresh()
            let rows = try #require(screen.state.rows)
            #expect(rows.contains { $0.isInbound } && rows.contains { !$0.isInbound })
            #expect(rows.contains { $0.time != nil })
            #expect(!screen.state.isStored && screen.state.failure == nil)
        }
    }

    private func hearOfNewEvent(on phone: WebPhone, _ funArt: FunArtServer.Running) async throws {
        try await phone.withModel { app in
            let follows = app.follows()
            await follows.set(.kind(.music), isOn: true)
            #expect(follows.state.failure == nil)
            #expect(follows.state.kinds == [.music])
        }
        let title = try await funArt.announce(.music)
        for await _ in phone.pushes where !phone.notifications.isEmpty { break }
        let shown = try #require(phone.notifications.first)
        #expect(shown.title == "新活動：" + title)
        let event = try #require(try await phone.open(shown.id))
        try await phone.withModel { app in
            let screen = app.event(event)
            await screen.load()
            #expect(screen.state.session?.title == title)
        }
    }

    /// The pages of another phone, as a browser fetches them.
    private func browse(_ funArt: FunArtServer.Running, _ api: OperatorAPI) async throws {
        let browser = TestBrowser(funArt.url)
        let first = try await browser.get("/kinds")
        #expect(first.path == "/sign-in" && first.html.contains("帳號"))
        #expect(first.policy.contains("default-src 'none'"))
        let wrong = try await browser.post("/sign-in", ["mode": "in", "name": "<b>", "password": "correct horse"])
        #expect(wrong.html.contains("&lt;b&gt;") && wrong.html.contains("登入錯誤"))
        let inside = try await browser.post(
            "/sign-in",
            ["mode": "in", "name": "alice@example.com", "password": "correct horse"]
        )
        #expect(inside.path == "/kinds")
        #expect(try await browser.post("/sign-out", [:], origin: "http://elsewhere.example").status == 403)
        #expect(inside.html.components(separatedBy: "/events?kind=").count == 10)
        let list = try await browser.get("/events?kind=1&weeks=4")
        let event = try #require(list.html.components(separatedBy: "href=\"/events/").dropFirst().first?.prefix(24))
        #expect(try await browser.get("/events/\(event)").html.contains("<dl"))
        #expect(try await browser.get("/events/\(event)/map").html.contains("<svg class=\"map\""))
        #expect(try await browser.get("/events/nowhere").status == 404)
        try await browseEscapes(browser, funArt, api)
        // What alice follows is hers on every phone.
        #expect(try await browser.get("/follows").html.contains("取消追蹤"))
        let english = try await browser.post("/language", ["language": "en"])
        #expect(english.html.contains("<html lang=\"en\">") && english.html.contains("Sign out"))
        #expect(try await browser.post("/sign-out", [:]).path == "/sign-in")
    }
}

extension FunArtChainTests {
    /// An event of a ministry whose ids have what has a meaning in addresses.
    private func browseEscapes(
        _ browser: TestBrowser,
        _ funArt: FunArtServer.Running,
        _ api: OperatorAPI
    ) async throws {
        let rows = #"""
            [{"id":"1","event":"50% a/b?c 臺","session":1,"title":"Escapes","city":"高雄市","place":"Hall",
            "latitude":22.6264,"longitude":120.3173}]
            """#
        _ = try await api.call(
            "POST",
            "v1/content-sets/events/imports",
            ["app": funArt.app.id, "format": "json"],
            body: Data(rows.utf8),
            contentType: "application/octet-stream"
        )
        let path = "/events/50%25%20a%2Fb%3Fc%20%E8%87%BA"
        let page = try await browser.get(path)
        #expect(page.status == 200 && page.html.contains("Escapes") && page.html.contains(path + "/map"))
        #expect(try await browser.get(path + "/map").html.contains("<svg class=\"map\""))
        #expect(try await browser.get(path + "/routes?session=0").status == 200)
        #expect(page.html.contains(Texts.chinese.followPlace))
        // The answer leads back to the page; the URL loading system for Linux loses the escapes of what it is led to.
        _ = try await browser.post(path + "/follow?session=0", [:])
        #expect(try await browser.get(path).html.contains(Texts.chinese.unfollowPlace))
        #expect(try await browser.get("/events/50%25").status == 404)
    }
}

/// Fetches pages as a browser does: follows redirects and keeps cookies.
private struct TestBrowser {
    struct Page {
        var path: String
        var status: Int
        var html: String
        var policy: String
    }

    private let url: URL
    private let session: URLSession

    init(_ url: URL) {
        self.url = url
        let configuration = URLSessionConfiguration.ephemeral
        // Of the session, not of a request: what follows a redirect has the session's alone.
        configuration.httpAdditionalHeaders = ["Accept-Language": "zh-TW,zh;q=0.9"]
        session = URLSession(configuration: configuration)
    }

    func get(_ path: String) async throws -> Page { try await send(try request(path)) }

    func post(_ path: String, _ form: [String: String], origin: String? = nil) async throws -> Page {
        var request = try request(path)
        request.setValue(origin, forHTTPHeaderField: "Origin")
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        let fields = form.map { name, value in
            name + "=" + (value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }
        request.httpBody = Data(fields.joined(separator: "&").utf8)
        return try await send(request)
    }

    private func request(_ path: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: path, relativeTo: url)))
    }

    private func send(_ request: URLRequest) async throws -> Page {
        let (data, response) = try await session.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        return Page(
            path: answer.url?.path ?? "",
            status: answer.statusCode,
            html: String(decoding: data, as: UTF8.self),
            policy: answer.value(forHTTPHeaderField: "Content-Security-Policy") ?? ""
        )
    }
}
