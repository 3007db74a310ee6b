import CarillonModel
import CarillonOperatorModel
import Foundation

/// What a phone shows of a payload, as far as the payload says it.
struct PhoneNotification: Hashable, Sendable {
    /// A button below it.
    struct Action: Hashable, Sendable {
        var title: String
        var kind: String
        var hint: String?
    }

    /// Strings of the payload, or the keys of the app's own texts.
    var title: String?
    var subtitle: String?
    var body: String?
    /// The URL of an image; `nil` for one in the app.
    var image: String?
    /// `image`, `video` or `audio`; `nil` without an attachment.
    var mediaKind: String?
    var actions: [Action] = []
    /// Whether iOS shows anything: calls and silent messages are the app's.
    var isShown = false

    /// Reads a payload; nothing is shown for one that is no object.
    init(payload text: String) {
        guard let payload = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else { return }
        let alert = payload[PayloadKey.aps]?["alert"]
        if let text = alert?.string {
            body = text
        } else {
            title = Self.line(alert, "title", "title-loc-key")
            subtitle = Self.line(alert, "subtitle", "subtitle-loc-key")
            body = Self.line(alert, "body", "loc-key")
        }
        isShown = title != nil || subtitle != nil || body != nil
        let own = payload[PayloadKey.carillon]
        mediaKind = own?[PayloadKey.media]?[PayloadKey.Media.kind]?.string
        let source = own?[PayloadKey.image]?.string ?? own?[PayloadKey.media]?[PayloadKey.Media.source]?.string
        if own?[PayloadKey.image] != nil { mediaKind = "image" }
        if mediaKind == "image", let source, source.hasPrefix("https://") { image = source }
        actions = (own?[PayloadKey.buttons]?.array ?? []).map { button in
            Action(
                title: button[PayloadKey.Button.title]?.string ?? "",
                kind: button[PayloadKey.Button.kind]?.string ?? "",
                hint: button[PayloadKey.Button.hint]?.string
            )
        }
    }

    /// iOS looks the key up in the app; whoever sees the preview sees the key.
    private static func line(_ alert: JSONValue?, _ name: String, _ key: String) -> String? {
        if let key = alert?[key]?.string { return "[\(key)]" }
        return alert?[name]?.string
    }
}

/// The drawing of a phone, in the modes that the page's switches choose among.
struct PhoneView: Hashable, Sendable {
    /// A button of the expanded form.
    struct Action: Hashable, Sendable {
        let actionTitle: String
        let actionClass: String
    }

    /// The language of its texts; `nil` for the default, which may be any.
    let phoneLanguage: String?
    let phoneDate: String
    let phoneTitle: String?
    let phoneSubtitle: String?
    let phoneBody: String?
    /// What is shown while previews are hidden.
    let phoneHidden: String
    let phoneApp: String
    let phoneInitial: String
    let phoneImage: String?
    /// The kind of an attachment that is no image with an address.
    let phoneMedia: String?
    let phoneActions: [Action]
    let hasActions: Bool
    let phoneReply: String?
    /// All of it as text.
    let phoneText: String
    let isPhoneShown: Bool

    init(_ notification: PhoneNotification, language: String?, of app: App, at now: Timestamp, _ look: Look) {
        let texts = look.texts
        phoneLanguage = language == Message.defaultLanguage ? nil : language
        phoneDate = Self.date(now, phoneLanguage)
        (phoneTitle, phoneSubtitle) = (notification.title, notification.subtitle)
        phoneBody = notification.body
        phoneHidden = texts("content.phone.hidden")
        phoneApp = app.name
        phoneInitial = String(app.name.prefix(1))
        phoneImage = notification.image.map { AppPath(app: app.id).image($0) }
        let kind = notification.mediaKind.map { texts.word("content.media", $0) }
        phoneMedia = notification.image == nil ? kind : nil
        phoneActions = notification.actions.map {
            Action(actionTitle: $0.title, actionClass: $0.kind == "dismiss" ? "dismiss" : "plain")
        }
        hasActions = !phoneActions.isEmpty
        phoneReply = notification.actions.first { $0.kind == "reply" }?.hint
        isPhoneShown = notification.isShown
        var parts = [app.name, notification.title, notification.subtitle, notification.body].compactMap(\.self)
        if let kind { parts.append(kind) }
        parts += notification.actions.map { texts("content.phone.button", ["title": $0.title]) }
        phoneText = isPhoneShown ? parts.joined(separator: ". ") : texts("content.phone.nothing")
    }

    /// The date above a notification, as a phone in that language writes it.
    private static func date(_ now: Timestamp, _ language: String?) -> String {
        let date = Date(timeIntervalSince1970: Double(now.rawValue) / 1_000)
        let style = Date.FormatStyle(
            locale: Locale(identifier: language ?? "en"),
            timeZone: TimeZone(identifier: "UTC") ?? .current
        )
        return date.formatted(style.weekday(.wide).month(.wide).day())
    }
}
