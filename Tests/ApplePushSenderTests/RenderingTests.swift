import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import ApplePushSender

@Suite struct RenderingTests {
    private let occurrence = OccurrenceID(rawValue: 1)
    private let sentAt = Timestamp(rawValue: 1_800_000_000_000)

    @Test("Content is at the keys that Apple expects") func rendersContent() throws {
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
                + #""thread-id":"news","mutable-content":1,"interruption-level":"time-sensitive"},"#
                + #""carillon":{"o":"occ_000000000001","r":"\#(zeros)","link":"app://spring","#
                + #""image":"https://example.com/a.png","#
                + #""buttons":[{"id":"go","title":"Go","kind":"openURL","link":"https://example.com"}]},"#
                + #""a":[null,true],"b":2}"#
        )
        #expect(rendering.bytes[rendering.receiptOffset..<rendering.receiptOffset + 24].allSatisfy { $0 == 0x30 })
    }

    /// A rendering with a text of a given length.
    private func rendering(_ length: Int, category: String?, limit: Int? = nil) throws -> Rendering {
        var message = Message(content: ["default": LocalizedContent(body: String(repeating: "x", count: length))])
        message.category = category
        var draft = NotificationDraft(message: message, language: "default", occurrence: occurrence, sentAt: sentAt)
        draft.limit = limit
        return try Rendering(apple: draft)
    }

    @Test("I-24 a message's category is aps.category; without one the key is missing")
    func writesTheCategory() throws {
        func aps(_ category: String?) throws -> [String: Any] {
            let bytes = try rendering(1, category: category).bytes
            let payload = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
            return try #require(payload?["aps"] as? [String: Any])
        }

        #expect(try aps("mail")["category"] as? String == "mail")
        #expect(try aps(nil).keys.sorted() == ["alert", "mutable-content"])
    }

    @Test(
        "I-25 the category's key and value count: they put a message at the limit over it",
        arguments: [4_096, 300]
    )
    func countsTheCategory(limit: Int) throws {
        let room = limit - (try rendering(0, category: nil)).bytes.count
        #expect(try rendering(room, category: nil, limit: limit).bytes.count == limit)
        let words = #""category":"mail","#.utf8.count
        #expect(throws: RenderingError(language: "default", byteCount: limit + words, limit: limit)) {
            try rendering(room, category: "mail", limit: limit)
        }
        #expect(try rendering(room - words, category: "mail", limit: limit).bytes.count == limit)
    }

    @Test("A silent message has no alert") func rendersSilentMessages() throws {
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

    @Test("A payload over the limit is an error with its size") func reportsLargePayloads() {
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
