import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Crypto
import Testing

@testable import CarillonConsole

/// Pages of settings: general, the App's keys, API keys, a new App and the end of one.
struct SettingsPageTests {
    private func signedIn(_ world: ConsoleWorld) async throws -> (Browser, App) {
        let app = try await world.makeApp()
        return (world.browser(of: try await world.makeAdmin()), app)
    }

    /// The change of the latest entry of the audit log with an action.
    private func change(_ action: String, _ world: ConsoleWorld) async throws -> String? {
        try await world.engine.audit.entries(AuditQuery(), limit: 100).items.first { $0.action == action }?.change
    }

    @Test("K-83 Settings of an App are saved, and the audit log has each value before and after")
    func general() async throws {
        try await ConsoleWorld.run { world in
            var (browser, app) = try await signedIn(world)
            let path = "/console/apps/\(app.id)/settings/general"
            let page = try await browser.get(path)
            #expect(page.status == 200)
            #expect(page.body.contains("org.example.bus"))

            let answer = try await browser.post(
                path,
                [
                    "name": "Tram", "identity": "open", "tokensPerUser": "one", "tokenLifetimeDays": "90",
                    "payloadLimit": "4096", "_seen": page.value(of: "_seen") ?? "",
                ]
            )

            #expect(answer.status == 303)
            let saved = try await world.engine.apps.app(app.id)
            #expect(saved.name == "Tram" && saved.tokensPerUser == .one && saved.tokenLifetimeDays == 90)
            let change = try await change("POST /console/apps/{app}/settings/general", world)
            #expect(change == "name: Bus → Tram; tokensPerUser: many → one; tokenLifetimeDays: 365 → 90")
            #expect(try await browser.follow(answer).body.contains("The settings are saved."))
        }
    }

    @Test("A value that cannot be saved comes back with what was typed, and nothing is saved")
    func refusesValues() async throws {
        try await ConsoleWorld.run { world in
            var (browser, app) = try await signedIn(world)
            let path = "/console/apps/\(app.id)/settings/general"
            _ = try await browser.get(path)
            let answer = try await browser.post(
                path,
                [
                    "name": "Tram", "identity": "open", "tokensPerUser": "one", "tokenLifetimeDays": "ninety",
                    "payloadLimit": "1",
                ]
            )
            #expect(answer.status == 422)
            #expect(answer.title?.hasPrefix("Error:") == true)
            #expect(answer.body.contains("href=\"#tokenLifetimeDays\""))
            #expect(answer.body.contains("Enter a whole number from 1 through 730."))
            #expect(answer.body.contains("value=\"Tram\"") && answer.body.contains("value=\"ninety\""))
            #expect(try await world.engine.apps.app(app.id).name == "Bus")
        }
    }

    @Test("Of two admins who save at the same time the second one sees both versions, and nothing is lost")
    func conflict() async throws {
        try await ConsoleWorld.run { world in
            var (browser, app) = try await signedIn(world)
            let path = "/console/apps/\(app.id)/settings/general"
            let seen = try await browser.get(path).value(of: "_seen") ?? ""
            func form(_ name: String, _ seen: String) -> KeyValuePairs<String, String> {
                [
                    "name": name, "identity": "open", "tokensPerUser": "many", "tokenLifetimeDays": "365",
                    "payloadLimit": "4096", "_seen": seen,
                ]
            }
            #expect(try await browser.post(path, form("Tram", seen)).status == 303)

            let second = try await browser.post(path, form("Ferry", seen))

            #expect(second.status == 409)
            #expect(second.body.contains("Ana saved them"))
            #expect(second.body.contains("<td>Tram</td><td>Ferry</td>"))
            #expect(second.body.contains("value=\"Ferry\""))
            #expect(try await world.engine.apps.app(app.id).name == "Tram")
            // Who keeps theirs saves what stands in the form of that page.
            let again = try await browser.post(path, form("Ferry", second.value(of: "_seen") ?? ""))
            #expect(again.status == 303)
            #expect(try await world.engine.apps.app(app.id).name == "Ferry")
        }
    }

