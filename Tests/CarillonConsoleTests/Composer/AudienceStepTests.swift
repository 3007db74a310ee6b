import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonConsole

/// The composer's step Audience.
@Suite(.timeLimit(.minutes(2)))
struct AudienceStepTests {
    /// Adds Devices of the Users u1, u2, ….
    private func addDevices(_ count: Int, _ world: ConsoleWorld, _ app: AppID) async throws {
        for number in 1...count {
            let id = try #require(DeviceID("00000000-0000-4000-8000-00000000000\(number)"))
            let token = DeviceToken(bytes: [UInt8](repeating: UInt8(number), count: 32))
            var registration = Registration(token: token, consent: Consent(notifications: number > 1))
            registration.user = UserID(rawValue: "u\(number)")
            registration.language = number.isMultiple(of: 2) ? "ja" : "en"
            let secret = String(repeating: "s", count: 43)
            _ = try await world.engine.devices.register(app: app, device: id, secret: secret, registration)
        }
    }

    private func draft(_ browser: inout Browser, of app: AppID) async throws -> (path: String, version: String) {
        _ = try await browser.get("/console/apps/\(app)/campaigns")
        let path = try #require(try await browser.post("/console/apps/\(app)/campaigns").location)
        return (path, try #require(try await browser.get(path).value(of: "version")))
    }

    private func audience(_ path: String, _ world: ConsoleWorld) async throws -> Audience {
        let id = try #require(path.split(separator: "/").compactMap { CampaignID(String($0)) }.first)
        return try await world.engine.campaigns.campaign(id, within: nil).audience
    }

    @Test("K-31 A pasted list reports unknown, duplicate and malformed ids by number, and keeps the good ones")
    func list() async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            try await addDevices(3, world, app.id)
            var browser = world.browser(of: try await world.makeAdmin())
            let (path, version) = try await draft(&browser, of: app.id)
            let long = String(repeating: "x", count: 300)

            let list = "u1\nu2,u1\n\nnobody\n\(long)\r\nu3"
            let report = try await browser.post(path, ["version": version, "who": "users", "list": list, "do": "next"])
            #expect(report.status == 200)
            #expect(report.body.contains("3 kept. Not kept: 1 unknown, 1 twice, 1 no ids, 0 beyond the limit."))
            #expect(report.body.contains(">u1\nu2\nu3</textarea>"))
            #expect(try await audience(path, world) == .redacted)

            let good = "u1\nu2\nu3"
            let saved = try await browser.post(path, ["version": version, "who": "users", "list": good, "do": "next"])
            #expect(saved.status == 303)
            #expect(try await audience(path, world) == .users(["u1", "u2", "u3"].compactMap { UserID(rawValue: $0) }))
        }
        let excess = PastedUsers("a b\na\nc d", limit: 2)
        #expect(excess.users.count == 2 && excess.excess == 1)
    }

    @Test("K-29 The page shows the waterfall, whose rows add up to the reach of the engine")
    func waterfall() async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            try await addDevices(4, world, app.id)
            var browser = world.browser(of: try await world.makeAdmin())
            let (path, version) = try await draft(&browser, of: app.id)

            let page = try await browser.post(path, ["version": version, "who": "everyone", "do": "estimate"])
            #expect(page.status == 200)
            let numbers = page.body.matches(
                of: /<th scope="row">([^<]*)<\/th><td class="number">(?:− )?([0-9,]+)<\/td>/
            )
            let rows = numbers.map { (String($0.output.1), Int($0.output.2) ?? -1) }
            #expect(rows.first?.0 == "Matched" && rows.first?.1 == 4)
            #expect(rows.last?.0 == "Reach" && rows.last?.1 == 3)
            #expect(rows.contains { $0 == ("Notifications off", 1) })
            #expect(rows.dropFirst().dropLast().reduce(4) { $0 - $1.1 } == 3)
            #expect(page.body.contains("3 Devices of 3 Users"))
            #expect(page.body.matches(of: /\/devices\/0000/).count == 3)
            #expect(try await audience(path, world) == .redacted)
        }
    }

    @Test("Rows are added and removed by buttons, and make the rule; what they cannot show is text")
    func rows() async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            var browser = world.browser(of: try await world.makeAdmin())
            let (path, version) = try await draft(&browser, of: app.id)
            let more = try await browser.post(
                path,
                [
                    "version": version, "who": "rule", "outer": "all", "g0.join": "all", "g0.0.field": "language",
                    "g0.0.op": "isOne", "g0.0.value": "ja", "do": "add-row:g0",
                ]
            )
            #expect(more.status == 200 && more.body.contains("name=\"g0.1.field\""))
            let wrong = try await browser.post(
                path,
                [
                    "version": version, "who": "rule", "g0.join": "all", "g0.0.field": "appVersion",
                    "g0.0.op": "isOne", "g0.0.value": "new", "do": "save",
                ]
            )
            #expect(wrong.status == 422 && wrong.body.contains("href=\"#g0.0.value\""))
            let saved = try await browser.post(
                path,
                [
                    "version": version, "who": "rule", "outer": "all", "g0.join": "any", "g0.0.field": "language",
                    "g0.0.op": "isOne", "g0.0.value": "ja, ko", "g0.1.field": "country", "g0.1.op": "isNot",
                    "g0.1.value": "TW", "x.0.field": "lastSeen", "x.0.op": "atLeast", "x.0.value": "30",
                    "do": "save",
                ]
            )
            #expect(saved.status == 303)
            let text = "(language in [ja, ko] or country != TW) and not lastSeen <= now-30d"
            let rule = try AudienceRule(text: text)
            #expect(try await audience(path, world) == .rule(rule))
            let page = try await browser.get(path)
            #expect(page.value(of: "x.0.value") == "30")
            #expect(page.value(of: "g0.1.value") == "TW")
        }
    }

    @Test(
        "Rules that rows show come back from them unchanged",
        arguments: [
            "language = ja", "tag:ZZPP00b6 and country != TW", "language in [ja, ko] or appVersion >= 2.10",
            "(language = ja or language = ko) and (consent.ads and lastSeen > now-7d)",
            "language = ja and not (tag:\"a\" or consent.ads)",
        ]
    )
    func roundTrip(_ text: String) throws {
        let rule = try AudienceRule(text: text)
        let rows = try #require(RuleRows(rule))
        #expect(try RuleRows(FormFields(rows.fields)).rule("", missing: "").text == rule.text)
    }

    @Test("Rules that rows cannot show stay text", arguments: ["within(35.68, 139.76, 5km)", "attribute.age >= 20"])
    func staysText(_ text: String) throws {
        #expect(RuleRows(try AudienceRule(text: text)) == nil)
    }
}
