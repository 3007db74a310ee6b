import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Devices out of one store and into another.
@Suite struct TransferTests {
    private func token(_ number: Int) -> String {
        let part = String(format: "%08x", number &* 2_654_435_761 & 0xFFFF_FFFF)
        return String(repeating: part, count: 8)
    }

    private func importText(
        _ registry: Registry,
        _ app: AppID,
        _ text: String,
        isAlone: Bool = false,
        format: DeviceFileFormat = .csv,
        batchSize: Int = 50
    ) async throws -> (counts: ImportCounts, rejected: [String]) {
        var rejected: [String] = []
        var options = DeviceImport.Options()
        (options.batchSize, options.isAlone, options.format) = (batchSize, isAlone, format)
        var devices = DeviceImport(
            app: app,
            store: registry.stores.deviceImports,
            tags: registry.stores.tags,
            attributes: registry.stores.attributes,
            clock: registry.clock,
            options: options
        ) { line, problem in rejected.append("\(line) \(problem)") }
        for part in stride(from: 0, to: text.utf8.count, by: 997) {
            try await devices.read(Array(text.utf8.dropFirst(part).prefix(997)))
        }
        return (try await devices.finish(), rejected)
    }

    @Test(
        "S1-operators-5 attributes of a file keep their type",
        arguments: [DeviceFileFormat.csv, .jsonLines]
    )
    func attributes(_ format: DeviceFileFormat) async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let user = try #require(UserID(rawValue: "u1"))
        _ = try await registry.attributes.apply(UserAttributes(attributes: ["old": .bool(true)]), to: user, app: app)
        let text =
            format == .csv
            ? """
            token,user,attribute.plan,attribute.Points,attribute.zip,attribute.rate,attribute.member
            \(token(1)),u1,gold,120,007,0.5,true
            \(token(2)),u1,,121,,,
            \(token(3)),,x,,,,
            """
            : """
            {"registration":{"token":"\(token(1))","user":"u1","consent":{"notifications":true}},\
            "attributes":{"plan":"gold","Points":120,"zip":"007","rate":0.5,"member":true}}
            {"registration":{"token":"\(token(2))","user":"u1","consent":{"notifications":true}},"attributes":{"Points":121}}
            {"registration":{"token":"\(token(3))","consent":{"notifications":true}},"attributes":{"plan":"x"}}
            """

        let (counts, rejected) = try await importText(registry, app, text, format: format)