    @Test("K-80 An API key's secret is shown once, works, and is refused once it is revoked")
    func apiKeys() async throws {
        try await ConsoleWorld.run { world in
            var (browser, app) = try await signedIn(world)
            let path = "/console/apps/\(app.id)/settings/keys"
            #expect(try await browser.get(path).body.contains("This App has no API key."))
            #expect(try await browser.post(path, ["name": "shop"]).status == 422)

            let made = try await browser.post(path, ["name": "shop", "scope-read": "on", "days": "30"])

            #expect(made.status == 200)
            let secret = try #require(made.between("<code>", "</code>"))
            #expect(secret.hasPrefix("ck_"))
            let principal = try #require(try await world.engine.access.principal(bearer: secret))
            #expect(principal.app == app.id && principal.scopes == [.read])
            let list = try await browser.get(path)
            #expect(list.body.contains("shop") && !list.body.contains(secret))
            let change = try await change("POST /console/apps/{app}/settings/keys", world)
            #expect(change == "created: shop, read; secret: changed")

            let revoked = try await browser.post("\(path)/\(principal.key)/revoke")
            #expect(revoked.status == 303)
            #expect(try await world.engine.access.principal(bearer: secret) == nil)
            #expect(try await browser.post("\(path)/\(principal.key)/revoke").status == 404)
        }
    }

    @Test("K-21 Keys are made, replaced and revoked, and an App is deleted, only after a fresh sign-in")
    func needsFreshSignIn() async throws {
        try await ConsoleWorld.run { world in
            var (browser, app) = try await signedIn(world)
            let path = "/console/apps/\(app.id)/settings"
            _ = try await browser.get("\(path)/keys")
            world.clock.advance(seconds: 16 * 60)
            for (page, form) in [
                ("\(path)/keys", ["name": "shop", "scope-read": "on"]), ("\(path)/app-keys", ["appKey": "on"]),
                ("\(path)/delete", ["name": "Bus"]), ("/console/apps/new", ["name": "Tram", "bundleID": "org.tram"]),
            ] as [(String, KeyValuePairs<String, String>)] {
                let answer = try await browser.post(page, form)
                #expect(answer.status == 200 && answer.value(of: "_held") != nil, "\(page)")
            }
            #expect(try await world.engine.access.keys(app: app.id, after: nil, limit: 10).items.isEmpty)
            #expect(try await world.engine.apps.list(after: nil, limit: 10).items.map(\.id) == [app.id])
            #expect(try await world.engine.apps.app(app.id).formerKeys == nil)
        }
    }

    @Test("New App keys are shown once, the former ones are listed and can be ended")
    func appKeys() async throws {
        try await ConsoleWorld.run { world in
            var (browser, app) = try await signedIn(world)
            let path = "/console/apps/\(app.id)/settings/app-keys"
            _ = try await browser.get(path)
            #expect(try await browser.post(path).status == 422)

            let made = try await browser.post(path, ["appKey": "on", "overlapHours": "5"])

            let key = try #require(made.between("<code>", "</code>"))
            #expect(try await world.engine.access.app(appKey: key) == app.id)
            #expect(try await world.engine.apps.app(app.id).formerKeys?.map(\.kind) == [.appKey])
            let page = try await browser.get(path)
            #expect(!page.body.contains(key))
            #expect(try await browser.post("\(path)/appKey/end-former").status == 303)
            #expect(try await world.engine.apps.app(app.id).formerKeys == nil)
        }
    }

