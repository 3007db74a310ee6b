import Foundation
import Testing

@testable import ApplePushSimulator

struct PageViewTests {
    @Test("The page shows counters, reasons, requests with claims and payload, and the phone")
    func content() {
        var fixture = GatewayFixture(recording: 10)
        fixture.send(
            ["apns-collapse-id": "match-7"],
            body: #"{"aps":{"alert":{"title":"Goal","body":"1:0"},"badge":3}}"#
        )
        fixture.send(["apns-priority": "7"])

        let page = fixture.view.document.text

        #expect(page.contains(#"<span class="value">1</span><span class="name">Accepted</span>"#))
        #expect(page.contains("<bdi>BadPriority</bdi>"))
        #expect(page.contains("<dt><bdi>apns-collapse-id</bdi></dt><dd><bdi>match-7</bdi></dd>"))
        #expect(page.contains("<dd><bdi>ABCDE12345</bdi></dd>"))
        #expect(page.contains("<dd><bdi>1800000000, 0 s before it came</bdi></dd>"))
        #expect(page.contains("    &quot;alert&quot;: {\n      &quot;title&quot;: &quot;Goal&quot;"))
        #expect(page.contains(#"<p class="title" dir="auto">Goal</p>"#))
        #expect(page.contains(#"<span class="badge">3</span>"#))
        #expect(page.components(separatedBy: #"class="accepted""#).count == 2, "the other can be shown alone")
        #expect(page.contains(#"<input type="checkbox" id="refusals">"#))
    }

    @Test("The page shows the rules that are not the defaults")
    func rules() {
        var snapshot = GatewayFixture().snapshot
        #expect(PageView(snapshot: snapshot).document.text.contains("All rules are the defaults."))
        snapshot.listeners[0].rules.deviceTokens = .strict
        snapshot.listeners[0].rules.topics = ["<b>"]
        snapshot.listeners[0].connections.streamLimit = 7

        let page = PageView(snapshot: snapshot).document.text

        #expect(page.contains(#"<th scope="row">deviceTokens</th><td><bdi>&quot;strict&quot;</bdi></td>"#))
        #expect(page.contains(#"<th scope="row">topics</th><td><bdi>[&quot;&lt;b&gt;&quot;]</bdi></td>"#))
        #expect(page.contains(#"<th scope="row">streamLimit</th><td><bdi>7</bdi></td>"#))
        #expect(page.components(separatedBy: #"data-key="main "#).count == 4)
    }

    @Test("Device tokens and provider tokens are never shown completely")
    func secrets() {
        var fixture = GatewayFixture(recording: 10)
        fixture.send()
        fixture.send(["authorization": fixture.providerToken])
        fixture.send(["authorization": "bearer\t" + fixture.providerToken])
        fixture.send([":path": "/3/device/" + GatewayFixture.token + "/more"])

        let page = fixture.view.document.text
        let events = fixture.snapshot.requests.map { "\(RequestEvent($0))" }.joined()

        #expect(page.contains("bearer eyJhbG… (\(fixture.providerToken.utf8.count) bytes)"))
        #expect(page.contains("/3/device/abababab…abab"))
        for text in [page, events] {
            #expect(!text.contains(GatewayFixture.token))
            for part in fixture.providerToken.split(separator: ".") {
                #expect(!text.contains(part))
            }
        }
    }

