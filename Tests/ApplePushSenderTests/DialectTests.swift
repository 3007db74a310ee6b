import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import ApplePushSender

@Suite struct DialectTests {
    private let occurrence = OccurrenceID(rawValue: 123_456_789_012_345_678)
    private let sentAt = Timestamp(rawValue: 1_800_000_000_123)

    private func render(
        _ message: Message,
        _ dialect: App.Dialect = .carillon,
        channel: Campaign.Channel = .notification,
        isSandbox: Bool = false
    ) throws -> Rendering {
        try Rendering(
            apple: NotificationDraft(
                message: message,
                language: message.silent ? nil : "default",
                occurrence: occurrence,
                sentAt: sentAt,
                channel: channel,
                dialect: dialect,
                isSandbox: isSandbox
            )
        )
    }

    private func text(_ rendering: Rendering) -> String { String(decoding: rendering.bytes, as: UTF8.self) }

    /// The payload after Carillon's object.
    private func words(_ message: Message, _ dialect: App.Dialect, isSandbox: Bool = false) throws -> String {
        let text = text(try render(message, dialect, isSandbox: isSandbox))
        let own = try #require(text.range(of: "\"carillon\":{"))
        let end = try #require(text.range(of: "},", range: own.upperBound..<text.endIndex))
        return String(text[end.upperBound...])
    }

    private func message(_ change: (inout LocalizedContent) -> Void = { _ in }) -> Message {
        var content = LocalizedContent(title: "T", body: "B")
        change(&content)
        return Message(content: ["default": content])
    }

    // MARK: - Carillon

