import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@testable import ApplePushSender

@Suite struct LocalizationTests {
    @Test("T-45 keys of the app's own texts stand beside the texts", arguments: [App.Dialect.carillon, .toast])
    func keys(_ dialect: App.Dialect) throws {
        var content = LocalizedContent(title: "T", body: "B")
        var keys = Localization()
        keys.title = Localization.Line("TITLE", arguments: ["a", "b"])
        keys.body = Localization.Line("BODY")
        keys.action = "PLAY"
        content.localization = keys
        content.launchImage = "board.png"

        #expect(
            try text(content, dialect).hasPrefix(
                #"{"aps":{"alert":{"title":"T","title-loc-key":"TITLE","title-loc-args":["a","b"],"body":"B","#
                    + #""loc-key":"BODY","action-loc-key":"PLAY","launch-image":"board.png"},"content-available":1,"#
            )
        )
        (content.title, content.body) = (nil, nil)
        #expect(try text(content, dialect).hasPrefix(#"{"aps":{"alert":{"title-loc-key":"TITLE","#))
    }

    private func text(_ content: LocalizedContent, _ dialect: App.Dialect) throws -> String {
        var message = Message(content: ["default": content])
        message.wakesApp = true
        let draft = NotificationDraft(
            message: message,
            language: "default",
            occurrence: OccurrenceID(rawValue: 1),
            sentAt: Timestamp(rawValue: 1_800_000_000_123),
            channel: .notification,
            dialect: dialect
        )
        return String(decoding: try Rendering(apple: draft).bytes, as: UTF8.self)
    }
}
