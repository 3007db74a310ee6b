import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import CarillonConsole

/// Fields, payloads and drawings, without a server.
struct ContentFormTests {
    /// A message with a value in each of its fields.
    private static var full: Message {
        var content = LocalizedContent(title: "T", body: "B")
        (content.subtitle, content.link, content.launchImage) = ("S", "app://x", "launch.png")
        content.media = Media(kind: .audio, source: "bell.caf")
        var reply = Button(id: "r", title: "Reply", kind: .reply)
        (reply.hint, reply.submit) = ("Text", "Send")
        content.buttons = [reply, Button(id: "u", title: "Open", kind: .openURL, link: "https://a.example")]
        var localization = Localization()
        localization.title = Localization.Line("TITLE", arguments: ["1", "2"])
        localization.action = "OPEN"
        content.localization = localization
        var picture = LocalizedContent(body: "ja")
        picture.image = "https://a.example/a.png"
        var message = Message(content: ["default": content, "ja": picture])
        (message.sound, message.badge, message.thread, message.category) = ("default", .increment(by: 2), "t", "c")
        message.data = ["a": .array([.integer(1), .bool(true)])]
        (message.priority, message.expiresIn, message.interruptionLevel) = (.normal, 60, .timeSensitive)
        (message.collapseID, message.wakesApp, message.isHTML) = ("id", true, true)
        return message
    }

    @Test("Each field of a message is a field of the form, and comes back as it was")
    func roundTrip() throws {
        let form = ContentForm(Self.full)
        #expect(try form.read().get() == Self.full)
        // Every name of the API's message is reached; values of data are one text.
        let names = Set(form.fields.all.map(\.name))
        for name in [
            "sound", "badge", "thread", "category", "data", "priority", "expiresIn", "interruptionLevel",
            "collapseID", "collapses", "silent", "wakesApp", "isSurvey", "isHTML", "isLiteral",
        ] {
            #expect(names.contains("message.\(name)"), "\(name)")
        }
    }

    @Test("A silent message has no content, and one that nobody wrote is not silent")
    func silent() throws {
        var message = Message(content: [:])
        message.silent = true
        #expect(ContentForm(message).isSilent == false)
        message.data = ["a": .integer(1)]
        #expect(ContentForm(message).isSilent)
        #expect(try ContentForm(message).read().get() == message)
    }

    @Test("Wrong fields are named by their paths, one a language")
    func namesFields() throws {
        let fields = FormFields([
            ("language", "default"), ("language", "ja"), ("message.content.default.link", "javascript:x"),
            ("message.content.ja.title", String(repeating: "x", count: 300)), ("message.expiresIn", "soon"),
        ])
        guard case .failure(let errors) = ContentForm(fields: fields).read() else {
            Issue.record("The form is read.")
            return
        }
        #expect(errors.all.map(\.field) == ["message.content.default.link", "message.content.ja.title"])
    }

    @Test("The drawing has exactly the strings of the payload")
    func drawsPayload() throws {
        let payload = """
            {"aps":{"alert":{"title":"T","subtitle":"S","body":"B\\n<b>"},"mutable-content":1},
            "carillon":{"o":"x","r":"y","image":"https://a.example/a.png",
            "buttons":[{"id":"a","title":"A","kind":"reply","hint":"H"},{"id":"b","title":"B","kind":"dismiss"}]}}
            """
        let notification = PhoneNotification(payload: payload)
        #expect(notification.title == "T" && notification.subtitle == "S" && notification.body == "B\n<b>")
        #expect(notification.image == "https://a.example/a.png" && notification.actions.map(\.title) == ["A", "B"])
        let app = App(
            id: AppID(rawValue: 1),
            request: AppRequest(name: "Bus", bundleID: "a.b"),
            createdAt: Timestamp(rawValue: 0)
        )
        let view = PhoneView(notification, language: "ja", of: app, at: Timestamp(rawValue: 0), try .test())
        #expect(view.phoneLanguage == "ja" && view.phoneDate.contains("月"))
        #expect(view.phoneText == "Bus. T. S. B\n<b>. Image. Button: A. Button: B")
        #expect(view.phoneActions.map(\.actionClass) == ["plain", "dismiss"] && view.phoneReply == "H")
    }

    @Test("A text alone, keys of the app and silent payloads are drawn as iOS shows them")
    func drawsOthers() {
        #expect(PhoneNotification(payload: #"{"aps":{"alert":"Hi"}}"#).body == "Hi")
        let keys = PhoneNotification(payload: #"{"aps":{"alert":{"title-loc-key":"K","title":"T","loc-key":"L"}}}"#)
        #expect(keys.title == "[K]" && keys.body == "[L]")
        #expect(!PhoneNotification(payload: #"{"aps":{"content-available":1}}"#).isShown)
        #expect(!PhoneNotification(payload: "no JSON").isShown)
    }

    @Test("Chains and tags of languages")
    func languages() {
        #expect(LanguageName.chain(of: "ja") == "ja-JP → ja → default")
        #expect(LanguageName.chain(of: "pt-BR") == "pt-BR → pt → default")
        #expect(LanguageName.isTag("zh-Hant") && LanguageName.isTag("ja"))
        #expect(!LanguageName.isTag("j") && !LanguageName.isTag("ja--JP") && !LanguageName.isTag("<b>"))
    }
}