    @Test("Carillon's object has media, survey and a button's link") func rendersCarillonsObject() throws {
        var message = message { content in
            content.link = "https://example.com/s?id=1"
            content.media = Media(kind: .video, source: "clip.mp4")
            var reply = Button(id: "r", title: "Reply", kind: .reply)
            reply.hint = "Your answer"
            reply.submit = "Send"
            content.buttons = [reply]
        }
        message.isSurvey = true

        let text = text(try render(message))

        #expect(
            text.contains(
                #""link":"https://example.com/s?id=1","survey":true,"media":{"kind":"video","source":"clip.mp4"},"#
                    + #""buttons":[{"id":"r","title":"Reply","kind":"reply","hint":"Your answer","submit":"Send"}]}"#
            )
        )
        #expect(!text.contains("messageDeliveryReceipt") && !text.contains("push_id"))
    }

    // MARK: - TOAST Push

    @Test("T-53 the two receipt keys carry messageId as a number and sentDateTime")
    func toastReceipt() throws {
        #expect(
            try words(message(), .toast)
                == #""messageDeliveryReceipt":true,"messageDeliveryReceiptData":{"messageId":123456789012345678,"#
                + #""sentDateTime":"2027-01-15T08:00:00.123Z"}}"#
        )
    }

    @Test("T-51 T-52 a rich message has media and buttons under the SDK's keys, and mutable-content as a number")
    func toastRichMessage() throws {
        let message = message { content in
            content.link = "app://go"
            content.media = Media(kind: .audio, source: "https://example.com/a.mp3")
            var reply = Button(id: "r", title: "Reply", kind: .reply)
            reply.hint = "hint"
            reply.submit = "send"
            content.buttons = [
                reply, Button(id: "u", title: "Web", kind: .openURL, link: "https://example.com"),
                Button(id: "d", title: "No", kind: .dismiss),
            ]
        }

        let words = try words(message, .toast)

        #expect(
            words.hasSuffix(
                #""richMessage":{"media":{"mediaType":"AUDIO","source":"https://example.com/a.mp3"},"buttons":["#
                    + #"{"id":"r","name":"Reply","buttonType":"REPLY","hint":"hint","submitName":"send"},"#
                    + #"{"id":"u","name":"Web","buttonType":"OPEN_URL","link":"https://example.com"},"#
                    + #"{"id":"d","name":"No","buttonType":"DISMISS"}]},"clickAction":"app://go"}"#
            )
        )
        #expect(text(try render(message, .toast)).contains(#""mutable-content":1"#))
    }

    @Test("TOAST Push gets an image as media") func rendersImagesForToast() throws {
        let words = try words(message { $0.image = "https://example.com/a.png" }, .toast)
        #expect(
            words.hasSuffix(#""richMessage":{"media":{"mediaType":"IMAGE","source":"https://example.com/a.png"}}}"#)
        )
    }

    @Test("T-45 T-47 custom keys keep position and type; the sender's receipts and rich messages are left out")
    func toastCustomKeys() throws {
        var message = message()
        message.data = [
            "n": .integer(1), "o": .object(["k": .array([.bool(true), .null])]),
            "messageDeliveryReceipt": .bool(false), "messageDeliveryReceiptData": .object([:]),
            "richMessage": .object([:]), "clickAction": .string("x"),
        ]

        #expect(try words(message, .toast).hasSuffix(#"123Z"},"n":1,"o":{"k":[true,null]}}"#))
    }

    // MARK: - CORE PUSH

    @Test("C-44 production pushes have a push_id, sandbox pushes none")
    func corePushID() throws {
        let message = message { $0.link = "https://example.com" }
        #expect(
            try words(message, .corepush) == #""push_id":"\#(occurrence)","url":"https://example.com"}"#
        )
        #expect(try words(message, .corepush, isSandbox: true) == #""url":"https://example.com"}"#)
    }

    @Test("C-45 custom keys are at the top level; push_id and CoreResearch cannot be forged")
    func corePushCustomKeys() throws {
        var message = message()
        message.data = [
            "a": .object(["b": .number(1.5)]), "push_id": .string("1"), "CoreResearch": .string("1"),
            "url": .string("page=1"),
        ]
        #expect(
            try words(message, .corepush) == #""push_id":"\#(occurrence)","a":{"b":1.5},"url":"page=1"}"#
        )
        message.content["default"]?.link = "https://example.com"
        #expect(
            try words(message, .corepush)
                == #""push_id":"\#(occurrence)","url":"https://example.com","a":{"b":1.5}}"#
        )
    }

    @Test("R-01 R-02 a survey has the text \"1\" and a url, other pushes neither flag nor number")
    func coreResearch() throws {
        var message = message { $0.link = "https://example.com/q?c=1" }
        #expect(!text(try render(message, .corepush)).contains("CoreResearch"))
        message.isSurvey = true
        #expect(
            try words(message, .corepush).hasSuffix(#""url":"https://example.com/q?c=1","CoreResearch":"1"}"#)
        )
    }

    @Test("CORE PUSH gets an alert of one text as a string") func rendersTextForCorePush() throws {
        let one = Message(content: ["default": LocalizedContent(body: "B")])
        #expect(text(try render(one, .corepush)).hasPrefix(#"{"aps":{"alert":"B","#))
        #expect(text(try render(message(), .corepush)).hasPrefix(#"{"aps":{"alert":{"title":"T","body":"B"}"#))
        #expect(text(try render(one)).hasPrefix(#"{"aps":{"alert":{"body":"B"}"#))
    }

    /// A message of one text for an App with a limit in bytes.
    private func limited(_ message: Message, _ limit: Int?, _ dialect: App.Dialect = .corepush) throws -> Rendering {
        var draft = NotificationDraft(
            message: message,
            language: "default",
            occurrence: occurrence,
            sentAt: sentAt,
            dialect: dialect
        )
        draft.limit = limit
        return try Rendering(apple: draft)
    }

    @Test("C-48 exactly 236 bytes of plain text fit into 256, as with the vendor; 237 do not")
    func corePushTexts() throws {
        func text(_ count: Int) -> Message {
            Message(content: ["default": LocalizedContent(body: String(repeating: "x", count: count))])
        }
        let full = try limited(text(236), 256)
        #expect(full.bytes.count == 256 && full.receiptOffset == Rendering.noReceipt)
        #expect(self.text(full) == #"{"aps":{"alert":"\#(String(repeating: "x", count: 236))"}}"#)
        #expect(throws: RenderingError(language: "default", byteCount: 257, limit: 256)) {
            try limited(text(237), 256)
        }
        // While there is room, the push has a receipt.
        let room = 256 - (try limited(text(0), 256)).bytes.count
        let counted = try limited(text(room), 256)
        #expect(counted.bytes.count == 256 && counted.receiptOffset > 0)
        #expect(try limited(text(room + 1), 256).receiptOffset == Rendering.noReceipt)
        // Neither another dialect nor Apple's own limit is affected.
        #expect(throws: RenderingError.self) { try limited(text(236), 256, .toast) }
        #expect(throws: RenderingError.self) { try limited(text(4_000), nil) }
    }

    @Test("C-48 a minimal push keeps all of the message; one that needs more than text is refused")
    func bareCorePush() throws {
        var message = Message(content: ["default": LocalizedContent(body: String(repeating: "x", count: 100))])
        message.content["default"]?.link = "https://a.example"
        message.badge = 2
        message.sound = "default"
        message.data = ["k": .integer(1)]
        #expect(
            text(try limited(message, 256)).hasSuffix(
                #"x","badge":2,"sound":"default"},"url":"https://a.example","k":1}"#
            )
        )
        message.content["default"]?.image = "a.png"
        #expect(throws: RenderingError.self) { try limited(message, 256) }
    }

    @Test("R-24 a payload's size includes flag, URL and the dialect's keys", arguments: App.Dialect.allCases)
    func sizes(_ dialect: App.Dialect) throws {
        var message = message { $0.link = "https://example.com/q?c=1" }
        message.isSurvey = true
        message.data["fill"] = .string("")
        let room = 4_096 - (try render(message, dialect)).bytes.count
        message.data["fill"] = .string(String(repeating: "x", count: room))
        #expect(try render(message, dialect).bytes.count == 4_096)

        message.data["fill"] = .string(String(repeating: "x", count: room + 1))
        #expect(throws: RenderingError(language: "default", byteCount: 4_097, limit: 4_096)) {
            try render(message, dialect)
        }
    }

    @Test("Every dialect is JSON with the receipt in Carillon's object", arguments: App.Dialect.allCases)
    func rendersEveryDialect(_ dialect: App.Dialect) throws {
        var message = message { content in
            content.link = "https://example.com"
            content.media = Media(kind: .image, source: "a.png")
        }
        message.isSurvey = true
        let rendering = try render(message, dialect)

        let object = try #require(JSONSerialization.jsonObject(with: Data(rendering.bytes)) as? [String: Any])

        let own = try #require(object["carillon"] as? [String: Any])
        #expect(own["o"] as? String == occurrence.description)
        #expect(own["r"] as? String == String(repeating: "0", count: 24))
        #expect(rendering.bytes[rendering.receiptOffset..<rendering.receiptOffset + 24].allSatisfy { $0 == 0x30 })
    }

    // MARK: - Calls

    @Test("A call has its Occurrence and no alert") func rendersCalls() throws {
        var message = message()
        message.sound = "ring"
        message.badge = 1
        message.data = ["room": .string("7")]

        let zeros = String(repeating: "0", count: 24)
        #expect(
            text(try render(message, channel: .voip))
                == #"{"aps":{"alert":{"title":"T","body":"B"}},"carillon":{"o":"\#(occurrence)","r":"\#(zeros)"},"room":"7"}"#
        )
    }

    @Test("A call may have 5,120 bytes") func limitsCalls() throws {
        var message = message()
        message.data["fill"] = .string("")
        let room = 5_120 - (try render(message, channel: .voip)).bytes.count
        message.data["fill"] = .string(String(repeating: "x", count: room))
        #expect(try render(message, channel: .voip).bytes.count == 5_120)
        message.data["fill"] = .string(String(repeating: "x", count: room + 1))
        #expect(throws: RenderingError(language: "default", byteCount: 5_121, limit: 5_120)) {
            try render(message, channel: .voip)
        }
    }
}
