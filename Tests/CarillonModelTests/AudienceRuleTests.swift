import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

/// The audience language: its text, its JSON, and what is wrong with either.
struct AudienceRuleTests {
    private func rule(_ text: String) throws -> AudienceRule { try AudienceRule(text: text) }

    private func decode(_ json: String) throws -> AudienceRule {
        try JSONDecoder().decode(AudienceRule.self, from: Data(json.utf8))
    }

    // MARK: - Text

    @Test(
        "Each kind of condition is read and printed",
        arguments: [
            ("tag:ZZPP00b6", "tag:ZZPP00b6"),
            (#"tag: "sports fans""#, #"tag:"sports fans""#),
            (#"category.1 = "神奈川""#, #"category.1 = "神奈川""#),
            ("category in [1, 40]", #"category in ["1", "40"]"#),
            (#"category."地域"!=a"#, #"category."地域" != "a""#),
            ("attribute.age >= 20", "attribute.age >= 20"),
            ("attribute.a.b-c in [1, 2.50, -3e2]", "attribute.a.b-c in [1, 2.5, -300]"),
            ("attribute.plan = gold", #"attribute.plan = "gold""#),
            ("attribute.on != true", "attribute.on != true"),
            ("attribute.age EXISTS", "attribute.age exists"),
            ("language in [ja, ko, zh-Hant]", "language in [ja, ko, zh-Hant]"),
            ("country = jp", "country = jp"),
            (#"model = "iPhone15,3""#, #"model = "iPhone15,3""#),
            ("timeZone = Etc/GMT+9", "timeZone = Etc/GMT+9"),
            ("user in [u-1, \"u 2\"]", #"user in ["u-1", "u 2"]"#),
            (
                "device = 3F2504E0-4F89-41D3-9A0C-0305E82C3301", "device = 3f2504e0-4f89-41d3-9a0c-0305e82c3301"
            ),
            ("pushType = apns_sandbox", "pushType = apns_sandbox"),
            ("appVersion < 2.10", "appVersion < 2.10"),
            ("osVersion in [17, 17.4.1]", "osVersion in [17, 17.4.1]"),
            ("consent.nightAds", "consent.nightAds"),
            ("hasUser", "hasUser"),
            ("lastSeen > now - 4w", "lastSeen > now-28d"),
            ("registered <= 2026-11-21T08:44:00Z", "registered <= 2026-11-21T08:44:00.000Z"),
            ("within(35.68,139.76, 5km)", "within(35.68, 139.76, 5km)"),
            ("within(-90, 180, 1.5km)", "within(-90, 180, 1500m)"),
            ("opened(campaign:cmp_0fk2m9q3tw7x)", "opened(campaign:cmp_0fk2m9q3tw7x)"),
            (
                "clicked( campaign: cmp_0fk2m9q3tw7x , action: buy )",
                #"clicked(campaign:cmp_0fk2m9q3tw7x, action:"buy")"#
            ),
        ]
    )
    func readsAndPrints(_ text: String, _ printed: String) throws {
        let rule = try rule(text)
        #expect(rule.text == printed)
        #expect(try self.rule(printed) == rule)
    }

    @Test("not takes precedence over and, and over or")
    func binds() throws {
        let (a, b, c) = (
            AudienceRule.term(.flag(.ads)), AudienceRule.term(.flag(.hasUser)), AudienceRule.term(.flag(.nightAds))
        )
        let text = "consent.ads or not hasUser AND consent.nightAds"
        #expect(try rule(text) == .or([a, .and([.not(b), c])]))
        let grouped = try rule("(consent.ads or hasUser) and not (hasUser and not not consent.nightAds)")
        #expect(grouped == .and([.or([a, b]), .not(.and([b, .not(.not(c))]))]))
        #expect(grouped.text == "(consent.ads or hasUser) and not (hasUser and not not consent.nightAds)")
        #expect(try rule("((consent.ads))") == a)
    }

    @Test("T-38 A flat list of TOAST's equals a rule as text")
    func readsGroups() throws {
        let tags = ["AAAAAAA1", "BBBBBBB2", "CCCCCCC3"].compactMap(TagID.init(rawValue:)).map {
            AudienceRule.term(.tag($0))
        }
        #expect(
            try rule("( tag:AAAAAAA1 AND tag:BBBBBBB2 ) OR tag:CCCCCCC3") == .or([.and([tags[0], tags[1]]), tags[2]])
        )
    }

    @Test(
        "An error has its position",
        arguments: [
            ("", 1, 1, "expected a condition"),
            ("consent.ads and", 1, 16, "expected a condition"),
            ("consent.ads\n  xor hasUser", 2, 3, "expected and, or, or the end"),
            ("(hasUser", 1, 9, "expected and, or, or )"),
            ("colour = red", 1, 1, "expected a condition, as tag:, language or attribute.age"),
            ("language", 1, 9, "expected =, !=, <, <=, >, >=, in or exists"),
            ("language > ja", 1, 10, "language takes =, != and in, and exists"),
            ("language = \"日本語\"", 1, 12, "language: expected a BCP 47 tag, as ja or zh-Hant"),
            ("attribute.age >= \"20\"", 1, 15, "attribute.age: a text takes =, != and in"),
            ("attribute.age in [1, \"2\"]", 1, 22, "attribute.age: expected a number, as the first value"),
            ("attribute.x = 1.2.3", 1, 15, "attribute.x: expected a number, true, false or a text in quotes"),
            ("tag:short", 1, 5, "tag: expected an id of 8 letters and digits, or a name in quotation marks"),
            ("lastSeen = now", 1, 10, "lastSeen takes <, <=, > and >="),
            (
                "lastSeen > now-9999d", 1, 12,
                "lastSeen: expected now, as now-30d (s, m, h, d, w; at most 3650d), or an RFC 3339 time"
            ),
            ("within(91, 0, 5km)", 1, 8, "within: expected a latitude of -90 through 90 degrees"),
            ("within(0, 0, 0m)", 1, 14, "within: expected a radius of 1m through 10000km, in whole metres"),
            ("sent(campaign:cmp_0fk2m9q3tw7x, action:x)", 1, 40, "sent takes no action; clicked does"),
            ("appVersion >= 1.2.3.4.5", 1, 15, "appVersion: expected one through four numbers with dots, as 2.10.3"),
            ("user = \"a", 1, 8, "expected a quotation mark at the end of this text"),
            ("user = \"a\\q\"", 1, 10, #"expected \", \\, \n, \r or \t"#),
            ("model in []", 1, 11, "expected a value"),
            ("category.1 = \"神奈川\" nope", 1, 20, "expected and, or, or the end"),
        ]
    )
    func namesPlaces(_ text: String, _ line: Int, _ column: Int, _ problem: String) {
        let expected = AudienceTextError(line: line, column: column, problem: problem)
        let thrown = #expect(throws: AudienceTextError.self) { _ = try AudienceRule(text: text) }
        if expected.problem == "expected a condition" {
            #expect(thrown?.line == line && thrown?.column == column)
            #expect(thrown?.problem.hasPrefix(problem) == true)
        } else {
            #expect(thrown == expected)
        }
    }

    @Test("Depth, conditions, values and length are bounded")
    func isBounded() throws {
        func nested(_ depth: Int) -> String {
            (0..<depth).map { _ in "not (hasUser or " }.joined() + "hasUser" + String(repeating: ")", count: depth)
        }
        #expect(try rule(nested(8)).text == nested(8))
        #expect(throws: AudienceTextError.self) { try rule(nested(9)) }
        #expect(throws: AudienceTextError.self) { try rule(String(repeating: "(", count: 50_000)) }
        #expect(throws: AudienceTextError.self) { try rule(String(repeating: "not ", count: 10_000) + "hasUser") }
        func many(_ count: Int) -> String { Array(repeating: "hasUser", count: count).joined(separator: " or ") }
        #expect(try rule(many(200)).terms.count == 200)
        #expect(throws: AudienceTextError.self) { try rule(many(201)) }
        func list(_ count: Int) -> String { "user in [" + (0..<count).map { "u\($0)" }.joined(separator: ",") + "]" }
        #expect(try rule(list(1_000)).terms.count == 1)
        #expect(throws: AudienceTextError.self) { try rule(list(1_001)) }
        #expect(throws: AudienceTextError.self) { try rule(list(500) + " or " + list(501)) }
        #expect(throws: AudienceTextError.self) { try rule(String(repeating: " ", count: 60_001)) }
    }

    // MARK: - JSON

    @Test("JSON and text are equivalent")
    func readsJSON() throws {
        let json = """
            {"and": [
                {"tag": "ZZPP00b6"},
                {"or": [
                    {"field": "category.1", "op": "=", "value": "神奈川"},
                    {"field": "language", "op": "in", "value": ["ja", "ko"]}]},
                {"field": "attribute.age", "op": ">=", "value": 20.0},
                {"field": "lastSeen", "op": ">", "value": "now-30d"},
                {"within": {"latitude": 35.68, "longitude": 139.76, "radius": 5000}},
                {"not": {"event": "opened", "campaign": "cmp_0fk2m9q3tw7x"}},
                {"flag": "consent.ads"}, {"tagName": "sports"},
                {"field": "model", "op": "exists"}]}
            """
        let text = """
            tag:ZZPP00b6 and (category.1 = "神奈川" or language in [ja, ko]) and attribute.age >= 20 and \
            lastSeen > now-30d and within(35.68, 139.76, 5km) and not opened(campaign:cmp_0fk2m9q3tw7x) and \
            consent.ads and tag:"sports" and model exists
            """
        #expect(try decode(json) == rule(text))
        #expect(try decode(json).text == text)
    }

    @Test(
        "An error in JSON names its field",
        arguments: [
            (#"{}"#, ""),
            (#"{"and": [{"tag": "ZZPP00b6"}]}"#, "and"),
            (#"{"tag": "ZZPP00b6", "flag": "hasUser"}"#, "flag"),
            (#"{"tag": "short"}"#, "tag"),
            (#"{"or": [{"flag": "hasUser"}, {"not": {"flag": "x"}}]}"#, "or.1.not.flag"),
            (#"{"field": "language", "op": "~", "value": "ja"}"#, "op"),
            (#"{"field": "language", "op": ">", "value": "ja"}"#, "op"),
            (#"{"field": "colour", "op": "=", "value": "ja"}"#, "field"),
            (#"{"field": "user", "op": "in", "value": ["a", 1]}"#, "value.1"),
            (#"{"field": "user", "op": "=", "value": {"a": 1}}"#, "value"),
            (#"{"field": "model", "op": "exists", "value": "a"}"#, "value"),
            (#"{"event": "sent", "campaign": "cmp_0fk2m9q3tw7x", "action": "a"}"#, "action"),
            (#"{"within": {"latitude": 91, "longitude": 0, "radius": 1}}"#, "within.latitude"),
            (#"{"flag": "hasUser", "colour": "red"}"#, "colour"),
        ]
    )
    func namesFields(_ json: String, _ field: String) {
        do {
            _ = try decode(json)
            Issue.record("It was read.")
        } catch let error as FieldError {
            #expect(error.field == field)
        } catch let error as DecodingError {
            #expect(FieldError(error).field == field)
        } catch {
            Issue.record(error)
        }
    }

    @Test("A campaign accepts a rule as text, as JSON, and a saved one")
    func readsAudiences() throws {
        func audience(_ json: String) throws -> Audience {
            try JSONDecoder().decode(Audience.self, from: Data(json.utf8))
        }
        let rule = AudienceRule.not(.term(.flag(.hasUser)))
        #expect(try audience(#"{"rule": "not hasUser"}"#) == .rule(rule))
        #expect(try audience(#"{"rule": {"not": {"flag": "hasUser"}}}"#) == .rule(rule))
        #expect(try audience(#"{"saved": "aud_0fk2m9q3tw7x"}"#) == AudienceID("aud_0fk2m9q3tw7x").map(Audience.saved))
        #expect(try JSONEncoder().encode(Audience.rule(rule)) == Data(#"{"rule":"not hasUser"}"#.utf8))
        #expect(throws: FieldError(field: "rule", problem: "line 1, column 13: expected and, or, or the end")) {
            try audience(#"{"rule": "not hasUser x"}"#)
        }
        #expect(throws: FieldError.self) { try audience(#"{"all": true, "rule": "hasUser"}"#) }
    }

    @Test("T-37 A list of 10,000 users is accepted, one of 10,001 refused")
    func boundsLists() throws {
        func list(_ count: Int) throws -> Audience {
            let users = (0..<count).map { "\"u\($0)\"" }.joined(separator: ",")
            return try JSONDecoder().decode(Audience.self, from: Data("{\"users\":[\(users)]}".utf8))
        }
        let users = (0..<10_000).compactMap { UserID(rawValue: "u\($0)") }
        #expect(try list(10_000) == .users(users))
        #expect(throws: FieldError(field: "users", problem: "must list 1 through 10000")) { try list(10_001) }
        #expect(throws: FieldError.self) { try list(0) }
    }

    // MARK: - At random

    @Test("A random rule round-trips as text and as JSON")
    func survivesBothForms() throws {
        var source = RandomRules(seed: 1)
        for _ in 0..<2_000 {
            let rule = source.rule(depth: Int.random(in: 0...5, using: &source.random))
            #expect(try AudienceRule(text: rule.text) == rule)
            let json = try JSONEncoder().encode(rule)
            #expect(try JSONDecoder().decode(AudienceRule.self, from: json) == rule, "\(rule)")
        }
    }

    @Test("Any text is parsed or refused with a position")
    func survivesNoise() {
        var source = RandomRules(seed: 2)
        let words = [
            "and", "or", "not", "(", ")", "[", "]", ",", "in", "=", "!=", ">=", "\"", "\\", "tag:", "tag:ZZPP00b6",
            "language", "ja", "attribute.age", "20", "now-30d", "lastSeen", "within(", "5km", "\n", "日本", "\u{0}",
            "opened(campaign:", "cmp_0fk2m9q3tw7x", "hasUser", "exists", "-", "1e999", "category.", ".", "é",
        ]
        var readable = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &source.random)
            let text = (0..<count).map { _ in words.randomElement(using: &source.random) ?? "" }.joined(separator: " ")
            do throws(AudienceTextError) {
                let rule = try AudienceRule(text: text)
                readable += 1
                #expect((try? AudienceRule(text: rule.text)) == rule)
            } catch {
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                #expect(lines.indices.contains(error.line - 1))
                #expect((1...lines[error.line - 1].count + 1).contains(error.column), "\(text) \(error)")
            }
        }
        #expect(readable > 50)
    }
}
