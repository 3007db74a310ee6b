import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@Suite("Campaigns and their messages")
struct MessageTests {
    private static let base = """
        {"name":"Spring","audience":{"all":true},"message":{"content":{
        "default":{"title":"Hello","subtitle":"Sub","body":"World","link":"https://a.example/?c=1","image":"https://a.example/i.png",
        "buttons":[{"id":"go","title":"Go","kind":"openURL","link":"app://go"}]},
        "ja":{"title":"こんにちは","media":{"kind":"video","source":"https://a.example/v.mp4"},
        "buttons":[{"id":"say","title":"Say","kind":"reply","hint":"Your words","submit":"Send"}]}},
        "sound":"default","badge":3,"thread":"t","category":"c","data":{"id":17},"priority":"high","expiresIn":3600,
        "interruptionLevel":"active","collapseID":"spring"},"isAd":true,"sendAt":"2026-11-21T12:00:00Z","draft":true,
        "retryFor":3600}
        """

    private static let content = "message.content.default"
    private static let button = "message.content.default.buttons.0"
    private static let media = "message.content.ja.media"
    private static let reply = "message.content.ja.buttons.0"

    private static let cases: [RequestCase] = [
        .bad("app", #""app_000000000001""#), RequestCase("name", RequestCase.text(200)),
        .bad("name", RequestCase.text(201)), .bad("name", #""""#),
        .bad("unknown", "1"),
        RequestCase("retryFor", "0"), RequestCase("retryFor", "259200"), .bad("retryFor", "259201"),
        .bad("retryFor", "-1"), .bad("sendAt", #""tomorrow""#), .bad("sendAt", "5"), .bad("isAd", #""no""#),
        .bad("draft", "1"),
        RequestCase("audience", #"{"users":["u"]}"#),
        RequestCase("audience", #"{"users":[]}"#, wrong: "audience.users"),
        RequestCase("audience", #"{"all":false}"#, wrong: "audience.all"),
        RequestCase("audience", #"{"all":true,"users":["u"]}"#, wrong: "audience.all"),
        RequestCase("audience", #"{"devices":["x"]}"#, wrong: "audience.devices.0"),
        RequestCase("audience", #"{"everyone":true}"#, wrong: "audience.everyone"),
        RequestCase("message.content", "{}", wrong: "message.content"),
        RequestCase(content, nil, wrong: "message.content"),
        RequestCase("message.content.en_US", #"{"body":"x"}"#, wrong: "message.content.en_US"),
        RequestCase("message.content.zh-Hant-TW", #"{"body":"x"}"#), .bad("\(content).title", RequestCase.text(257)),
        RequestCase("\(content).title", RequestCase.text(256)), .bad("\(content).subtitle", RequestCase.text(257)),
        .bad("\(content).body", RequestCase.text(2_001)), RequestCase("\(content).body", RequestCase.text(2_000, "界")),
        RequestCase("message.content.ja", "{}", wrong: "message.content.ja.body"), .bad("\(content).html", #""x""#),
        .bad("\(content).link", #""javascript:alert(1)""#), .bad("\(content).link", #""JavaScript:x""#),
        .bad("\(content).link", #""data:text/html,x""#), .bad("\(content).link", #""file:///etc""#),
        .bad("\(content).link", #""/relative""#), .bad("\(content).link", #""https://a b""#),
        RequestCase("\(content).link", #""tel:+4930""#), .bad("\(content).image", #""http://a.example/i.png""#),
        RequestCase("\(content).link", "\"https://a.example/\(String(repeating: "x", count: 1_006))\""),
        .bad("\(content).link", "\"https://a.example/\(String(repeating: "x", count: 1_007))\""),
        .bad("\(button).id", #""a b""#), .bad("\(button).id", nil), .bad("\(button).id", RequestCase.text(65)),
        .bad("\(button).title", nil), .bad("\(button).title", RequestCase.text(65)), .bad("\(button).kind", #""call""#),
        .bad("\(button).link", nil), RequestCase("\(button).kind", nil), .bad("\(button).color", #""red""#),
        RequestCase(
            "\(content).buttons",
            "[" + (1...4).map { #"{"id":"b\#($0)","title":"B"}"# }.joined(separator: ",") + "]",
            wrong: "\(content).buttons"
        ),
        RequestCase(
            "\(content).buttons",
            #"[{"id":"b","title":"B"},{"id":"b","title":"C"}]"#,
            wrong: "\(content).buttons"
        ),
        .bad("message.sound", RequestCase.text(129)), .bad("message.badge", "-1"),
        RequestCase("message.badge", "99999"), RequestCase("message.badge", #""+1""#),
        RequestCase("message.badge", #""+99""#), .bad("message.badge", #""+0""#), .bad("message.badge", #""+01""#),
        .bad("message.badge", #""+100""#), .bad("message.badge", #""1""#), .bad("message.badge", #""-1""#),
        .bad("message.badge", "1.5"), .bad("message.badge", #""+""#),
        .bad("message.badge", "100000"), .bad("message.thread", RequestCase.text(65)),
        .bad("message.category", RequestCase.text(65)), .bad("message.priority", #""urgent""#),
        RequestCase("message.expiresIn", "2592000"), .bad("message.expiresIn", "2592001"),
        .bad("message.interruptionLevel", #""loud""#), .bad("message.collapseID", RequestCase.text(65)),
        .bad("message.collapseID", RequestCase.text(22, "界")), .bad("message.collapseID", #""a\nb""#),
        RequestCase("message.collapses", "false", wrong: "message.collapseID"),
        RequestCase("message.data.aps", "{}", wrong: "message.data.aps"),
        RequestCase("message.data.carillon", "1", wrong: "message.data.carillon"),
        RequestCase("message.silent", "true", wrong: "message.content"), .bad("message.extra", "1"),
    ]

    private static let parts: [RequestCase] = [
        RequestCase(media, nil), RequestCase("\(media).kind", #""image""#), RequestCase("\(media).kind", #""audio""#),
        .bad("\(media).kind", #""text""#), .bad("\(media).kind", nil), .bad("\(media).source", nil),
        .bad("\(media).source", #""""#), .bad("\(media).source", #""http://a.example/v.mp4""#),
        .bad("\(media).source", #""file:///v.mp4""#), RequestCase("\(media).source", #""intro.mp4""#),
        .bad("\(media).source", #""../intro.mp4""#), .bad("\(media).source", #""..""#), .bad("\(media).size", "1"),
        RequestCase("\(media).source", RequestCase.text(128)), .bad("\(media).source", RequestCase.text(129)),
        RequestCase("\(media).source", "\"https://a.example/\(String(repeating: "x", count: 1_006))\""),
        .bad("\(media).source", "\"https://a.example/\(String(repeating: "x", count: 1_007))\""),
        .bad("\(content).media", #"{"kind":"image","source":"i.png"}"#),
        RequestCase("\(reply).hint", nil), RequestCase("\(reply).hint", RequestCase.text(64)),
        .bad("\(reply).hint", RequestCase.text(65)), RequestCase("\(reply).submit", RequestCase.text(32)),
        .bad("\(reply).submit", RequestCase.text(33)), .bad("\(button).hint", #""x""#),
        .bad("\(button).submit", #""x""#),
        RequestCase("message.isSurvey", "true"), .bad("message.isSurvey", "1"),
        .bad("channel", #""sms""#), RequestCase("channel", #""notification""#),
        RequestCase("channel", #""voip""#, wrong: "isAd"),
    ]

    @Test("Media, replies, surveys and the channel are checked against their limits", arguments: parts)
    func checksMediaRepliesSurveysAndChannel(_ changed: RequestCase) throws {
        try changed.check(CampaignRequest.self, base: Self.base)
    }

    @Test("A survey requires a link in every language") func surveysNeedALink() throws {
        #expect(try survey(link: "https://a.example/1?c=2").isSurvey)
    }

    @Test("R-05 a survey's link has a query and no fragment", arguments: ["https://a.example/1", "app://a?c=1#top"])
    func surveyLink(_ link: String) {
        let error = #expect(throws: FieldError.self) { try survey(link: link) }

        #expect(error?.field == "content.default.link")
    }

    private func survey(link: String) throws -> Message {
        let json = "{\"isSurvey\":true,\"content\":{\"default\":{\"body\":\"x\",\"link\":\"\(link)\"}}}"
        return try JSONDecoder().decode(Message.self, from: Data(json.utf8))
    }

    private static let calls: [RequestCase] = [
        RequestCase("isAd", nil), .bad("isAd", "true"), .bad("message.collapseID", #""c""#),
    ]

    @Test("A call is no ad and has no collapse id", arguments: calls)
    func callsAreNoAds(_ changed: RequestCase) throws {
        let base = #"{"audience":{"all":true},"message":{"content":{"default":{"body":"x"}}},"channel":"voip"}"#
        try changed.check(CampaignRequest.self, base: base)
    }

    @Test("Each field is checked against its limit", arguments: cases)
    func checksEachField(_ changed: RequestCase) throws {
        try changed.check(CampaignRequest.self, base: Self.base)
    }

    private static let foreign: [RequestCase] = [
        .bad("message.consolidationKey", #""k""#), .bad("message.expiresAfter", "60"),
        .bad("message.messageDeliveryReceipt", "true"), .bad("\(content).largeIcon", #"{"source":"i"}"#),
        .bad("\(content).androidMedia", #"{"source":"i.png"}"#), .bad("\(content).group", #"{"key":"k"}"#),
        .bad("\(media).expandable", "true"),
    ]

    @Test("T-46 values that Apple's platform does not support are refused by name", arguments: foreign)
    func refusesForeignWords(_ changed: RequestCase) throws {
        try changed.check(CampaignRequest.self, base: Self.base)
    }

    @Test("Encoding and decoding gives the same value") func roundTrips() throws {
        let request = try JSONDecoder().decode(CampaignRequest.self, from: Data(Self.base.utf8))
        let data = try JSONEncoder().encode(request)

        #expect(try JSONDecoder().decode(CampaignRequest.self, from: data) == request)
    }

    @Test(
        "A silent message has no content",
        arguments: [
            (#"{"silent":true}"#, nil), (#"{"silent":true,"sound":"x"}"#, "sound"),
            (#"{"silent":true,"badge":1}"#, "badge"),
            (#"{"silent":true,"priority":"high"}"#, "priority"), (#"{"silent":true,"isSurvey":true}"#, "isSurvey"),
            (#"{"silent":true,"priority":"low","data":{"a":1}}"#, nil),
        ] as [(String, String?)]
    )
    func silentShowsNothing(json: String, wrong: String?) throws {
        do {
            _ = try JSONDecoder().decode(Message.self, from: Data(json.utf8))
            #expect(wrong == nil)
        } catch let error as FieldError {
            #expect(error.field == wrong)
        }
    }

    @Test("Data is bounded in depth and number") func boundsData() throws {
        func message(_ data: String) throws -> Message {
            try JSONDecoder().decode(Message.self, from: Data(#"{"silent":true,"data":\#(data)}"#.utf8))
        }
        let many = (1...65).map { #""k\#($0)":1"# }.joined(separator: ",")
        #expect(throws: FieldError.self) { try message("{\(many)}") }
        #expect(throws: FieldError.self) { try message(#"{"\#(String(repeating: "k", count: 129))":1}"#) }
        #expect(throws: (any Error).self) {
            try message(#"{"a":"# + String(repeating: "[", count: 60) + String(repeating: "]", count: 60) + "}")
        }
        #expect(throws: Never.self) {
            try message(#"{"a":"# + String(repeating: "[", count: 8) + String(repeating: "]", count: 8) + "}")
        }
    }

    @Test(
        "The content is in the phone's language, a shorter or similar one, or the default",
        arguments: [
            ("ja", "ja"), ("ja-JP", "ja"), ("JA_jp", "ja"), ("zh-Hant-TW", "zh-Hant"), ("zh-Hans-CN", "zh"),
            ("zh", "zh"),
            ("pt-BR", "pt-BR"), ("pt-PT", "pt-BR"), ("de", "default"), ("", "default"), ("jav", "default"),
        ]
    )
    func selectsLanguage(phone: String, expected: String) {
        let languages = ["default", "ja", "zh", "zh-Hant", "pt-BR"]
        let texts = languages.map { (name: String) in (name, LocalizedContent(body: name)) }
        let message = Message(content: Dictionary(uniqueKeysWithValues: texts))

        #expect(message.language(for: phone) == expected)
    }

    @Test("A message without content has no language") func noLanguageWithoutContent() {
        #expect(Message(content: [:]).language(for: "ja") == nil)
        #expect(Message(content: ["default": LocalizedContent(body: "x")]).language(for: nil) == "default")
    }

    private static let others: [RequestCase] = [
        .bad("app", #""app_000000000001""#), .bad("device", nil), .bad("device", #""x""#), .bad("message", nil),
        .bad("when", "1"),
        RequestCase("channel", #""voip""#), .bad("channel", "1"),
    ]

    @Test("Each field of a test send is checked against its limit", arguments: others)
    func checksTestSends(_ changed: RequestCase) throws {
        let base = #"{"device":"\#(UUID())","message":{"content":{"default":{"body":"x"}}}}"#
        try changed.check(TestSendRequest.self, base: base)
    }
}
