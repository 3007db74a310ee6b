import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Testing

@testable import CarillonConsole

/// Languages, numbers and times.
struct TextTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/CarillonConsole")

    private static func catalogue(_ language: Language) throws -> Catalogue {
        try Catalogue(of: language)
    }

    /// The names in braces of a text.
    private static func parameters(_ text: String) -> Set<String> {
        Set(text.matches(of: /\{([a-zA-Z]+)\}/).map { String($0.output.1) })
    }

    // MARK: K-87

    @Test("K-87 All languages have the same texts with the same parameters", arguments: Language.offered)
    func sameKeys(_ language: Language) throws {
        let english = try Self.catalogue(.english).texts
        let own = try Self.catalogue(language).texts
        let needed = english.keys.filter { language.hasSingular || !$0.hasSuffix(".one") }
        #expect(Set(needed).subtracting(own.keys) == [])
        #expect(Set(own.keys).subtracting(english.keys) == [])
        for (key, text) in own {
            #expect(!text.trimmingCharacters(in: .whitespaces).isEmpty, "\(key)")
            // A singular may say "one" in place of the number.
            let expected = Self.parameters(english[key] ?? "")
            #expect(Self.parameters(text) == expected, "\(key)")
        }
    }

    @Test("K-87 Texts of Asian languages are not English")
    func isTranslated() throws {
        let english = try Self.catalogue(.english).texts
        for language in [Language.japanese, .korean, .chinese] {
            for (key, text) in try Self.catalogue(language).texts where english[key] == text {
                // Numbers, signs and names of products are the same everywhere.
                let rest = text.replacing(
                    /\{[a-zA-Z]+\}|Carillon|App|iOS|APNs|CSV|ID|UTC|API|HTTP|JSON|URL|A\/B/,
                    with: ""
                )
                #expect(!rest.contains { $0.isLetter }, "\(language.rawValue) \(key) = \(text)")
            }
        }
    }

    @Test("K-87 All texts that templates and sources name are in the catalogue")
    func hasAllKeys() throws {
        let english = try Self.catalogue(.english).texts
        for (name, template) in try Resources.files(in: "templates", type: "mustache") {
            for match in template.matches(of: /\{\{[#^\/]?texts\.([A-Za-z0-9.]+)\}\}/) {
                #expect(english[String(match.output.1)] != nil, "\(name): \(match.output.1)")
            }
        }
        for file in try FileManager.default.subpathsOfDirectory(atPath: Self.sources.path)
        where file.hasSuffix(".swift") {
            let source = try String(contentsOf: Self.sources.appending(path: file), encoding: .utf8)
            for match in source.matches(of: /texts\(\s*"([A-Za-z0-9.]+)"(,\s*count:)?/) {
                let key = String(match.output.1)
                let isPlural = match.output.2 != nil
                // The beginning of keys that the view completes.
                if key.hasSuffix(".") {
                    #expect(english.keys.contains { $0.hasPrefix(key) }, "\(file): \(key)")
                    continue
                }
                #expect(english[isPlural ? key + ".other" : key] != nil, "\(file): \(key)")
            }
            for match in source.matches(of: /Notice\(\s*"([A-Za-z0-9.]+)"/) {
                #expect(english[String(match.output.1)] != nil, "\(file): \(match.output.1)")
            }
        }
    }

    @Test("K-87 Templates have no words of their own")
    func noWordsInTemplates() throws {
        for (name, template) in try Resources.files(in: "templates", type: "mustache") {
            // Keys of the keyboard are the same in all languages.
            let bare = template.replacing(/\{\{[^}]*\}\}/, with: "").replacing(/<kbd>[^<]*<\/kbd>/, with: "")
            // What stands on a key is the same in all languages.
            let text = bare.replacing(/<kbd>[^<]*<\/kbd>/, with: "").replacing(/<[^>]*>/, with: " ").replacing(
                "Carillon",
                with: ""
            )
            #expect(
                !text.contains { $0.isLetter },
                "\(name): \(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))"
            )
            for match in bare.matches(of: /(?:aria-label|alt|title|placeholder|data-copied)="([^"]*)"/) {
                #expect(!match.output.1.contains { $0.isLetter }, "\(name): \(match.output.1)")
            }
        }
    }

    @Test("K-87 Each page has its language, and no missing text", arguments: Language.offered)
    func pages(_ language: Language) async throws {
        try await ConsoleWorld.run { world in
            let app = try await world.makeApp()
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            browser.language = language.rawValue
            for route in world.console.declaredRoutes where route.method == "GET" {
                let path = route.path.replacing("{app}", with: app.id.description)
                    .replacing("{operator}", with: ana.id.description)
                let page = try await browser.get("/console" + path.replacing("{once}", with: "x"))
                guard page.headers[.contentType]?.hasPrefix("text/html") == true else { continue }
                #expect(page.body.contains("<html lang=\"\(language.rawValue)\""), "\(path)")
                #expect(!page.body.contains("⟦"), "\(path) \(page.between("⟦", "⟧") ?? "")")
            }
        }
    }

    @Test("K-87 In the pseudo-language nothing but data stands outside of a text")
    func pseudoLanguage() async throws {
        var options = ConsoleWorld.Options()
        options.console.offersPseudoLanguage = true
        try await ConsoleWorld.run(options) { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            for path in ["/console/", "/console/account", "/console/operators", "/console/account/password"] {
                let page = try await browser.get(path + "?language=en-XA")
                #expect(page.body.contains("<html lang=\"en-XA\""))
                let heading = try #require(page.heading)
                #expect(heading.hasPrefix("[") && heading.hasSuffix("]"), "\(heading)")
                for button in page.body.matches(of: /<button[^>]*>([^<]*)<\/button>/) {
                    #expect(button.output.1.hasPrefix("["), "\(button.output.1)")
                }
                for label in page.body.matches(of: /<(?:label|th|h2|dt)[^>]*>([^<]+)</) {
                    #expect(label.output.1.hasPrefix("["), "\(label.output.1)")
                }
            }
        }
    }

    @Test(
        "A line of a catalogue has a key and a text, and each key comes once",
        arguments: ["a", "a=b", "a = b\na = c"]
    )
    func refusesCatalogue(_ file: String) {
        #expect(throws: Catalogue.Failure.self) { try Catalogue(file) }
    }

    @Test("A parameter's value is no parameter")
    func fillsOnce() throws {
        let texts = Texts(.english, try Catalogue("a = {one} and {two}"))
        #expect(texts("a", ["one": "{two}", "two": "2"]) == "{two} and 2")
    }

    // MARK: K-88

    @Test(
        "K-88 The browser's languages are weighed",
        arguments: [
            ("zh-TW, ja;q=0.5", "zh-Hant"), ("ja;q=0.5, ko;q=0.8", "ko"), ("fr, de;q=0.9, ja;q=0.1", "ja"),
            ("zh-CN", "zh-Hant"), ("en-GB,en;q=0.9", "en"), ("xx", "en"), ("", "en"), ("ko;q=0, ja;q=0.1", "ja"),
            ("ja;q=wrong, ko", "ko"),
        ]
    )
    func weighsLanguages(_ field: String, _ language: String) {
        #expect(Language(accepting: field).rawValue == language)
    }

    @Test("K-88, K-101 Before signing in the browser's language counts, afterwards the account's, and its theme")
    func choosesLanguage() async throws {
        try await ConsoleWorld.run { world in
            let ana = try await world.makeAdmin()
            var browser = world.browser()
            browser.language = "zh-TW, ja;q=0.5"
            let answer4 = try await browser.get("/console/login")
            #expect(answer4.body.contains("<html lang=\"zh-Hant\""))
            browser.session = ana.session
            let answer5 = try await browser.get("/console/account")
            #expect(answer5.body.contains("<html lang=\"zh-Hant\""))
            let saved = try await browser.post("/console/account", ["language": "ko", "theme": "dark"])
            let page = try await browser.follow(saved)

            #expect(page.body.contains("<html lang=\"ko\" data-theme=\"dark\""))
            #expect(page.body.contains("저장했습니다."))
            // It is told once.
            let answer6 = try await browser.get("/console/account")
            #expect(!answer6.body.contains("저장했습니다."))
        }
    }

    // MARK: K-89

    @Test("K-89 Large numbers are short in tiles, and whole in tables")
    func numbers() {
        let short = Language.offered.map { NumberText($0).short(1_234_567) }
        #expect(short == ["1.23M", "123万", "123만", "123萬"])
        #expect(Language.offered.allSatisfy { NumberText($0).full(1_234_567) == "1,234,567" })
        let english = NumberText(.english)
        #expect(
            [0, 999, 1_000, 1_500, 12_345, 999_999, 2_000_000_000].map(english.short) == [
                "0", "999", "1K", "1.5K", "12.3K", "999K", "2B",
            ]
        )
        #expect(
            [9_999, 10_000, 12_345, 123_456_789].map(NumberText(.chinese).short) == ["9,999", "1萬", "1.23萬", "1.23億"]
        )
        #expect([0, -5, -1_234].map(english.full) == ["0", "-5", "-1,234"])
    }

    @Test("K-89 Shares have a decimal below 10 %, and none of nothing")
    func shares() {
        let text = NumberText(.english)
        let shares = [(1, 3), (1, 15), (1, 100_000), (0, 5), (5, 5), (1, 0), (999, 10_000), (1, 1_000)]
        #expect(
            shares.map { text.percent($0.0, of: $0.1) } == [
                "33 %", "6.7 %", "<0.1 %", "0.0 %", "100 %", "–", "10 %", "0.1 %",
            ]
        )
        #expect([9_999, 10_000, 1_500_000].map(text.bytes) == ["9,999 B", "10 KB", "1.5 MB"])
    }

    // MARK: K-90

    /// 2026-11-21 06:05:07 UTC, a Saturday.
    private static let time = Timestamp(rawValue: 1_795_241_107_000)

    @Test(
        "K-90 Times are shown in the Operator's zone, with their offset",
        arguments: [
            ("Asia/Taipei", "2026-11-21 14:05", "2026-11-21T14:05:07+08:00", "UTC+8"),
            ("America/St_Johns", "2026-11-21 02:35", "2026-11-21T02:35:07-03:30", "UTC−3:30"),
            ("UTC", "2026-11-21 06:05", "2026-11-21T06:05:07Z", "UTC+0"),
            ("No/Where", "2026-11-21 06:05", "2026-11-21T06:05:07Z", "UTC+0"),
        ]
    )
    func zones(_ zone: String, _ table: String, _ iso: String, _ offset: String) throws {
        let times = TimeText(Texts(.english, try Self.catalogue(.english)), zone: zone)
        #expect(times.table(Self.time) == TimeView(iso: iso, text: table))
        #expect(times.zoneText(at: Self.time).hasSuffix(", " + offset))
    }

    @Test("K-90 Times in sentences are written as each language does")
    func sentences() throws {
        let texts = try Language.offered.map { language in
            TimeText(Texts(language, try Self.catalogue(language)), zone: "Asia/Taipei").sentence(Self.time).text
        }
        #expect(
            texts == [
                "Sat 21 Nov 2026, 14:05", "2026年11月21日(土) 14:05", "2026년 11월 21일(토) 14:05", "2026年11月21日（六）14:05",
            ]
        )
    }

    @Test(
        "Dates are those of the calendar",
        arguments: [
            (0, "1970-01-01 00:00"), (-1_000, "1969-12-31 23:59"), (951_782_400_000, "2000-02-29 00:00"),
            (4_107_542_399_000, "2100-02-28 23:59"), (4_107_542_400_000, "2100-03-01 00:00"),
        ] as [(Int64, String)]
    )
    func dates(_ time: Int64, _ text: String) throws {
        let times = TimeText(Texts(.english, try Self.catalogue(.english)), zone: "UTC")
        #expect(times.table(Timestamp(rawValue: time)).text == text)
    }

    @Test("Durations have two units")
    func durations() throws {
        let times = TimeText(Texts(.english, try Self.catalogue(.english)), zone: "UTC")
        #expect(
            [0, 59, 252, 3_600, 7_325, 86_405].map(times.duration)
                == ["0 s", "59 s", "4 min 12 s", "1 h", "2 h 2 min", "24 h"]
        )
    }

    @Test("K-90 Each time on a page is in an element with its offset, and the zone is named once")
    func timesOnPages() async throws {
        try await ConsoleWorld.run { world in
            _ = try await world.makeApp()
            let ana = try await world.makeAdmin()
            var browser = world.browser(of: ana)
            _ = try await browser.get("/console/account")
            _ = try await browser.post("/console/account", ["zone": "Asia/Taipei"])
            for path in ["/console/", "/console/account", "/console/operators"] {
                let page = try await browser.get(path)
                #expect(page.body.contains("Times in Asia/Taipei, UTC+8"))
                #expect(page.body.matches(of: /<time datetime="[^"]+\+08:00">/).count > 0, "\(path)")
                let bare = page.body.replacing(/<time[^>]*>[^<]*<\/time>/, with: "")
                #expect(bare.firstMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d/) == nil, "\(path)")
            }
        }
    }
}
