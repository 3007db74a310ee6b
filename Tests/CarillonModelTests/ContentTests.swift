import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@Suite("Content of messages")
struct ContentTests {
    private static let ad = """
        {"audience":{"all":true},"isAd":true,"message":{"content":{"default":{"body":"x"}}},
        "adWording":{"contact":"1588-1234","removeGuide":"거부: 설정","position":"body"},
        "variants":[{"name":"a"},{"name":"b","weight":3,"content":{"default":{"title":"y"},"ko":{"body":"z"}}}],
        "holdout":10}
        """

    private static let cases: [RequestCase] = [
        .bad("adWording.contact", #""1588#""#), .bad("adWording.contact", nil), .bad("adWording.contact", #""""#),
        .bad("adWording.contact", #""１５８８""#), .bad("adWording.contact", RequestCase.text(33, "1")),
        RequestCase("adWording.contact", RequestCase.text(32, "1")), .bad("adWording.removeGuide", nil),
        .bad("adWording.removeGuide", RequestCase.text(129)), .bad("adWording.removeGuide", #""{{user}}""#),
        RequestCase("adWording.position", nil), .bad("adWording.position", #""top""#),
        RequestCase("isAd", "false", wrong: "adWording"), RequestCase("adWording", nil),
        .bad("holdout", "0"), .bad("holdout", "91"), RequestCase("holdout", "90"), RequestCase("holdout", nil),
        .bad("variants", "[]"), .bad("variants", #"[{"name":"a"}]"#), .bad("variants", #"[{"name":"a"},{"name":"a"}]"#),
        .bad("variants.0.name", nil), .bad("variants.0.name", #""a b""#), .bad("variants.0.weight", "0"),
        .bad("variants.0.weight", "1001"), .bad("variants.0.size", "1"),
        RequestCase("variants.1.content.default", nil, wrong: "variants.1.content"),
        RequestCase("variants.1.content.default.title", #""{{x}}""#, wrong: "variants.1.content.default.title"),
        RequestCase("message", #"{"silent":true}"#, wrong: "variants"),
        RequestCase("template", #""tpl_000000000001""#, wrong: "message"), .bad("template", #""x""#),
        .bad("values.a b", "1"), RequestCase("values", #"{"a":1,"b":"x","c":true}"#),
        .bad("values.a", "[]"), .bad("values.a", RequestCase.text(1_001)),
    ].map { $0.path == "values.a b" ? RequestCase("values", #"{"a b":1}"#, wrong: "values") : $0 }

    @Test("T-41 an ad's contact is digits and hyphens, and neither it nor the guide may be missing", arguments: cases)
    func adWording(_ changed: RequestCase) throws {
        try changed.check(CampaignRequest.self, base: Self.ad)
    }

    @Test("T-40 a message without default content is refused")
    func defaultContent() throws {
        try RequestCase("content", #"{"ko":{"body":"x"}}"#, wrong: "content").check(
            Message.self,
            base: #"{"content":{"default":{"body":"x"}}}"#
        )
    }

    @Test("T-40 content over 8,192 characters is refused, naming the field and its limit")
    func longContent() throws {
        let base = #"{"content":{"default":{"body":"x"}}}"#
        for (field, limit) in [("title", 256), ("subtitle", 256), ("body", 2_000)] {
            let path = "content.default." + field
            try RequestCase(path, RequestCase.text(limit)).check(Message.self, base: base)
            try RequestCase.bad(path, RequestCase.text(limit + 1)).check(Message.self, base: base)
            try RequestCase.bad(path, RequestCase.text(8_193)).check(Message.self, base: base)
        }
    }

    private static let keys = #"{"content":{"default":{"localization":{"title":{"key":"T","arguments":["a"]}}}}}"#
    private static let localization = "content.default.localization"
    private static let keyCases: [RequestCase] = [
        RequestCase(localization + ".title", #"{"key":"T"}"#), .bad(localization + ".title.key", nil),
        .bad(localization + ".title.key", RequestCase.text(0)),
        .bad(localization + ".title.key", RequestCase.text(129)),
        .bad(localization + ".title.size", "1"), .bad(localization + ".action", RequestCase.text(129)),
        .bad(localization + ".title.arguments.0", RequestCase.text(0)),
        RequestCase(localization + ".title.arguments", "[]"),
        .bad(localization + ".title.arguments", "[" + String(repeating: #""a","#, count: 16) + #""a"]"#),
        .bad(localization + ".title.arguments.0", RequestCase.text(257)),
        .bad(localization + ".title.arguments.0", #""{{nome}}""#),
        RequestCase(localization + ".title.arguments.0", #""{{name}}""#),
        RequestCase(localization, "{}", wrong: localization + ".body"),
        RequestCase(localization, #"{"action":"A"}"#, wrong: "content.default.body"),
        RequestCase("content.ja", "{}", wrong: "content.ja.body"),
        .bad("content.default.launchImage", RequestCase.text(129)), RequestCase("wakesApp", "true"),
    ]

    @Test("T-45 keys of the app's own texts stand in for texts, within their limits", arguments: keyCases)
    func localization(_ changed: RequestCase) throws {
        try changed.check(Message.self, base: Self.keys)
    }

    @Test("T-45 a language's own text is not hidden by the default's key")
    func ownTextsOfLanguages() {
        var standard = LocalizedContent(title: "T", body: "B")
        var keys = Localization()
        (keys.title, keys.body) = (Localization.Line("TITLE"), Localization.Line("BODY"))
        standard.localization = keys
        let message = Message(content: ["default": standard, "ja": LocalizedContent(title: "題")])
        keys.title = nil
        #expect(message.localized("ja")?.localization == keys)
        #expect(message.localized("default")?.localization?.title != nil)
    }

    @Test("T-62 an ad with its labels has no keys, which would hide them")
    func localizedAd() {
        var content = LocalizedContent(title: "T", body: "B")
        var keys = Localization()
        keys.title = Localization.Line("T")
        content.localization = keys
        let wording = AdWording(contact: "C", removeGuide: "G")
        #expect(wording.applied(to: content, standard: .title).localization == nil)
    }

    @Test("T-62 the wording of ads is placed exactly as required")
    func layouts() {
        var wording = AdWording(contact: "C", removeGuide: "G")
        func worded(_ title: String?, _ body: String?) -> [String?] {
            let content = wording.applied(to: LocalizedContent(title: title, body: body), standard: .title)
            return [content.title, content.body]
        }

        #expect(worded("T", "B") == ["(광고) T C", "B\nG"])
        #expect(worded(nil, "B") == ["(광고) C", "B\nG"])
        #expect(worded("T", nil) == ["(광고) T C", "G"])
        wording.position = .body
        #expect(worded("T", "B") == ["T", "(광고) C\nB\nG"])
        #expect(worded(nil, "B") == [nil, "(광고) C\nB\nG"])
        #expect(worded("T", nil) == ["T", "(광고) C\nG"])
        wording.position = nil
        #expect(wording.applied(to: LocalizedContent(body: "B"), standard: .body).body == "(광고) C\nB\nG")
    }

    @Test(
        "T-48 a phone gets its language, a shorter tag, the most similar one, or the default",
        arguments: [
            ("ko-KR", "ko"), ("zh-Hans-CN", "zh"), ("en", "default"), ("kor", "ko"), ("KO_kr", "ko"), ("pt", "pt-BR"),
            ("pt-PT", "pt-BR"), ("sr-Cyrl-RS", "default"), ("sr-Latn", "sr-Latn-RS"), ("es-MX", "es-419"),
            ("kok", "default"), ("", "default"),
        ]
    )
    func languages(_ phone: String, _ key: String) {
        let keys = ["default", "ko", "zh", "pt-BR", "sr-Latn-RS", "es-419", "es-ES-x"]
        let message = Message(
            content: Dictionary(uniqueKeysWithValues: keys.map { ($0, LocalizedContent(body: $0)) })
        )

        #expect(message.language(for: phone) == key)
    }

    @Test("T-48 missing fields of a language come from the default")
    func completes() {
        var standard = LocalizedContent(title: "T", body: "B")
        standard.link = "https://a.example"
        standard.image = "https://a.example/i.png"
        standard.buttons = [Button(id: "a", title: "A")]
        var korean = LocalizedContent(body: "본문")
        korean.media = Media(kind: .video, source: "v.mp4")
        let message = Message(content: ["default": standard, "ko": korean])

        var expected = korean
        (expected.title, expected.link, expected.buttons) = ("T", standard.link, standard.buttons)
        #expect(message.localized("ko") == expected)
        #expect(message.localized("default") == standard)
    }

    @Test(
        "T-49 markup is removed where the message is HTML",
        arguments: [
            ("<b>Sale</b> today", "Sale today"), ("a<br/>b<BR>c", "a\nb\nc"), ("<p>one</p><p>two</p>", "one\ntwo\n"),
            ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"), ("&lt;b&gt; &amp;amp; &#x41;&#66; &quot;&apos;", "<b> &amp; AB \"'"),
            ("<font color=\"red\">x</font>", "x"), ("a<!-- no -->b", "ab"), ("&unknown; &#0; <3", "&unknown; &#0; <3"),
            ("no markup", "no markup"), ("unclosed <b", "unclosed <b"),
        ]
    )
    func markup(_ html: String, _ plain: String) {
        #expect(LocalizedContent(title: html, body: html).withoutMarkup == LocalizedContent(title: plain, body: plain))
    }

    @Test("T-50 a fourth button is refused")
    func buttons() throws {
        let buttons = { (count: Int) in
            "[" + (0..<count).map { #"{"id":"b\#($0)","title":"B"}"# }.joined(separator: ",") + "]"
        }
        let base = #"{"content":{"default":{"body":"x"}}}"#
        try RequestCase("content.default.buttons", buttons(3)).check(Message.self, base: base)
        try RequestCase.bad("content.default.buttons", buttons(4)).check(Message.self, base: base)
    }

    @Test("The wording of ads is added to texts with placeholders, and request values are filled first")
    func values() throws {
        var content = LocalizedContent(title: "{{value.code}} for {{name}}", body: "b")
        content.link = "https://a.example/{{value.code | max: 3}}?u={{user}}"
        var message = Message(content: ["default": content])
        message.data = ["code": .array([.string("{{value.code}}")]), "n": .integer(1)]
        var request = CampaignRequest(audience: .all, message: message)
        request.variants = [
            Variant(name: "a"), Variant(name: "b", content: ["default": LocalizedContent(body: "{{value.other}}")]),
        ]
        request.values = TemplateValues(["code": "A B{{C}}", "other": "o"])

        let resolved = try request.resolved(nil)

        let filled = resolved.message.content["default"]
        #expect(try PersonalText(filled?.title ?? "").written { _ in "…" } == "A B{{C}} for …")
        #expect(filled?.link == "https://a.example/A%20B?u={{user}}")
        #expect(resolved.variants?[1].content?["default"]?.body == "o")
        #expect(resolved.values == nil)
        request.values = TemplateValues(["code": "x"])
        #expect(throws: FieldError(field: "values.other", problem: "is required")) { try request.resolved(nil) }
        request.values = TemplateValues(["code": "x", "other": "o", "more": "m"])
        #expect(throws: FieldError.self) { try request.resolved(nil) }
        request.values = TemplateValues(["code": String(repeating: "x", count: 300), "other": "o"])
        let error = #expect(throws: FieldError.self) { try request.resolved(nil) }
        #expect(error?.field == "message.content.default.title")
    }

    @Test(
        "A text that a request value makes too long, or a link that one makes forbidden, is refused by its path",
        arguments: [
            (#""subtitle":"{{value.v}}""#, "subtitle", String(repeating: "x", count: 257)),
            (#""link":"https://a.example/{{value.v}}""#, "link", String(repeating: "é", count: 200)),
            (#""link":"{{value.v}}:alert(1)""#, "link", "javascript"),
            (#""image":"https://a.example/{{value.v}}""#, "image", String(repeating: "é", count: 200)),
            (
                #""media":{"kind":"image","source":"{{value.v}}.png"}"#, "media.source",
                String(repeating: "x", count: 125)
            ),
            (#""buttons":[{"id":"b","title":"{{value.v}}"}]"#, "buttons.0.title", String(repeating: "x", count: 65)),
            (
                #""buttons":[{"id":"b","title":"B","kind":"openURL","link":"{{value.v}}:alert(1)"}]"#, "buttons.0.link",
                "javascript"
            ),
            (
                #""buttons":[{"id":"b","title":"B","kind":"reply","submit":"{{value.v}}"}]"#, "buttons.0.submit",
                String(repeating: "x", count: 33)
            ),
        ]
    )
    func filledTexts(_ text: String, _ path: String, _ value: String) throws {
        let content = #"{"default":{"body":"b",\#(text)}}"#
        let message = #""audience":{"all":true},"message":{"content":"#
        for (json, field) in [
            ("{\(message)\(content)}}", "message.content.default"),
            (
                #"{\#(message){"default":{"body":"b"}}},"variants":[{"name":"a"},{"name":"b","content":\#(content)}]}"#,
                "variants.1.content.default"
            ),
        ] {
            var request = try JSONDecoder().decode(CampaignRequest.self, from: Data(json.utf8))
            request.values = TemplateValues(["v": value])
            let error = #expect(throws: FieldError.self) { try request.resolved(nil) }
            #expect(error?.field == "\(field).\(path)")
            request.values = TemplateValues(["v": "https"])
            #expect(throws: Never.self) { try request.resolved(nil) }
        }
    }
}
