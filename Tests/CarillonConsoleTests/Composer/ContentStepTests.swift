import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import HTTPTypes
import Testing

@testable import CarillonConsole

/// The step Content: what is saved, and what is refused.
@Suite(.timeLimit(.minutes(2)))
struct ContentStepTests {
    /// A draft with the page of its content.
    private struct Draft {
        var browser: Browser
        let path: String
        let id: CampaignID

        /// Sends the form with the version of the page.
        mutating func post(_ fields: [(String, String)], _ suffix: String = "") async throws -> PageAnswer {
            let version = try #require(try await browser.get(path).value(of: "version"))
            let all = [("version", version), ("name", "Spring")] + fields
            return try await browser.post(path + suffix, FormFields(all.map { (name: $0.0, value: $0.1) }))
        }
    }

    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]

    private static var options: ConsoleWorld.Options {
        var options = ConsoleWorld.Options()
        options.console.fetchImage = { url, _, _ in
            if url.contains("private") { return .forbidden }
            if url.contains("page") { return .content(Array("<html>".utf8)) }
            return url.contains("away") ? .unreachable : .content(png)
        }
        return options
    }

    private func run(_ test: @Sendable (ConsoleWorld, App, Draft) async throws -> Void) async throws {
        try await ConsoleWorld.run(Self.options) { world in
            let app = try await world.makeApp()
            let now = world.clock.now()
            _ = try await world.stores.apps.setPushKey(app.id, keyID: "K", teamID: "T", sealedPrivateKey: [1], at: now)
            var browser = world.browser(of: try await world.makeAdmin())
            _ = try await browser.get("/console/apps/\(app.id)/campaigns")
            let made = try await browser.post("/console/apps/\(app.id)/campaigns")
            let path = try #require(made.location).replacing("/edit/audience", with: "/edit/content")
            let id = try #require(path.split(separator: "/").dropLast(2).last.flatMap { CampaignID(String($0)) })
            try await test(world, app, Draft(browser: browser, path: path, id: id))
        }
    }

    private func message(_ world: ConsoleWorld, _ draft: Draft) async throws -> Message {
        try await world.engine.campaigns.campaign(draft.id, within: nil).message
    }

    @Test("What is typed is saved by language, shown again, and an added language has a block")
    func saves() async throws {
        try await run { world, _, page in
            var draft = page
            let answer = try await draft.post([
                ("language", "default"), ("language", "ko"), ("message.content.default.title", "Hello"),
                ("message.content.default.body", "World\r\nagain"), ("message.content.ko.body", "안녕"),
                ("message.badge", "+1"), ("message.collapses", "false"), ("do", "next"),
            ])
            #expect(answer.status == 303 && answer.location?.hasSuffix("/edit/delivery") == true)
            let saved = try await message(world, draft)
            #expect(saved.content["default"]?.body == "World\nagain" && saved.content["ko"]?.body == "안녕")
            #expect(saved.badge == .increment(by: 1) && !saved.collapses && !saved.silent)

            let page = try await draft.browser.get(draft.path)
            #expect(page.body.contains("안녕") && page.body.contains("ko-KR → ko → default"))
            #expect(page.body.contains("lang=\"ko\""))
            let added = try await draft.post([("language", "default"), ("addLanguage", "ja"), ("do", "add-language")])
            #expect(added.status == 200 && added.body.contains("name=\"message.content.ja.title\""))
            let wrong = try await draft.post([("language", "default"), ("addLanguage", "?"), ("do", "add-language")])
            #expect(wrong.status == 422 && wrong.body.contains("href=\"#addLanguage\""))
        }
    }

    @Test("K-33 A message that is too large is not saved, by fields or as JSON")
    func refusesTooLarge() async throws {
        try await run { world, _, page in
            var draft = page
            let long = String(repeating: "長", count: 1_990)
            let typed = try await draft.post([
                ("language", "default"), ("message.content.default.body", long), ("do", "next"),
            ])
            #expect(typed.status == 422 && typed.body.contains("href=\"#message.content.default.body\""))
            #expect(typed.body.contains("bytes are more than 4,096") && typed.body.contains(long))
            let json = "{\"content\":{\"default\":{\"body\":\"\(long)\"}}}"
            #expect(try await draft.post([("tab", "json"), ("json", json), ("do", "next")]).status == 422)
            #expect(try await message(world, draft).isUnwritten)
        }
    }

    @Test(
        "K-36 An address of the server's network, or of no image, is refused at the field",
        arguments: [("private", "into the server"), ("page", "JPEG, PNG or GIF")]
    )
    func refusesImages(_ host: String, _ sentence: String) async throws {
        try await run { world, _, page in
            var draft = page
            let fields = [
                ("language", "default"), ("language", "ja"), ("message.content.default.body", "a"),
                ("message.content.ja.image", "https://\(host).example/a.png"), ("do", "save"),
            ]
            let answer = try await draft.post(fields)
            #expect(answer.status == 422 && answer.body.contains("href=\"#message.content.ja.image\""))
            #expect(answer.body.contains(sentence))
            #expect(try await message(world, draft).isUnwritten)
        }
    }

    @Test("K-36 An image is shown by the server, and one that does not answer now can be saved")
    func showsImages() async throws {
        try await run { world, app, page in
            var draft = page
            for url in ["https://cdn.example/a.png", "https://away.example/a.png"] {
                let answer = try await draft.post([
                    ("language", "default"), ("message.content.default.body", "a"),
                    ("message.content.default.image", url), ("do", "save"),
                ])
                #expect(answer.status == 303, "\(url)")
                #expect(try await message(world, draft).content["default"]?.image == url)
            }
            let paths = AppPath(app: app.id)
            let image = try await draft.browser.get(paths.image("https://cdn.example/a.png"))
            #expect(image.status == 200 && image.headers[.contentType] == "image/png")
            #expect(try await draft.browser.get(paths.image("https://page.example/")).status == 404)
            #expect(try await draft.browser.get(paths.image("http://cdn.example/a.png")).status == 404)
        }
    }

    @Test("K-37 A variable without a fallback is refused by its name and its language")
    func refusesBareVariables() async throws {
        try await run { world, _, page in
            var draft = page
            let fields = [("language", "default"), ("language", "ja"), ("message.content.default.body", "a")]
            let bare = ("message.content.ja.body", "{{attribute.plan}} {{name | default: \"x\"}}")
            let refused = try await draft.post(fields + [bare, ("do", "save")])
            #expect(refused.status == 422 && refused.body.contains("href=\"#message.content.ja.body\""))
            let words = refused.body.contains("Give the variable attribute.plan a fallback in Japanese (ja)")
            #expect(words)
            #expect(try await message(world, draft).isUnwritten)
            let filled = ("message.content.ja.body", "{{attribute.plan | default: \"-\"}}")
            let saved = try await draft.post(fields + [filled, ("do", "save")])
            #expect(saved.status == 303)
        }
    }

    @Test("JSON shows the same message, and saves each of its fields")
    func savesJSON() async throws {
        try await run { world, _, page in
            var draft = page
            let json = #"{"content":{"default":{"body":"a","buttons":[{"id":"b","title":"B"}]}},"data":{"x":1}}"#
            #expect(try await draft.post([("tab", "json"), ("json", json), ("do", "save")]).status == 303)
            let saved = try await message(world, draft)
            #expect(saved.content["default"]?.buttons.first?.title == "B" && saved.data["x"] == .integer(1))
            let page = try await draft.browser.get(draft.path + "?tab=json")
            #expect(page.body.contains("&quot;buttons&quot;"))
            let wrong = try await draft.post([("tab", "json"), ("json", "{"), ("do", "save")])
            #expect(wrong.status == 422 && wrong.body.contains("href=\"#json\""))
            let unknown = try await draft.post([("tab", "json"), ("json", #"{"nothing":1}"#), ("do", "save")])
            #expect(unknown.status == 422)
        }
    }

    @Test("Drawings are made of what is typed, and asking for them is no entry of the audit log")
    func previews() async throws {
        try await run { world, _, page in
            var draft = page
            let fields = [("language", "default"), ("message.content.default.title", "Tïtle"), ("do", "preview")]
            let fragment = try await draft.post(fields, "/preview")
            #expect(fragment.status == 200 && fragment.body.contains("data-preview-list"))
            #expect(!fragment.body.contains("<html") && fragment.body.contains("data-bytes=\"30\""))
            #expect(try await draft.post(fields).status == 200)
            let actions = try await draft.browser.get("/console/audit").body
            #expect(!actions.contains("/edit/content"))
            #expect(try await message(world, draft).isUnwritten)
        }
    }

    @Test("K-38 A test goes to chosen test Devices alone, at most 20, and is in no list")
    func sendsTests() async throws {
        try await run { world, app, page in
            var draft = page
            let (own, other) = (try await Self.addDevice(world, app.id, 1), try await Self.addDevice(world, app.id, 2))
            _ = try await world.engine.testDevices.add(TestDeviceRequest(device: own, name: "Phone"), app: app.id)
            let fields = [("language", "default"), ("message.content.default.body", "a"), ("do", "test")]
            let none = try await draft.post(fields)
            let foreign = try await draft.post(fields + [("testDevice", other.description)])
            #expect(none.status == 422 && foreign.status == 422)
            let many = (10..<31).map { ("testDevice", "00000000-0000-4000-8000-0000000000\($0)") }
            let tooMany = try await draft.post(fields + many)
            #expect(tooMany.body.contains("at most 20"))

            let sent = try await draft.post(fields + [("testDevice", own.description)])
            #expect(sent.status == 303)
            let page = try await draft.browser.get(sent.location?.replacing("#test", with: "") ?? "")
            #expect(page.body.contains("data-waiting") && page.body.contains("Phone"))
            #expect(page.body.contains("Rules for ads and nights do not apply."))
            let listed = try await world.engine.campaigns.list(app: app.id, after: nil, limit: 10).items
            #expect(listed.map(\.id) == [draft.id])
            #expect(try await draft.browser.get("/console/audit").body.contains("test cmp_"))
        }
    }

    private static func addDevice(_ world: ConsoleWorld, _ app: AppID, _ number: Int) async throws -> DeviceID {
        let device = try #require(DeviceID("00000000-0000-4000-8000-00000000000\(number)"))
        let registration = Registration(consent: Consent(notifications: true))
        let secret = String(repeating: "s", count: 43)
        _ = try await world.engine.devices.register(app: app, device: device, secret: secret, registration)
        return device
    }
}