    @Test("An admin of all Apps makes an App, and deletes it by typing its name; an admin of one App deletes none")
    func lifeOfAnApp() async throws {
        try await ConsoleWorld.run { world in
            var (browser, _) = try await signedIn(world)
            #expect(try await browser.get("/console/").body.contains("href=\"/console/apps/new\""))
            _ = try await browser.get("/console/apps/new")
            let wrong = try await browser.post(
                "/console/apps/new",
                ["name": "Tram", "bundleID": "org tram", "identity": "open"]
            )
            #expect(wrong.status == 422 && wrong.body.contains("value=\"Tram\""))
            let made = try await browser.post(
                "/console/apps/new",
                ["name": "Tram", "bundleID": "org.example.tram", "identity": "open"]
            )
            #expect(made.status == 200 && made.body.contains("ak_") && made.body.contains("is_"))
            let app = try #require(
                try await world.engine.apps.list(after: nil, limit: 10).items.first { $0.name == "Tram" }
            )
            let path = "/console/apps/\(app.id)/settings/delete"

            let roles = OperatorRoles(apps: [OperatorAppRole(app: app.id, role: .admin)])
            var other = world.browser(of: try await world.makeOperator("ben@example.org", roles))
            _ = try await other.get(path)
            #expect(try await other.post(path, ["name": "Tram"]).status == 403)

            _ = try await browser.get(path)
            #expect(try await browser.post(path, ["name": "Trams"]).status == 422)
            #expect(try await world.engine.apps.app(app.id).name == "Tram")
            #expect(try await browser.post(path, ["name": "Tram"]).status == 303)
            await #expect(throws: EngineError.self) { try await world.engine.apps.app(app.id) }
        }
    }

    @Test("K-82 A webhook is made with its secret shown once, changed, tried and deleted")
    func webhooks() async throws {
        try await ConsoleWorld.run { world in
            var (browser, app) = try await signedIn(world)
            let path = "/console/apps/\(app.id)/settings/webhooks"
            _ = try await browser.get(path)
            #expect(try await browser.post(path, ["url": "https://a.example/"]).status == 422)
            let made = try await browser.post(path, ["url": "https://a.example/", "topic-event-opened": "on"])
            let secret = try #require(made.between("<code>", "</code>"))
            #expect(made.status == 200 && secret.hasPrefix("whsec_"))
            let webhook = try #require(
                try await world.engine.webhooks.list(app: app.id, after: nil, limit: 10).items.first
            )
            #expect(webhook.topics == [.eventOpened])

            let own = "\(path)/\(webhook.id)"
            let page = try await browser.get(own)
            #expect(page.status == 200 && !page.body.contains(secret))
            let form: KeyValuePairs = [
                "url": "https://b.example/", "topic-event-opened": "on", "topic-token-invalid": "on",
                "state": "disabled",
            ]
            #expect(try await browser.post(own, form).status == 303)
            let change = try await change("POST /console/apps/{app}/settings/webhooks/{webhook}", world)
            #expect(change?.contains("url: https://a.example/ → https://b.example/") == true)
            #expect(change?.contains("state: active → disabled") == true)
            let tried = try await browser.follow(try await browser.post(own + "/test"))
            #expect(tried.body.contains("The test was not accepted"))
            let rotated = try await browser.post(own + "/rotate-secret")
            #expect(rotated.between("<code>", "</code>") != secret && rotated.body.contains("whsec_"))
            #expect(try await browser.post(own + "/delete").status == 303)
            #expect(try await browser.get(own).status == 404)
        }
    }

    @Test("K-78 K-26 An uploaded key is never shown again, also not with a problem, nor in the audit log")
    func pushKey() async throws {
        try await ConsoleWorld.run { world in
            let signed = try await signedIn(world)
            var browser = signed.0
            let app = signed.1
            let path = "/console/apps/\(app.id)/settings/apns"
            let first = try await browser.get(path)
            #expect(first.status == 200)
            let pem = P256.Signing.PrivateKey().pemRepresentation
            let secret = String(pem.split(separator: "\n")[1].prefix(40))
            let wrong = try await browser.post(
                path,
                ["keyID": "abc", "teamID": "TEAM567890", "privateKey": pem]
            )
            #expect(wrong.status == 422 && wrong.body.contains("href=\"#keyID\"") && !wrong.body.contains(secret))

            let set = try await browser.post(
                path,
                ["keyID": "ABC123DEFG", "teamID": "TEAM567890", "privateKey": pem, "fileName": "AuthKey_ABC123DEFG.p8"]
            )
            #expect(set.status == 303)
            let page = try await browser.follow(set)
            #expect(page.body.contains("ABC123DEFG") && page.body.contains(">Ana<"))
            try await expectNowhere(secret, in: app.id, browser, world)
            let entries = try await world.engine.audit.entries(AuditQuery(), limit: 100).items
            #expect(entries.allSatisfy { $0.change?.contains(secret) != true })
            #expect(try await world.engine.pushKeys.record(of: app.id).keyID == "ABC123DEFG")
        }
    }

    /// No page of an App has a part of a key.
    private func expectNowhere(
        _ secret: String,
        in app: AppID,
        _ session: Browser,
        _ world: ConsoleWorld
    ) async throws {
        var browser = session
        let routes = world.console.declaredRoutes.filter { $0.method == "GET" && $0.path.hasPrefix("/apps/{app}") }
        for path in routes.map(\.path) {
            let answer = try await browser.get("/console" + path.replacing("{app}", with: "\(app)"))
            #expect(!answer.body.contains(secret) && !answer.body.contains("PRIVATE KEY-----"), "\(path)")
        }
    }

    @Test("K-83 Guards, quiet hours and caps of sending are saved, with a fresh sign-in")
    func sending() async throws {
        try await ConsoleWorld.run { world in
            var (browser, app) = try await signedIn(world)
            let path = "/console/apps/\(app.id)/settings/sending"
            _ = try await browser.get(path)
            let form: KeyValuePairs = [
                "confirmAbove": "2000", "approveAbove": "20000", "hold": "30", "quietFrom": "22:00",
                "quietUntil": "08:00", "quietPolicy": "defer", "quietZone": "Asia/Seoul", "capLimit1": "3",
                "capPeriod1": "86400", "capPer1": "user", "controlGroup": "5",
            ]
            #expect(try await browser.post(path, form).status == 303)
            let saved = try await world.engine.apps.app(app.id)
            #expect(saved.sendGuards.confirmAbove == 2_000 && saved.sendGuards.hold == 30)
            #expect(saved.sendingRules.quietHours?.zone == "Asia/Seoul")
            #expect(saved.sendingRules.frequencyCaps == [FrequencyCap(limit: 3, period: 86_400, per: .user)])
            #expect(saved.sendingRules.controlGroup == 5)
            let change = try await change("POST /console/apps/{app}/settings/sending", world)
            #expect(change?.contains("confirmAbove: 1000 → 2000") == true)
            #expect(change?.contains("hold: 60 → 30") == true)
            let wrong: KeyValuePairs = [
                "confirmAbove": "2000", "approveAbove": "20000", "hold": "30", "quietFrom": "22",
                "quietUntil": "08:00", "quietPolicy": "defer", "quietZone": "Asia/Seoul",
            ]
            #expect(try await browser.post(path, wrong).status == 422)
            world.clock.advance(seconds: 16 * 60)
            #expect(try await browser.post(path, form).value(of: "_held") != nil)
        }
    }

    @Test("Ads, accounts, retention and vendor APIs are set on pages; a vendor's secret is shown once")
    func others() async throws {
        try await ConsoleWorld.run { world in
            var (browser, app) = try await signedIn(world)
            let path = "/console/apps/\(app.id)/settings"
            _ = try await browser.get("\(path)/ads")
            #expect(
                try await browser.post("\(path)/ads", ["adRule": "korean", "adWordPosition": "body"]).status == 303
            )
            #expect(try await world.engine.apps.app(app.id).adRule == .korean)

            let days: KeyValuePairs = [
                "deliveries": "30", "events": "30", "inbox": "60", "minutes": "35", "campaigns": "30", "lists": "7",
                "userMessages": "30",
            ]
            #expect(try await browser.post("\(path)/retention", days).status == 303)
            #expect(try await world.engine.retention.days(of: app.id).lists == 7)
            let accounts: KeyValuePairs = ["isOn": "on", "guestsPerHour": "5", "tokenDays": "60", "guestDays": "30"]
            #expect(try await browser.post("\(path)/accounts", accounts).status == 303)
            #expect(try await world.engine.accounts.rules(of: app.id).isOn)
            let messages: KeyValuePairs = [
                "isAllowed": "on", "titleLength": "50", "bodyLength": "300", "perDevice": "10", "perTarget": "20",
            ]
            // The App's Users are not proved.
            #expect(try await browser.post("\(path)/user-messages", messages).status == 422)

            _ = try await browser.get("\(path)/vendor-apis")
            let on = try await browser.post("\(path)/vendor-apis", ["api": "toast", "key": "zaq1xsw2cde3vfr4"])
            let secret = try #require(on.between("<code>", "</code>"))
            let vendors = try await browser.get("\(path)/vendor-apis").body
            #expect(on.status == 200 && !vendors.contains(secret))
            let short = try await browser.post("\(path)/vendor-apis", ["api": "coimotion", "code": "x"])
            #expect(short.status == 422)
            #expect(try await browser.post("\(path)/vendor-apis/toast/off").status == 303)
            #expect(try await world.engine.vendorAPIs.list(app: app.id).vendorAPIs.isEmpty)
        }
    }
}
