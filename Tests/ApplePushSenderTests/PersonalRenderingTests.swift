import ApplePush
import ApplePushConnection
import CarillonBytes
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import ApplePushSender

/// Payloads that are filled in for every Device, as Apple receives them.
@Suite struct PersonalRenderingTests {
    private struct AppleRenderer: Sender {
        func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering { try Rendering(apple: draft) }

        func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] { [] }
    }

    private func rendering(
        _ message: Message,
        _ rules: ContentRules = ContentRules(),
        dialect: App.Dialect = .carillon,
        channel: Campaign.Channel = .notification
    ) throws -> (rendering: Rendering, fields: [PersonalField]) {
        let editions = Editions(message, isAd: rules.adWording != nil, rules: rules)
        let order = RenderingOrder(
            occurrence: OccurrenceID(rawValue: 1),
            sentAt: Timestamp(rawValue: 1_800_000_000_000),
            channel: channel,
            dialect: dialect
        )
        let fields = editions.personalFields
        let edition = try #require(editions.all.last)
        return (try editions.rendering(edition, order, fields: fields, by: AppleRenderer()), fields)
    }

    private func payload(
        _ message: Message,
        _ values: [PersonalField: String],
        dialect: App.Dialect = .carillon
    ) throws -> String {
        let (rendering, fields) = try rendering(message, dialect: dialect)
        let device = DeviceNumber(rawValue: 5)
        var all = PersonalValues(fields: fields, devices: [device])
        for (index, field) in fields.enumerated() {
            if let value = values[field] { all.set(Array(value.utf8), at: index, of: device) }
        }
        var bytes: [UInt8] = []
        let offset = try #require(rendering.template).write(device, all, into: &bytes)
        #expect(bytes[offset..<offset + 24].allSatisfy { $0 == 0x30 })
        #expect(bytes[offset - 5..<offset].elementsEqual(#""r":""#.utf8))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("T-45 a badge that adds is a number, from one to 99,999; texts of the message may be slots beside it")
    func badges() throws {
        var message = Message(content: ["default": LocalizedContent(body: "\"badge\":{{name}}")])
        message.badge = .increment(by: 3)
        message.data = ["badge": .string("x")]
        func badge(_ count: String?) throws -> String {
            var values: [PersonalField: String] = [.attribute("name"): "N"]
            values[.badge] = count
            let text = try payload(message, values)
            let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            #expect(object["badge"] as? String == "x")
            let aps = try #require(object["aps"] as? [String: Any])
            #expect((aps["alert"] as? [String: String]) == ["body": "\"badge\":N"])
            #expect(aps["badge"] is NSNumber)
            return try #require(text.firstMatch(of: #/[^\\]"badge":(\d+)[,}]/#)).1.description
        }
        #expect(try badge(nil) == "3")
        #expect(try badge("0") == "3")
        #expect(try badge("41") == "44")
        #expect(try badge("99998") == "99999")
        // A text that looks like the mark stays a text, with its quotes.
        for body in ["\u{10FFF0}aa\u{10FFF1}", "5\u{10FFF0}aa\u{10FFF1}", "\u{10FFF0}aa\u{10FFF1}é"] {
            var literal = Message(content: ["default": LocalizedContent(body: body)])
            literal.isLiteral = true
            literal.badge = .increment(by: 1)
            literal.sound = body
            literal.data = ["badge": .string(body), body: .string("x")]
            let text = try payload(literal, [.badge: "6"])
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            #expect((object?["aps"] as? [String: Any])?["badge"] as? Int == 7)
        }
        message.isLiteral = true
        #expect(try rendering(message).fields == [.badge])
        #expect(try #require(rendering(message).rendering.template).preview.contains("\"badge\":3"))
    }

    @Test("T-45 texts, links, buttons and data are filled in, escaped for JSON and links")
    func everywhere() throws {
        var content = LocalizedContent(title: "Hi {{name}}", body: #"{{"{{"}} {{user | default: "no \"one\""}}"#)
        content.link = "https://a.example/{{name}}?q={{value.x | default: \"ü/\"}}"
        content.image = "https://a.example/{{country}}.png"
        var reply = Button(id: "go", title: "{{name | max: 1}}", kind: .reply)
        reply.hint = "{{name}}?"
        content.buttons = [reply, Button(id: "u", title: "U", kind: .openURL, link: "app://{{name}}")]
        var message = Message(content: ["default": content])
        message.data = ["d": .object(["x": .array([.string("{{country}}"), .integer(1)])])]

        let text = try payload(message, [.attribute("name"): "A\"\\\n/é", .device(.country): "KR"])

        let zeros = String(repeating: "0", count: Receipt.length)
        #expect(
            text == #"{"aps":{"alert":{"title":"Hi A\"\\\n/é","body":"{{ no \"one\""},"#
                + #""mutable-content":1},"carillon":{"o":"occ_000000000001","r":"\#(zeros)","#
                + #""link":"https://a.example/A%22%5C%0A%2F%C3%A9?q=%C3%BC%2F","image":"https://a.example/KR.png","#
                + #""buttons":[{"id":"go","title":"A","kind":"reply","hint":"A\"\\\n/é?"},"#
                + #"{"id":"u","title":"U","kind":"openURL","link":"app://A%22%5C%0A%2F%C3%A9"}]},"#
                + #""d":{"x":["KR",1]}}"#
        )
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    @Test("T-45 arguments of the app's own texts are filled in")
    func arguments() throws {
        var content = LocalizedContent()
        var keys = Localization()
        keys.body = Localization.Line("BODY", arguments: ["{{name}}", "1"])
        content.localization = keys

        let text = try payload(Message(content: ["default": content]), [.attribute("name"): #"A"b"#])

        #expect(text.hasPrefix(##"{"aps":{"alert":{"loc-key":"BODY","loc-args":["A\"b","1"]},"##))
    }

    @Test("Another service's keys are filled in like Carillon's", arguments: [App.Dialect.toast, .corepush])
    func dialects(_ dialect: App.Dialect) throws {
        var content = LocalizedContent(body: "b")
        content.link = "https://a.example/{{name}}"

        let text = try payload(Message(content: ["default": content]), [.attribute("name"): "a b"], dialect: dialect)

        let word = dialect == .toast ? "clickAction" : "url"
        #expect(text.contains("\"\(word)\":\"https://a.example/a%20b\""))
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    @Test("Random values give valid JSON") func escapesRandomValues() throws {
        let alphabet = [
            "a", "\"", "\\", "\n", "\t", "\r", "é", "漢", "🙂", "{{", "}}", "\u{10FFF0}aa\u{10FFF1}", " ", "/", "\u{7F}",
        ]
        var random = SystemRandomNumberGenerator()
        let message = Message(content: ["default": LocalizedContent(title: "<{{name}}>", body: "[{{user}}]")])
        for _ in 0..<500 {
            func value() -> String {
                (0..<Int.random(in: 1...20, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "" }
                    .joined()
            }
            let (name, user) = (value(), value())
            let text = try payload(message, [.attribute("name"): name, .user: user])
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let alert = (object?["aps"] as? [String: Any])?["alert"] as? [String: String]
            #expect(alert == ["title": "<\(name)>", "body": "[\(user)]"])
        }
    }

    @Test("C-47, C-49 the limit counts bytes of UTF-8, and an App's may be below Apple's")
    func limits() throws {
        func size(_ text: String, _ limit: Int?) throws -> Int {
            let message = Message(content: ["default": LocalizedContent(body: text)])
            return try rendering(message, ContentRules(payloadLimit: limit)).rendering.bytes.count
        }
        let base = try size("a", nil) - 1

        #expect(try size("全角", nil) == base + 6)
        #expect(try size("ｶﾅ", nil) == base + 6)
        #expect(try size("ab", nil) == base + 2)
        #expect(try size(String(repeating: "a", count: 256 - base), 256) == 256)
        #expect(throws: RenderingError(language: "default", byteCount: 257, limit: 256)) {
            try size(String(repeating: "a", count: 257 - base), 256)
        }
    }

    @Test("A call with fields may have 5,120 bytes too") func limitsCallsWithFields() throws {
        var message = Message(content: ["default": LocalizedContent(body: "{{name}}")])
        message.data = ["d": .string(String(repeating: "d", count: 4_900))]

        #expect(try rendering(message, channel: .voip).rendering.limit == 5_120)
        #expect(throws: RenderingError.self) { try rendering(message) }
    }

    @Test("The longest payload does not exceed the computed maximum") func computesTheMaximum() throws {
        var content = LocalizedContent(title: "{{name | max: 3}}", body: "{{country | default: \"\\\"\\\"\"}}")
        content.link = "https://a.example/{{name | max: 2}}"
        let message = Message(content: ["default": content])
        let template = try #require(try rendering(message).rendering.template)
        let worst = ["\"\"\"\"", "漢漢漢漢", "🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁥󠁮󠁧󠁿", "\r\n\r\n\r\n", "\\\u{301}\u{301}\\\\"]

        for value in worst {
            let text = try payload(message, [.attribute("name"): value])
            #expect(text.utf8.count <= template.longestCount)
            #expect(text.utf8.count >= template.shortestCount)
        }
    }

    @Test("T-52 rich content makes the payload mutable with fields too, and T-46 keys unknown to iOS are left out")
    func mutableContent() throws {
        var content = LocalizedContent(body: "{{name}}")
        content.media = Media(kind: .image, source: "a.png")
        let text = try payload(Message(content: ["default": content]), [.attribute("name"): "x"])

        #expect(text.contains(#""mutable-content":1"#) && text.contains(#""media":{"kind":"image","source":"a.png"}"#))
        #expect(!text.contains("isHTML") && !text.contains("isLiteral"))
    }

    @Test("Picked notifications keep their own payloads") func picksPayloads() throws {
        var batch = NotificationBatch(
            app: AppID(rawValue: 1),
            occurrence: OccurrenceID(rawValue: 2),
            pushType: .apns,
            options: DeliveryOptions(purpose: .alert, priority: .high, expiration: .unset, collapseID: nil),
            rendering: Rendering(bytes: [0x7B, 0x7D], receiptOffset: 0)
        )
        for number in 1...3 {
            batch.devices.append(DeviceNumber(rawValue: Int64(number)))
            batch.tokens.append([UInt8](repeating: UInt8(number), count: 8))
            batch.payloads.append([UInt8](repeating: 0x60 + UInt8(number), count: number))
        }
        let push = try #require(PushBatch(batch, topic: "com.example.app"))
        let picked = try #require(push.picking([0, 2]))

        #expect(push.payload.bytes == [0x63, 0x63, 0x63])
        #expect(picked.payloads == ByteColumn([[0x61], [0x63, 0x63, 0x63]]))
        #expect(picked.ids == [push.ids[0], push.ids[2]])
        #expect(picked.tokens.map(Array.init) == [1, 3].map { [UInt8](repeating: $0, count: 8) })
    }
}
