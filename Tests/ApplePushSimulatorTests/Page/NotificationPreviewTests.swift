import Testing

@testable import ApplePushSimulator

struct NotificationPreviewTests {
    private let fixture = GatewayFixture()

    @Test("An alert is a banner with its texts, badge, sound and image")
    func alert() {
        let preview = fixture.preview(
            ["apns-priority": "5"],
            #"""
            {"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":0,"sound":{"critical":1,"name":"signal.caf",
            "volume":0.5},"mutable-content":1,"interruption-level":"time-sensitive","thread-id":"news"},
            "media":{"url":"https://cdn.example.com/a/cat.JPG?x=1"}}
            """#
        )

        #expect(preview.surface == .banner)
        #expect([preview.title, preview.subtitle, preview.body] == ["T", "S", "B"])
        #expect(preview.badge == 0)
        #expect(preview.sound == "signal.caf, critical, volume 0.5")
        #expect(preview.image == .init(host: "cdn.example.com", file: "cat.JPG", isFetched: true))
        #expect(preview.appName == "app")
        #expect(preview.facts.contains(.init(name: "interruption-level", value: "time-sensitive")))
        #expect(preview.facts.contains(.init(name: "priority", value: "5")))
    }

    @Test("Localized texts are written as key and arguments")
    func localized() {
        let preview = fixture.preview(
            [:],
            #"{"aps":{"alert":{"title-loc-key":"HI","loc-key":"M","loc-args":["Ann","3"]}}}"#
        )

        #expect(preview.title == "HI")
        #expect(preview.body == "M (Ann, 3)")
    }

    @Test("A Live Activity shows its event and content state")
    func activity() {
        let preview = fixture.preview(
            ["apns-push-type": "liveactivity", "apns-topic": "com.example.app.push-type.liveactivity"],
            #"{"aps":{"timestamp":1,"event":"update","content-state":{"home":1,"away":"0","list":[1],"deep":{"a":1}}}}"#
        )

        let state = [("away", "0"), ("deep", "{…}"), ("home", "1"), ("list", "[…]")]
        #expect(
            preview.surface
                == .activity(event: "update", state: state.map { NotificationPreview.Field(name: $0.0, value: $0.1) })
        )
        #expect(preview.appName == "app")
    }

    @Test(
        "A push without a presentation describes its effect",
        arguments: [
            ("background", "wake the app"), ("location", "location push extension"), ("widgets", "reload"),
            ("complication", "watch face"), ("mdm", "management server"), ("controls", "reload"),
            ("pushtotalk", "Push to Talk"), ("fileprovider", "file provider"), ("accessory", "accessory"),
            ("alert", "nothing to show"),
        ]
    )
    func elsewhere(_ type: String, _ words: String) {
        let preview = fixture.preview(["apns-push-type": type], #"{"aps":{"content-available":1}}"#)

        guard case .nowhere(let sentence) = preview.surface else {
            Issue.record("\(preview.surface)")
            return
        }
        #expect(sentence.contains(words))
    }

    @Test("A VoIP push is an incoming call")
    func call() {
        let preview = fixture.preview(["apns-push-type": "voip", "apns-topic": "com.example.phone.voip"], "{}")

        #expect(preview.surface == .call)
        #expect(preview.appName == "phone")
    }

    @Test(
        "Payloads of any shape are accepted",
        arguments: [
            "", "[", "[]", "null", "{\"aps\":[]}", "{\"aps\":{\"alert\":[1]}}", "{\"aps\":{\"badge\":\"x\"}}",
            "{\"aps\":{\"badge\":1e400}}", "{\"aps\":{\"badge\":99999999999999999999}}",
            "{\"aps\":{\"sound\":{\"volume\":[]}}}",
            "{\"aps\":{\"alert\":\"\\ud800\"}}", "{\"aps\":{\"alert\":{\"title\":{}}}}",
            String(repeating: "{\"a\":", count: 900) + "1" + String(repeating: "}", count: 900),
        ]
    )
    func anyShape(_ payload: String) {
        var fixture = GatewayFixture(recording: 1)
        fixture.send(body: payload)

        #expect(fixture.view.document.text.contains("</html>"))
    }

    @Test("Long texts are cut")
    func bounds() {
        let long = String(repeating: "ä", count: 2000)
        let preview = fixture.preview([:], #"{"aps":{"alert":"\#(long)"}}"#)

        #expect(preview.body?.count == NotificationPreview.textLimit + 1)
    }

    @Test("JSON is indented in its own order and spelling")
    func layout() {
        let laidOut = JSONLayout.indented(Array(#"{"b":[1.50, {}],"a":"x{\"y\\",  "c":[]}"#.utf8))

        #expect(laidOut == "{\n  \"b\": [\n    1.50,\n    {}\n  ],\n  \"a\": \"x{\\\"y\\\\\",\n  \"c\": []\n}")
        #expect(JSONLayout.indented(Array("[1]".utf8)) == nil)
    }
}
