import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@testable import ApplePushSender

@Suite struct RenderingTests {
    private let occurrence = OccurrenceID(rawValue: 1)
    private let sentAt = Timestamp(rawValue: 1_800_000_000_000)

    @Test func rendersContentWhereAppleExpectsIt() throws {
        var content = LocalizedContent(title: "Spring", body: "It is \"here\"")
        content.link = "app://spring"
        content.image = "https://example.com/a.png"
        content.buttons = [Button(id: "go", title: "Go", kind: .openURL, link: "https://example.com")]
        var message = Message(content: ["default": content])
        message.sound = "default"
        message.badge = 3
        message.thread = "news"
        message.interruptionLevel = .timeSensitive
        message.data = ["b": .integer(2), "a": .array([.null, .bool(true)])]

        let rendering = try Rendering(
            apple: NotificationDraft(message: message, language: "default", occurrence: occurrence, sentAt: sentAt)
        )

        let zeros = String(repeating: "0", count: Receipt.length)
        #expect(
            String(decoding: rendering.bytes, as: UTF8.self)
                == #"{"aps":{"alert":{"title":"Spring","body":"It is \"here\""},"badge":3,"sound":"default","#
                + #""thread-id":"news","category":"carillon","mutable-content":1,"interruption-level":"time-sensitive"},"#
                + #""carillon":{"o":"occ_000000000001","r":"\#(zeros)","link":"app://spring","#
                + #""image":"https://example.com/a.png","#
                + #""buttons":[{"id":"go","title":"Go","kind":"openURL","link":"https://example.com"}]},"#
                + #""a":[null,true],"b":2}"#
        )
        #expect(rendering.bytes[rendering.receiptOffset..<rendering.receiptOffset + 24].allSatisfy { $0 == 0x30 })
    }

    @Test("I-24, I-25 A category that the message names is aps.category, and its bytes count toward the limit")
    func writesTheCategory() throws {
        func bytes(_ category: String?) throws -> [UInt8] {
            var message = Message(content: ["default": LocalizedContent(body: "x")])
            message.category = category
            return try Rendering(
                apple: NotificationDraft(message: message, language: "default", occurrence: occurrence, sentAt: sentAt)
            ).bytes
        }

        #expect(String(decoding: try bytes("mail"), as: UTF8.self).contains(#""category":"mail""#))
        #expect(String(decoding: try bytes(nil), as: UTF8.self).contains(#""category":"carillon""#))
        #expect(try bytes("mailbox").count == bytes("mail").count + 3)
    }

    @Test func aSilentMessageShowsNothing() throws {
        var message = Message(content: [:])
        message.silent = true

        let rendering = try Rendering(
            apple: NotificationDraft(message: message, language: nil, occurrence: occurrence, sentAt: sentAt)
        )

        #expect(
            String(decoding: rendering.bytes, as: UTF8.self).hasPrefix(
                #"{"aps":{"content-available":1},"carillon":{"o":"occ_000000000001","r":"#
            )
        )
    }

    @Test func aPayloadOverTheLimitIsAnErrorWithItsSize() {
        var message = Message(content: ["default": LocalizedContent(body: "x")])
        message.data = ["a": .string(String(repeating: "a", count: 4_096))]
        let draft = NotificationDraft(message: message, language: "default", occurrence: occurrence, sentAt: sentAt)

        #expect {
            try Rendering(apple: draft)
        } throws: { error in
            guard let error = error as? RenderingError else { return false }
            return error.limit == 4_096 && error.byteCount > 4_096 && error.language == "default"
        }
    }
}
