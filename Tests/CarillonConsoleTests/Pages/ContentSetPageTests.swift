import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonConsole

/// The pages of content sets.
@Suite(.timeLimit(.minutes(2)))
struct ContentSetPageTests {
    private static let definition = """
        {"version": 1, "title": "Stations", "timeZone": "Asia/Taipei", "tables": [{"name": "stations", "key": "id",
        "order": ["name"], "fields": [{"name": "id", "type": "text"},
        {"name": "name", "type": "text", "isRequired": true, "isSearchable": true}, {"name": "open", "type": "boolean"},
        {"name": "position", "type": "position"}]}]}
        """

    /// A set with a row for each number.
    private func fill(_ world: PageWorld, _ app: AppID, rows: Int) async throws {
        let made = try await world.send("/apps/\(app)/content-sets/new", ["name": "s1", "definition": Self.definition])
        #expect(made.status == .seeOther && made.headers[.location] == "/console/apps/\(app)/content-sets/s1")
        var file = "id,name,open,latitude,longitude\n"
        for number in 100..<100 + rows { file += "\(number),Stop \(number),true,22.\(number),120.\(number)\n" }
        _ = try await world.content.sets.importFile(Array(file.utf8), .csv, table: nil, into: "s1", app: app)
    }

    @Test("A set is defined, shown with tables, fields and requests, changed and deleted with its typed name")
    func defines() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let (list, set) = ("/apps/\(app)/content-sets", "/apps/\(app)/content-sets/s1")
            #expect(try await world.get(list).text.contains("A content set has public data of the App"))
            for (name, definition, text) in [
                ("1", Self.definition, "Enter a letter and up to 63 letters"), ("s1", "{", "Enter JSON with title"),
                (
                    "s1", Self.definition.replacing("\"key\": \"id\"", with: "\"key\": \"no\""),
                    "must name a field that is a text or an integer"
                ),
            ] {
                let wrong = try await world.send(list + "/new", ["name": name, "definition": definition])
                #expect(wrong.status == .unprocessableContent)
                #expect(wrong.text.contains(text) && wrong.text.contains("&quot;stations&quot;") == (definition != "{"))
            }
            try await self.fill(world, app, rows: 2)
            #expect(
                try await world.send(list + "/new", ["name": "s1", "definition": Self.definition]).status.code == 422
            )

            let page = try await world.get(set).text
            for text in [
                "2 rows; key id, ordered by name.", "<code>position</code>", "Required, Searched", "words=…",
                "near=22.62,120.30", "/s1/map?table=stations", "No alert",
            ] { #expect(page.contains(text), "\(text)") }
            let viewer = try await world.session(.viewer, of: app)
            #expect(!(try await world.get(set, as: viewer).text.contains("/s1/edit")))
            #expect(try await world.get(set + "/edit", as: viewer).status == .forbidden)

            let changed = Self.definition.replacing("Stations", with: "Bus stations")
            #expect(try await world.send(set + "/edit", ["definition": changed]).status == .seeOther)
            #expect(try await world.get(list).text.contains("Bus stations"))
            #expect(try await world.lastEntry(of: app)?.change == "tables → stations (4)")
            #expect(try await world.send(set + "/delete", ["typed": "s2"]).status.code == 422)
            #expect(try await world.send(set + "/delete", ["typed": "s1"]).status == .seeOther)
            #expect(try await world.get(set).status == .notFound)
        }
    }

    @Test("K-73 rows are paged and searched; an import has its numbers and its report")
    func rows() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await self.fill(world, app, rows: 120)
            var (path, found): (String?, [String]) = ("/apps/\(app)/content-sets/s1/rows?table=stations", [])
            while let next = path {
                let text = try await world.get(next).text
                found += text.matches(of: #/<th scope="row"><code>(\d+)<\/code>/#).map { String($0.1) }
                path = text.firstMatch(of: #/href="/console([^"]*)" rel="next"/#).map {
                    String($0.1).replacing("&amp;", with: "&")
                }
            }
            #expect(found == (100..<220).map(String.init))
            let rows = "/apps/\(app)/content-sets/s1/rows"
            let one = try await world.get(rows + "?words=stop+150").text
            #expect(one.matches(of: #/<th scope="row">/#).count == 1 && one.contains("Stop 150"))
            #expect(try await world.get(rows + "?words=nowhere").text.contains("Nothing matches."))
            #expect(try await world.get(rows + "?words=---").status == .ok)
            #expect(try await world.get(rows + "?after=999999.5").text.contains("Stop 100"))
            #expect(try await world.get(rows + "?table=other").status == .notFound)

            let second = "id,name,open\n100,Stop 100,perhaps\n,Nameless,true\n300,Stop 300,false\n"
            _ = try await world.content.sets.importFile(Array(second.utf8), .csv, table: nil, into: "s1", app: app)
            let runs = try await world.get("/apps/\(app)/content-sets/s1/imports").text
            #expect(runs.contains("open: 1 value was left out"))
            let numbers = runs.matches(of: #/<td class="number">([\d,]+)<\/td>/#).map { String($0.1) }
            // Read, imported, changed, gone, skipped: of the later import first.
            #expect(numbers == ["3", "1", "1", "119", "1", "120", "120", "0", "0", "0"])
        }
    }

    @Test("K-25 titles, rows and ids with HTML, quotation marks and braces appear as text on these pages")
    func escapes() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let text = "<script>alert(1)</script>'{{heading}}\u{202E}"
            let device = try await world.addDevice(1, user: text, of: app)
            let definition = Self.definition.replacing("Stations", with: text)
            _ = try await world.send("/apps/\(app)/content-sets/new", ["name": "s1", "definition": definition])
            let file = "id,name,latitude,longitude\n\(text),\(text),22,120\n"
            _ = try await world.content.sets.importFile(Array(file.utf8), .csv, table: nil, into: "s1", app: app)
            let user = "/users/" + FormFields.escaped(text)
            for path in [
                "/content-sets", "/content-sets/s1", "/content-sets/s1/rows", "/content-sets/s1/map",
                "/content-sets/s1/edit", user, user + "/edit", user + "/erase", "/devices/\(device)",
            ] {
                let page = try await world.get("/apps/\(app)" + path)
                #expect(page.status == .ok, "\(path)")
                #expect(!page.text.contains("<script>alert"), "\(path)")
                #expect(page.text.contains("{{heading}}"), "\(path)")
            }
        }
    }

    @Test("Rows with positions are on a map that the server draws, with their names")
    func map() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await self.fill(world, app, rows: 3)
            let page = try await world.get("/apps/\(app)/content-sets/s1/map").text

            #expect(page.matches(of: #/<circle cx="[\d.]+" cy="[\d.]+" r="6"><title>Stop \d+<\/title>/#).count == 3)
            #expect(page.contains("role=\"img\"") && page.contains("3 rows by their positions."))
            #expect(page.contains("° N") && page.contains("° E"))
            #expect(!page.contains("<image") && !page.contains("https://"))
        }
    }

    @Test(
        "A map keeps all places within its edges, east to the right and north above",
        arguments: [0.0, 60, -85, 89.9]
    )
    func projection(_ latitude: Double) throws {
        let places = try [(latitude, 10.0), (latitude + 0.05, 10.02), (latitude - 0.05, 9.5)].map {
            try #require(ContentPosition(latitude: $0.0, longitude: $0.1))
        }
        let map = ContentMap(places)
        let points = places.map { map.point($0) }
        for point in points {
            #expect((0...ContentMap.side).contains(point.x) && (0...ContentMap.side).contains(point.y))
        }
        #expect(points[1].x > points[0].x && points[1].y < points[0].y && points[2].x < points[0].x)
        #expect((1...5).contains(map.meridians.count) && (1...5).contains(map.parallels.count))
        // One place alone has a map as well.
        let single = ContentMap([places[0]])
        #expect(single.point(places[0]).x == ContentMap.side / 2)
    }

    @Test("K-26 a source's secret is never shown, kept when its field is empty, and asked for with another address")
    func sources() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let made: KeyValuePairs = ["name": "bus", "preset": "transit", "definition": ""]
            _ = try await world.send("/apps/\(app)/content-sets/new", made)
            let set = "/apps/\(app)/content-sets/bus"
            let wrong = try await world.send(set + "/new-source", ["name": "tdx", "format": "tdx", "city": "台北"])
            #expect(wrong.status.code == 422 && wrong.text.contains("href=\"#city\""))
            let form: KeyValuePairs = [
                "name": "tdx", "format": "tdx", "city": "Taipei", "clientID": "me", "clientSecret": "very-secret",
                "isActive": "yes",
            ]
            #expect(try await world.send(set + "/new-source", form).status == .seeOther)
            #expect(try await world.lastEntry(of: app)?.change == "tdx, active, client secret changed")
            for path in [set, set + "/sources/tdx", "/audit"] {
                #expect(!(try await world.get(path).text.contains("very-secret")), "\(path)")
            }
            #expect(try await world.get(set + "/sources/tdx").text.contains("It is set, and not shown."))

            #expect(try await world.send(set + "/sources/tdx/fetch", [:]).status == .seeOther)
            #expect(try await world.content.sources.source("tdx", of: "bus", app: app).nextAt == world.clock.now())

            // Without the secret, and paused.
            let kept: KeyValuePairs = ["format": "tdx", "city": "Taipei", "clientID": "me", "clientSecret": ""]
            #expect(try await world.send(set + "/sources/tdx", kept).status == .seeOther)
            let source = try await world.content.sources.source("tdx", of: "bus", app: app)
            #expect(source.hasSecret && source.status == .paused)
            #expect(!(try await world.get(set).text.contains("Fetch now")))
            let other: KeyValuePairs = ["format": "tdx", "city": "Taipei", "clientID": "you", "clientSecret": ""]
            let refused = try await world.send(set + "/sources/tdx", other)
            #expect(refused.status.code == 422 && refused.text.contains("href=\"#clientSecret\""))

            #expect(try await world.send(set + "/sources/tdx/delete", [:]).status == .seeOther)
            #expect(try await world.get(set + "/sources/tdx").status == .notFound)
        }
    }

    @Test("A file is imported from a form; one that cannot be read, too large or of a stranger is refused")
    func uploads() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await self.fill(world, app, rows: 1)
            let path = "/apps/\(app)/content-sets/s1/upload"
            #expect(try await world.get(path).text.contains("enctype=\"multipart/form-data\""))
            let file = "id,name\r\n100,Stop 100\r\n7,--x\r\n"
            let done = try await world.upload(path, ["format": "csv"], file: file)
            #expect(done.status == .seeOther)
            let change = try #require(try await world.lastEntry(of: app)?.change)
            #expect(change == "import: read 2, added 1, changed 1, gone 0, skipped 0")
            let rows = try await world.get("/apps/\(app)/content-sets/s1/rows").text
            #expect(rows.contains("<code>7</code>") && rows.contains("<td>--x</td>"))

            let wrong = try await world.upload(path, ["format": "geojson"], file: file)
            #expect(wrong.status.code == 422 && wrong.text.contains("this one cannot be imported"))
            #expect(try await world.upload(path, ["format": "csv"], file: "").text.contains("Choose a file."))
            #expect(try await world.upload(path, ["format": "gtfs"], file: file).status.code == 422)
            let stranger = try await world.upload(path, ["format": "csv"], file: file, as: "stranger")
            #expect(stranger.status == .forbidden)
            let large = String(repeating: "x", count: FormCheck.openLimit)
            let refused = try await world.upload(path, ["format": "csv"], file: large, as: "stranger")
            // It is not read at all; the page of the form comes after signing in.
            #expect(refused.status == .ok && refused.text.contains("<h1>Sign in</h1>"))
            let big = String(repeating: "x", count: ContentSetPages.uploadLimit)
            #expect(try await world.upload(path, ["format": "csv"], file: big).status == .contentTooLarge)
        }
    }

    @Test("A form with a file is read by its boundary, and nothing else is")
    func multipart() {
        let type = "multipart/form-data; boundary=\"b1\""
        func read(_ text: String) -> FormFields? { MultipartForm.read(Array(text.utf8), type) }
        let head = "Content-Disposition: form-data; name="
        let good =
            "--b1\r\n\(head)\"a\"\r\n\r\n\r\n--b1\r\n\(head)\"f\"; filename=\"x.csv\"\r\nContent-Type: text/csv\r\n"
            + "\r\n1;--b\r\n2\r\n--b1--\r\n"
        #expect(read(good) == FormFields([("a", ""), ("f", "1;--b\r\n2")]))
        for wrong in [
            "", "--b1", "--b1\r\n", "--b2--", "--b1\r\n\(head)\"a\"\r\n\r\nx", "--b1\r\nX: y\r\n\r\nx\r\n--b1--",
            "--b1\r\n\(head)\"a\"" + String(repeating: " ", count: 2_000) + "\r\n\r\nx\r\n--b1--",
        ] { #expect(read(wrong) == nil, "\(wrong.prefix(60))") }
        #expect(MultipartForm.read(Array(good.utf8), "multipart/form-data") == nil)
        #expect(
            MultipartForm.read(Array("--b1\r\n\(head)\"a\"\r\n\r\n".utf8) + [0xFF] + Array("\r\n--b1--".utf8), type)
                == nil
        )
    }

    @Test("An alert is made from a template, paused and deleted; an Audience follows rows with words")
    func alerts() async throws {
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            try await self.fill(world, app, rows: 1)
            let set = "/apps/\(app)/content-sets/s1"
            let message = Message(content: ["default": LocalizedContent(title: "{{recipient.name}}", body: "New")])
            let template = try await world.engine.templates.create(
                app: app,
                TemplateRequest(name: "T", message: message)
            )
            #expect(try await world.send(set + "/alerts/stations", ["template": "no"]).status.code == 422)
            let active: KeyValuePairs = ["template": "\(template.id)", "isActive": "yes", "bundleAt": "08:30"]
            #expect(try await world.send(set + "/alerts/stations", active).status == .seeOther)
            #expect(try await world.get(set).text.contains("Alert active"))
            #expect(try await world.send(set + "/alerts/stations", ["template": "\(template.id)"]).status == .seeOther)
            #expect(try await world.get(set).text.contains("Alert paused"))

            let request = AudienceRequest(name: "Everyone", rule: try AudienceRule(text: "consent.notifications"))
            let audience = try await world.engine.audiences.create(app: app, request)
            let follow: KeyValuePairs = [
                "name": "all", "audience": "\(audience.id)", "table": "stations", "words": "stop",
            ]
            #expect(try await world.send(set + "/follows", ["name": "all", "audience": ""]).status.code == 422)
            #expect(try await world.send(set + "/follows", follow).status == .seeOther)
            let page = try await world.get(set + "/follows").text
            #expect(page.contains("<td>Everyone</td>") && page.contains("with “stop”"))
            let editor = try await world.session(.editor, of: app)
            #expect(try await world.send(set + "/follows/all/delete", [:], as: editor).status == .forbidden)
            #expect(try await world.send(set + "/follows/all/delete", [:]).status == .seeOther)
            #expect(try await world.send(set + "/alerts/stations/delete", [:]).status == .seeOther)
            #expect(try await world.get(set).text.contains("No alert"))
        }
    }
}

extension PageWorld {
    /// Sends a form with a file.
    func upload(
        _ path: String,
        _ form: KeyValuePairs<String, String>,
        file: String,
        as session: String? = nil
    ) async throws -> TestResponse {
        let value = session ?? admin
        var headers: HTTPFields = [.contentType: "multipart/form-data; boundary=xyz", .origin: "http://localhost"]
        (headers[.cookie], headers[.acceptLanguage]) = ("carillon-dev=" + value, "en")
        let disposition = "Content-Disposition: form-data; name="
        var body = ""
        for (name, value) in form.map({ ($0.key, $0.value) }) + [("_csrf", SessionValue.csrfToken(of: value))] {
            body += "--xyz\r\n\(disposition)\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        body += "--xyz\r\n\(disposition)\"file\"; filename=\"f.csv\"\r\n\r\n\(file)\r\n--xyz--\r\n"
        let buffer = ByteBuffer(string: body)
        return try await client.executeRequest(uri: "/console" + path, method: .post, headers: headers, body: buffer)
    }
}
