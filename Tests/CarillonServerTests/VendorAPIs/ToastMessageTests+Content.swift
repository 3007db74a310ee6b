import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// What a message shows.
extension ToastMessageTests {
    @Test("T-45 words go to their places, and custom keys keep their JSON type")
    func words() async throws {
        try await ToastClient.run { client async throws in
            let sent = try await campaign(
                client,
                content([
                    "title": "T", "body": "B", "badge": .integer(3), "sound": "bell.caf", "category": "NEWS",
                    "clickAction": "https://example.com/a", "number": .integer(5), "flag": true,
                    "object": .object(["list": ["a"]]),
                ])
            )
            let message = sent.message
            #expect(message.content["default"]?.title == "T" && message.content["default"]?.body == "B")
            #expect(message.content["default"]?.link == "https://example.com/a")
            #expect(message.badge == 3 && message.sound == "bell.caf" && message.category == "NEWS")
            #expect(message.data == ["number": .integer(5), "flag": true, "object": .object(["list": ["a"]])])
            #expect(message.isLiteral)
        }
    }

    @Test("T-45 the words for texts in the app go to their places, and come back")
    func localizedWords() async throws {
        try await ToastClient.run { client async throws in
            let words: [String: JSONValue] = [
                "title-loc-key": "TITLE", "title-loc-args": ["a"], "loc-key": "BODY", "loc-args": ["b", "c"],
                "action-loc-key": "PLAY", "launch-image": "board.png", "content-available": "1",
            ]
            let sent = try await campaign(client, content(words))
            let texts = try #require(sent.message.content["default"])
            #expect(texts.localization?.title == Localization.Line("TITLE", arguments: ["a"]))
            #expect(texts.localization?.body == Localization.Line("BODY", arguments: ["b", "c"]))
            #expect(texts.localization?.action == "PLAY" && texts.launchImage == "board.png")
            #expect(sent.message.wakesApp && sent.message.data.isEmpty)
            #expect(ToastMessageWriter.content(of: sent)["content"]?["default"] == .object(words))
            let quiet = try await campaign(client, content(["body": "B", "content-available": .integer(0)]))
            #expect(!quiet.message.wakesApp)
            #expect(try await code(client, content(["body": "B", "loc-args": ["x"]])) == 40003)
            #expect(try await code(client, content(["body": "B", "loc-key": .integer(1)])) == 40002)
            #expect(try await code(client, content(["body": "B", "content-available": "x"])) == 40002)
        }
    }

    @Test("T-46 T-47 words of other platforms and the receipt's are dropped")
    func foreignWords() async throws {
        try await ToastClient.run { client async throws in
            let sent = try await campaign(
                client,
                content([
                    "body": "B", "consolidationKey": "k", "expiresAfter": .integer(5),
                    "notification": .object(["title": "x"]), "content_available": true, "mutable_content": true,
                    "mutable-content": "1", "messageDeliveryReceipt": true,
                    "messageDeliveryReceiptData": .object(["messageId": .integer(1)]), "own": "x",
                ])
            )
            #expect(sent.message.data == ["own": "x"])
        }
    }

    @Test("T-48 languages have their texts, and no value of their own where a message has one for all")
    func languages() async throws {
        try await ToastClient.run { client async throws in
            let standard = JSONValue.object(["title": "T", "body": "B", "sound": "a.caf"])
            let sent = try await campaign(
                client,
                [
                    "content": .object([
                        "default": standard, "ko": .object(["title": "제목"]), "zh": .object(["body": "正文"]),
                    ])
                ]
            )
            #expect(sent.message.localized("ko") == LocalizedContent(title: "제목", body: "B"))
            #expect(sent.message.language(for: "zh-Hans-CN") == "zh")
            let own = JSONValue.object(["title": "제목", "sound": "b.caf"])
            #expect(try await code(client, ["content": .object(["default": standard, "ko": own])]) == 40001)
        }
    }

    @Test("T-49 HTML is marked, so that the markup is removed")
    func html() async throws {
        try await ToastClient.run { client async throws in
            let style = JSONValue.object(["useHtmlStyle": true])
            #expect(try await campaign(client, content(["body": "<b>B</b>", "style": style])).message.isHTML)
            let plain = try await campaign(client)
            #expect(plain.message.isHTML == false)
        }
    }

    @Test("T-50 T-51 buttons and the media for iOS come over; a fourth button is refused")
    func richMessages() async throws {
        try await ToastClient.run { client async throws in
            func rich(_ buttons: [JSONValue]) -> [String: JSONValue?] {
                content([
                    "body": "B",
                    "richMessage": .object([
                        "buttons": .array(buttons),
                        "media": .object(["mediaType": "IMAGE", "source": "https://example.com/both.png"]),
                        "iosMedia": .object(["mediaType": "VEDIO", "source": "https://example.com/a.mp4"]),
                        "androidMedia": .object(["mediaType": "IMAGE", "source": "https://example.com/android.png"]),
                        "largeIcon": .object(["source": "x"]), "group": .object(["key": "k"]),
                    ]),
                ])
            }
            let buttons: [JSONValue] = [
                .object(["name": "Reply", "buttonType": "REPLY", "hint": "Say", "submitName": "Send", "link": "x"]),
                .object(["name": "Open", "buttonType": "DEEP_LINK", "link": "bus://stop"]),
                .object(["name": "No", "buttonType": "DISMISS"]),
            ]
            let rendered = try await campaign(client, rich(buttons)).message.content["default"]
            let shown = try #require(rendered)
            #expect(shown.media == Media(kind: .video, source: "https://example.com/a.mp4"))
            let foreign = JSONValue.object(["androidMedia": .object(["mediaType": "IMAGE", "source": "x.png"])])
            let bare = try await campaign(client, content(["body": "B", "richMessage": foreign]))
            #expect(bare.message.content["default"] == LocalizedContent(body: "B"))
            #expect(shown.buttons.map(\.kind) == [.reply, .openURL, .dismiss])
            let opening = try await campaign(client, rich([.object(["name": "Open", "buttonType": "OPEN_APP"])]))
            #expect(opening.message.content["default"]?.buttons.map(\.kind) == [.openApp])
            #expect(shown.buttons[0].hint == "Say" && shown.buttons[0].submit == "Send")
            #expect(shown.buttons[1].link == "bus://stop")
            #expect(try await code(client, rich(buttons + [buttons[2]])) == 40001)
        }
    }
}
