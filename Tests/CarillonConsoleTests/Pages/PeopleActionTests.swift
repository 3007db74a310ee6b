import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonConsole

/// What Operators do to Devices and Users.
@Suite(.timeLimit(.minutes(2)))
struct PeopleActionTests {
    @Test("K-76 who erases a User types the id; the User is then on no page, in no file and in no search")
    func erases() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, user: "ann 1", of: app)
            let campaign = try await world.makeCampaign("News", of: app)
            try await world.deliver(campaign)
            let (user, path) = ("/apps/\(app)/users/ann%201", "/apps/\(app)/users/ann%201/erase")
            #expect(try await world.get(path).text.contains("<code>ann 1</code>"))

            let wrong = try await world.send(path, ["typed": "ann 2"])
            #expect(wrong.status == .unprocessableContent)
            #expect(wrong.text.contains("value=\"ann 2\"") && wrong.text.contains("Enter exactly: ann 1"))
            #expect(try await world.get(user).status == .ok)

            let done = try await world.send(path, ["typed": "ann 1"])
            #expect(done.status == .seeOther)
            let entry = try #require(try await world.lastEntry(of: app))
            #expect(entry.action == "POST /console/apps/{app}/users/{user}/erase")
            #expect(entry.change == "erased" && entry.object?.hasPrefix("user:") == true && entry.session != nil)
            for gone in [user, path, user + "/export.jsonl", user + "/edit", "/apps/\(app)/devices/\(device)"] {
                #expect(try await world.get(gone).status == .notFound, "\(gone)")
            }
            for search in ["users?q=ann", "devices?q=ann%201", "devices?q=\(device)", "users", "devices"] {
                let page = try await world.get("/apps/\(app)/\(search)").text
                #expect(!page.contains("/users/ann") && !page.contains("/devices/\(device)"), "\(search)")
            }
            let csv = try await world.get("/apps/\(app)/campaigns/\(campaign.id)/export.csv").text
            #expect(!csv.contains("ann 1") && !csv.contains(device.description))
            let page = try await world.get("/apps/\(app)/campaigns/\(campaign.id)").text
            #expect(page.contains("data-live=\"accepted\">1<"))
        }
    }

    @Test("K-76 an erased Device is gone, and its User with it when it was the only one")
    func forgets() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let (one, two) = (
                try await world.addDevice(1, user: "ann", of: app), try await world.addDevice(2, user: "ann", of: app)
            )
            let path = "/apps/\(app)/devices/\(one)/forget"
            #expect(try await world.send(path, ["typed": String(one.description.dropLast())]).status.code == 422)
            #expect(try await world.get("/apps/\(app)/devices/\(one)").status == .ok)

            #expect(try await world.send(path, ["typed": one.description]).status == .seeOther)
            #expect(try await world.get("/apps/\(app)/devices/\(one)").status == .notFound)
            #expect(try await world.get("/apps/\(app)/users/ann").status == .ok)
            let last = "/apps/\(app)/devices/\(two)/forget"
            #expect(try await world.send(last, ["typed": two.description.uppercased()]).status == .seeOther)
            #expect(try await world.get("/apps/\(app)/users/ann").status == .notFound)
            let entry = try #require(try await world.lastEntry(of: app))
            #expect(entry.change == "erased" && entry.object?.hasPrefix("device:") == true)
        }
    }

    @Test("K-26 only an admin sees a whole token, by a form, and the audit log has it without the token")
    func showsToken() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, of: app)
            let token = try #require(PageWorld.token(1)?.hexadecimal)
            let path = "/apps/\(app)/devices/\(device)/token"
            let sender = try await world.session(.sender, of: app)
            let refused = try await world.send(path, ["type": "apns"], as: sender)
            #expect(refused.status == .forbidden && !refused.text.contains(token))
            #expect(!(try await world.get("/apps/\(app)/devices/\(device)", as: sender).text.contains("/token\"")))

            #expect(try await world.send(path, ["type": "apns_voip"]).status == .notFound)
            #expect(try await world.send(path, ["type": "apns"]).text.contains(token))
            let entry = try #require(try await world.lastEntry(of: app))
            #expect(entry.change == "token shown" && entry.object?.hasPrefix("device:") == true)
            #expect(!(try await world.get("/audit").text.contains(token)))
        }
    }

    @Test("A dropped token is not used any more, and the Device stays")
    func dropsToken() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, user: "ann", of: app)
            let path = "/apps/\(app)/devices/\(device)/drop-token"
            #expect(try await world.get(path + "?type=apns").text.contains("010101…0101ab"))
            #expect(try await world.get(path).status == .notFound)

            #expect(try await world.send(path, ["type": "apns"]).status == .seeOther)
            #expect(try await world.engine.devices.tokens(of: device, app: app).isEmpty)
            #expect(try await world.get("/apps/\(app)/devices/\(device)").text.contains("It has no token."))
            #expect(try await world.lastEntry(of: app)?.change == "apns token dropped")
        }
    }

    @Test("An editor changes a User's tags and attributes; what is wrong is told at its field")
    func edits() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, user: "ann", of: app)
            let user = try #require(UserID(rawValue: "ann"))
            let (news, sport) = (
                try await world.engine.tags.create(app: app, TagRequest(name: "News")),
                try await world.engine.tags.create(app: app, TagRequest(name: "Sport"))
            )
            let old: [String: JSONValue] = ["age": .integer(41), "zip": .string("0041"), "old": .bool(true)]
            _ = try await world.engine.attributes.apply(UserAttributes(attributes: old), to: user, app: app)
            let editor = try await world.session(.editor, of: app)
            let path = "/apps/\(app)/users/ann/edit"
            let page = try await world.get(path, as: editor).text
            #expect(page.contains("value=\"0041\"") && page.contains(">News</label>"))

            let unknown: KeyValuePairs = ["moreTags": "Weather", "name0": "age", "old0": "41", "value0": "42"]
            let wrong = try await world.send(path, unknown, as: editor)
            #expect(wrong.status.code == 422 && wrong.text.contains("The App has no tag &quot;Weather&quot;"))
            #expect(wrong.text.contains("value=\"42\""))
            let name = try await world.send(path, ["name3": "a b", "value3": "1"], as: editor)
            #expect(name.status.code == 422 && name.text.contains("href=\"#name3\""))

            let form: KeyValuePairs = [
                "tag": news.id.rawValue, "moreTags": " Sport ", "name0": "age", "old0": "41", "value0": "42",
                "name1": "old", "old1": "true", "value1": "", "name2": "zip", "old2": "0041", "value2": "0042",
                "name3": "plan", "value3": "gold",
            ]
            #expect(try await world.send(path, form, as: editor).status == .seeOther)
            let record = try await world.engine.registry.users.user(user, app: app, showsTokens: false)
            #expect(Set(record.tags.map(\.id)) == [news.id, sport.id])
            #expect(record.attributes == ["age": .integer(42), "zip": .string("0042"), "plan": .string("gold")])
            let change = try #require(try await world.lastEntry(of: app)?.change)
            #expect(change.contains("tag +\(news.id)") && change.contains("attribute zip changed"))
            #expect(!change.contains("0042") && !change.contains("gold"))
        }
    }

    @Test("A User's form leaves alone what the app set meanwhile, and asks where both changed one attribute")
    func keepsOthersChanges() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await world.addDevice(1, user: "ann", of: app)
            let user = try #require(UserID(rawValue: "ann"))
            let news = try await world.engine.tags.create(app: app, TagRequest(name: "News"))
            let sport = try await world.engine.tags.create(app: app, TagRequest(name: "Sport"))
            let old: [String: JSONValue] = ["age": .integer(41), "zip": .string("0041")]
            _ = try await world.engine.attributes.apply(UserAttributes(attributes: old), to: user, app: app)
            let path = "/apps/\(app)/users/ann/edit"
            let page = try await world.get(path).text
            #expect(page.contains(#"name="name1" value="zip"><input type="hidden" name="old1" value="0041""#))
            // The app adds an attribute that comes first by name, changes one, and adds a tag.
            let new: [String: JSONValue] = ["aaa": .integer(1), "age": .integer(50)]
            _ = try await world.engine.attributes.apply(UserAttributes(attributes: new), to: user, app: app)
            _ = try await world.engine.tags.apply(.add([sport.id]), to: [user], app: app)

            var form = FormFields([
                ("tag", news.id.rawValue), ("name0", "age"), ("old0", "41"), ("value0", "41"), ("name1", "zip"),
                ("old1", "0041"), ("value1", "0042"),
            ])
            let done = try await world.send(path, form)
            #expect(done.status == .seeOther)
            var record = try await world.engine.registry.users.user(user, app: app, showsTokens: false)
            #expect(record.attributes == ["aaa": .integer(1), "age": .integer(50), "zip": .string("0042")])
            #expect(Set(record.tags.map(\.id)) == [news.id, sport.id])

            form = form.setting(["old1": "0042", "value1": "0042", "value0": "42"])
            let conflict = try await world.send(path, form)
            #expect(conflict.status == .conflict && conflict.text.contains("<td>50</td><td>42</td>"))
            #expect(conflict.text.contains(#"name="old0" value="50""#) && conflict.text.contains(#"value="42""#))
            let again = try await world.send(path, form.setting(["old0": "50"]))
            #expect(again.status == .seeOther)
            record = try await world.engine.registry.users.user(user, app: app, showsTokens: false)
            #expect(record.attributes["age"] == .integer(42))
        }
    }

    @Test("K-38 a test goes from the page of a Device only when it is a registered test Device")
    func sendsTest() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, of: app)
            let path = "/apps/\(app)/devices/\(device)/test"
            let editor = try await world.session(.editor, of: app)
            #expect(try await world.get(path, as: editor).text.contains("this is none"))
            let refused = try await world.send(path, ["title": "T", "body": "B"], as: editor)
            #expect(refused.status.code == 422 && refused.text.contains("this is none"))

            let wanted = TestDeviceRequest(device: device, name: "Mine")
            _ = try await world.engine.testDevices.add(wanted, app: app)
            #expect(try await world.send(path, ["title": "T", "body": " "], as: editor).status.code == 422)
            #expect(try await world.send(path, ["title": "T", "body": "{{x}}"], as: editor).status == .seeOther)
            let change = try #require(try await world.lastEntry(of: app)?.change)
            #expect(change.hasPrefix("test cmp_"))
            let viewer = try await world.session(.viewer, of: app)
            #expect(try await world.get(path, as: viewer).status == .forbidden)
        }
    }

    @Test("An admin gets all that is stored of a User as a file, which the audit log has")
    func exports() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let device = try await world.addDevice(1, user: "ann", of: app)
            let path = "/apps/\(app)/users/ann/export.jsonl"
            #expect(try await world.get(path, as: try await world.session(.sender, of: app)).status == .forbidden)

            let file = try await world.get(path)
            #expect(file.status == .ok && file.text.contains(device.description))
            #expect(file.headers[.contentDisposition]?.contains("user.jsonl") == true)
            let entry = try #require(try await world.lastEntry(of: app))
            #expect(entry.change == "exported" && entry.object?.hasPrefix("user:") == true)
        }
    }
}

extension PageWorld {
    /// Sends a form with its token and fields.
    func send(
        _ path: String,
        _ form: KeyValuePairs<String, String>,
        as session: String? = nil
    ) async throws -> TestResponse {
        try await send(path, FormFields(form.map { (name: $0.key, value: $0.value) }), as: session)
    }

    /// Sends a form with its token and fields, which may come several times.
    func send(_ path: String, _ form: FormFields, as session: String? = nil) async throws -> TestResponse {
        let value = session ?? admin
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .origin: "http://localhost"]
        (headers[.cookie], headers[.acceptLanguage]) = ("carillon-dev=" + value, "en")
        let fields = FormFields(form.all + [(name: "_csrf", value: SessionValue.csrfToken(of: value))])
        let body = ByteBuffer(string: fields.encoded)
        return try await client.executeRequest(uri: "/console" + path, method: .post, headers: headers, body: body)
    }

    /// The latest entry of the audit log about an App.
    func lastEntry(of app: AppID) async throws -> AuditEntry? {
        try await engine.audit.entries(AuditQuery(app: app), limit: 1).items.first
    }
}