        #expect(counts.added == 2)
        #expect(rejected == ["\(format == .csv ? 4 : 3) attributes need a user, and the line has none"])
        let expected: [String: JSONValue] = [
            "old": .bool(true), "plan": .string("gold"), "Points": .integer(121), "zip": .string("007"),
            "rate": .number(0.5), "member": .bool(true),
        ]
        #expect(try await registry.attributes.attributes(of: user, app: app).attributes == expected)
    }

    @Test("S1-operators-5 a line that gives its User too many attributes is refused, the others are imported")
    func tooManyAttributes() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let full = Dictionary(uniqueKeysWithValues: (0..<64).map { ("n\($0)", JSONValue.integer(1)) })
        let user = try #require(UserID(rawValue: "u1"))
        _ = try await registry.attributes.apply(UserAttributes(attributes: full), to: user, app: app)
        let text = "token,user,attribute.plan\n\(token(1)),u1,gold\n\(token(2)),u2,gold\n"

        let (counts, rejected) = try await importText(registry, app, text)

        #expect(counts.added == 1 && rejected == ["2 leaves its user with more than 64 attributes"])
    }

    private func export(
        _ registry: Registry,
        _ app: AppID,
        _ format: DeviceFileFormat,
        cursor: String? = nil
    ) async throws -> String {
        var reading = try await registry.engine.exports.begin(app: app, format: format, cursor: cursor)
        var bytes: [UInt8] = []
        while let part = try await reading.next() { bytes += part }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A store's data by token, without its own numbers and ids.
    private func contents(_ registry: Registry) async throws -> [String] {
        try await registry.database.read { connection in
            let tags = try connection.all("SELECT number, name FROM tags") { ("\($0.int64(0))", $0.string(1)) }
            let names = Dictionary(uniqueKeysWithValues: tags)
            return try connection.all(
                """
                SELECT token, user_id, tags, categories, language, consent, tenant, model,
                    (SELECT count(*) FROM device_tags t
                        WHERE t.app_id = d.app_id AND t.device_number = d.number),
                    (SELECT count(*) FROM device_categories c
                        WHERE c.app_id = d.app_id AND c.device_number = d.number)
                FROM devices d ORDER BY token
                """
            ) { row in
                let texts = [1, 3, 4, 6, 7].map { row.optionalString($0) ?? "-" }
                let tags = (row.optionalString(2) ?? "").split(separator: ",").map { names[String($0)] ?? "?" }
                return (texts + tags.sorted() + [5, 8, 9].map { "\(row.int64($0))" }).joined(separator: "|")
            }
        }
    }

    /// Lines with all kinds of conflicts: repeated tokens, Devices and Users.
    private func lines(_ count: Int) -> String {
        var text = "token,user,language,consent_ads,tags,categories,tenant,model,device\n"
        for number in 0..<count {
            let token = token(number % 7 == 6 ? number - 1 : number)
            let user = number % 5 == 4 ? "u\(number - 1)" : "u\(number)"
            let tags = number % 3 == 0 ? "vip gold" : number % 3 == 1 ? "new" : ""
            let categories = number % 4 == 0 ? "\"[\"\"2\"\",\"\"3\"\"]\"" : ""
            text += "\(token),\(user),ja,\(number % 2 == 0),\(tags),\(categories),,iPhone15\n"
                .replacing("iPhone15\n", with: "\"iPhone15,3\",\n")
        }
        return text
    }

    @Test("A store without indexes imports the same as one with them", arguments: [1, 7, 50, 10_000])
    func importsWithoutIndexes(_ batchSize: Int) async throws {
        var results: [[String]] = []
        for isAlone in [false, true] {
            let registry = try await Registry()
            let app = try await registry.app().app.id
            let (counts, rejected) = try await importText(
                registry,
                app,
                lines(120),
                isAlone: isAlone,
                batchSize: batchSize
            )
            #expect(rejected.isEmpty)
            #expect(counts.taken == 120)
            results.append(try await contents(registry))
            // The indexes exist again: a token is found by them.
            let again = try await importText(registry, app, lines(120), isAlone: true)
            #expect(again.counts.added == 0)
            #expect(again.counts.replaced == 120)
        }
        #expect(results[0] == results[1])
        #expect(results[0].count == 103)
    }

    @Test("An export can be imported", arguments: DeviceFileFormat.allCases)
    func importsExports(_ format: DeviceFileFormat) async throws {
        let (first, second) = (try await Registry(), try await Registry())
        let (from, to) = (try await first.app().app.id, try await second.app().app.id)
        _ = try await importText(first, from, lines(80))
        let phone = Person(registry: first, app: from)
        try await phone.register("=1+1, \"quoted\"") { registration in
            registration.token = DeviceToken(repeating: 0xAB)
            registration.tenant = "a"
            registration.categories = .dimensions(["地域": ["神奈川"]])
            registration.model = "'-x"
        }

        let text = try await export(first, from, format)
        let (counts, rejected) = try await importText(second, to, text, format: format)

        #expect(rejected.isEmpty)
        let expected = try await contents(first)
        #expect(counts.added == expected.count)
        // Each store has its own numbers of tags, in the order in which they were first named.
        let found = try await contents(second)
        #expect(found.map(Self.withoutTags) == expected.map(Self.withoutTags))
        let (names, foundNames) = (try await tagNames(first, from), try await tagNames(second, to))
        #expect(foundNames == names)
        if format == .csv {
            #expect(text.contains("\"'=1+1, \"\"quoted\"\"\""))
            #expect(!text.contains(",=1+1"))
        }
    }

    private static func withoutTags(_ line: String) -> String {
        var fields = line.split(separator: "|", omittingEmptySubsequences: false)
        fields.remove(at: 1)
        return fields.joined(separator: "|")
    }

    private func tagNames(_ registry: Registry, _ app: AppID) async throws -> [[String]] {
        let names = try await registry.stores.deviceExports.tagNames(app: app)
        let devices = try await registry.stores.deviceExports.devices(app: app, after: nil, limit: 1_000)
        return devices.sorted {
            ($0.registration.token?.hexadecimal ?? "") < ($1.registration.token?.hexadecimal ?? "")
        }
        .map { $0.tags.compactMap { names[$0] }.sorted() }
    }

    @Test("T-22 Devices are exported a thousand at a time, and continue after a cursor without gap or repetition")
    func pagesDevices() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let text = "token\n" + (0..<1_500).map { token($0) + "\n" }.joined()
        _ = try await importText(registry, app, text, batchSize: 1_500)

        var first = try await registry.engine.exports.begin(app: app, format: .jsonLines)
        let page = try #require(try await first.next()).split(separator: 0x0A)
        #expect(page.count == 1_000)
        let last = try JSONDecoder().decode([String: JSONValue].self, from: Data(page[999]))
        guard case .string(let cursor) = last["cursor"] else {
            Issue.record("The last line has no cursor.")
            return
        }
        let rest = try await export(registry, app, .jsonLines, cursor: cursor).split(separator: "\n")
        #expect(rest.count == 500)
        #expect(Set(page.map { String(decoding: $0, as: UTF8.self) }).isDisjoint(with: rest.map(String.init)))
        let end = try #require(rest.last)
        let over = try JSONDecoder().decode([String: JSONValue].self, from: Data(end.utf8))
        guard case .string(let cursor) = over["cursor"] else { return }
        #expect(try await export(registry, app, .jsonLines, cursor: cursor).isEmpty)
    }

    @Test("An interrupted export continues after its last line") func continuesExports() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        _ = try await importText(registry, app, lines(60))
        let all = try await export(registry, app, .csv).split(separator: "\r\n")

        let cursor = try #require(all[20].split(separator: ",").last)
        let rest = try await export(registry, app, .csv, cursor: String(cursor)).split(separator: "\r\n")

        #expect(Array(rest.dropFirst()) == Array(all[21...]))
        await #expect(throws: EngineError.self) {
            _ = try await registry.engine.exports.begin(app: app, format: .csv, cursor: "x")
        }
    }

    @Test("Bad lines are reported by number, in JSON Lines too") func reportsBadLinesOfJSON() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let text = """
            {"registration":{"token":"\(token(1))","consent":{"notifications":true},"user":"u1"},"tags":["vip"]}
            {"registration":{"consent":{"notifications":true}}}

            not JSON
            {"registration":{"token":"\(token(2))","consent":{"notifications":true}},"tags":["vip"]}
            {"registration":{"token":"\(token(3))","consent":{"notifications":true}},"more":1}
            """

        let (counts, rejected) = try await importText(registry, app, text, format: .jsonLines)

        #expect(counts.added == 1)
        #expect(
            rejected == [
                "2 registration.token is required", "4 has no valid JSON",
                "5 tags need a user, and the line has none", "6 more is not a known field",
            ]
        )
    }

    @Test("A tag beyond the App's limit is reported") func reportsTagsBeyondTheLimit() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        _ = try await registry.database.write { connection in
            for number in 0..<2_048 {
                try connection.run(
                    "INSERT INTO tags (app_id, id, name, created_at, number) VALUES ($1, $2, $3, 0, $4)",
                    app,
                    "\(10_000_000 + number)",
                    "t\(number)",
                    -number
                )
            }
        }

        let text = "token,user,tags\n\(token(1)),u1,t5\n\(token(2)),u2,t5 another\n"
        let (counts, rejected) = try await importText(registry, app, text)

        #expect(counts.added == 1)
        #expect(rejected == ["3 names a new tag, and the App has the maximum number of tags"])
    }

    @Test("Indexes that an interrupted import dropped are built when the store is opened")
    func rebuildsIndexes() async throws {
        let registry = try await Registry()
        #expect(try await registry.stores.deviceImports.beginBulk())

        _ = try await Stores(migrating: registry.database, now: registry.clock.now())

        let app = try await registry.app().app.id
        try await Person(registry: registry, app: app).register("u1")
        let plan = try await registry.database.read { connection in
            try connection.first(
                connection.dialect.pick(
                    sqlite: "SELECT count(*) FROM sqlite_master WHERE name LIKE 'devices_by_%'",
                    postgreSQL: "SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'devices_by_%'"
                )
            ) { row in row.int(0) }
        }
        #expect(plan == 3)
        #expect(try await registry.stores.deviceImports.beginBulk() == false)
    }
}