    @Test(
        "Text from clients is never markup",
        arguments: [
            #"<script>alert(1)</script>"#, #""><img src=x onerror=alert(1)>"#, "'><svg onload=alert(1)>", "&lt;b>",
            "</code></pre><h1>", "<!--",
        ]
    )
    func hostile(_ text: String) throws {
        var fixture = GatewayFixture(recording: 10)
        let escaped = text.replacing(#"""#, with: #"\""#)
        let payload =
            #"{"aps":{"alert":{"title":"\#(escaped)","subtitle":"\#(escaped)","body":"\#(escaped)"},"#
            + #""sound":"\#(escaped)","category":"\#(escaped)"},"\#(escaped)":"https://\#(escaped)/a.png"}"#
        fixture.send(["apns-push-type": nil, "apns-collapse-id": text, "x-mark": text], body: payload)
        fixture.send(["apns-topic": text, "apns-push-type": text, "apns-id": text, ":path": text])
        fixture.send(["apns-push-type": "alert"], body: text)
        fixture.gateway.faults.add(Fault(.goAway, reason: text))
        fixture.gateway.counters.results[text] = 3

        let page = fixture.view.document.text

        #expect(!page.contains(text))
        #expect(page.contains(HTML.escaped(text)))
        let tags = page.split(separator: "<").dropFirst().map { $0.prefix { $0.isLetter || $0 == "/" || $0 == "!" } }
        #expect(tags.filter { $0 == "script" }.count == 1)
        #expect(!tags.contains("img"))
        #expect(!page.contains("onload=alert(1)>") && !page.contains("onerror=alert(1)>"))
    }

    @Test("Invisible characters are written as escapes")
    func invisible() {
        #expect(HTML.escaped("a\u{202E}b\u{0}c\u{1B}d\u{2066}\ne") == "a\\u{202e}b\\u{0}c\\u{1b}d\\u{2066}\ne")
    }

    @Test("There is no inline script or style, which the page's policy forbids")
    func policy() {
        var fixture = GatewayFixture(recording: 10)
        fixture.send()
        fixture.gateway.faults.add(Fault(.stall, count: 1))
        var view = fixture.view
        view.rates = [1, 5, 3]

        let page = view.document.text

        #expect(!page.contains(" style="))
        #expect(!page.contains("<style"))
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(page.contains(#"<script src="/page.js" defer></script>"#))
        #expect(!page.contains(" onclick="))
        #expect(!page.contains("http://") && !page.contains("https://"))
    }

    @Test("Each active fault has a button, and every button names its effect")
    func faults() {
        var fixture = GatewayFixture()
        var fault = Fault(.answer, count: 5, status: 503, reason: "ServiceUnavailable")
        fault.percent = 12.5
        let id = fixture.gateway.faults.add(fault)

        let html = fixture.view[.faults].text

        #expect(html.contains("The next 5 requests, 12.5 % of them: 503 ServiceUnavailable"))
        #expect(html.contains(#"data-method="DELETE" data-path="/faults/\#(id)""#))
        #expect(html.contains(#"data-body="{&quot;available&quot;:false}""#))
    }

    @Test("Every preset is a valid fault", arguments: PageView.presets)
    func presets(_ control: PageView.Control) throws {
        #expect(throws: Never.self) {
            try StrictFields.read(Array(control.body.utf8), FaultOrder.init(reading:))
        }
        #expect(control.path == "/faults")
    }

    @Test("A frame has the changed regions, and there is none without changes")
    func frames() throws {
        var fixture = GatewayFixture(recording: 10)
        var frames = PageFrames()
        let opening = frames.next(fixture.snapshot, at: .zero)
        let none = frames.next(fixture.snapshot, at: .milliseconds(250))
        fixture.gateway.faults.add(Fault(.close, count: 1))
        let change = frames.next(fixture.snapshot, at: .milliseconds(500))
        let (first, second) = (try #require(opening), try #require(change))

        #expect(PageView.Region.allCases.allSatisfy { first.contains("\"\($0.rawValue)\":") })
        #expect(none == nil)
        #expect(second.contains(#""faults":"#))
        #expect(!second.contains(#""requests":"#))
        #expect(second.hasPrefix("event: frame\ndata: {"))
        #expect(second.hasSuffix("}\n\n"))
        #expect(second.components(separatedBy: "\n").count == 4)
    }

    @Test("Rates are computed for each complete second, and a reset begins again")
    func rates() {
        var history = RateHistory()
        history.record(10, at: .zero)
        history.record(15, at: .milliseconds(500))
        #expect(history.perSecond == [])
        history.record(30, at: .seconds(1))
        history.record(70, at: .seconds(3))
        #expect(history.perSecond == [20, 20, 20])
        history.record(0, at: .seconds(4))
        history.record(7, at: .seconds(5))
        #expect(history.perSecond == [20, 20, 20, 7])
        history.record(7, at: .seconds(1000))
        #expect(history.perSecond == Array(repeating: 0, count: 60))
    }
}
