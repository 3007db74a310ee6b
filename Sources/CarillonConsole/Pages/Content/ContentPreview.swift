import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

/// The sizes and drawings of all languages of a message.
struct ContentPreview: PageView {
    static let template = "content-preview-page"

    /// From which size on the meter warns.
    static let warnBytes = 3_584
    /// From how many characters on a title, or a body, may be cut.
    static let longTitle = 30
    static let longBody = 140

    /// One language.
    struct Item: Hashable, Sendable {
        let previewTag: String
        let previewName: String
        let isOpen: Bool
        let meterBytes: Int
        let meterLimit: Int
        let meterClass: String
        let meterText: String
        let meterWords: String
        let sampleText: String?
        let adviceTexts: [String]
        let phone: PhoneView
    }

    let heading: String
    let previews: [Item]
    let hasPreviews: Bool

    init(
        _ measure: ContentMeasure,
        _ message: Message,
        channel: Campaign.Channel,
        images: ImagePreviews,
        of app: App,
        at now: Timestamp,
        _ look: Look
    ) {
        heading = look.texts("content.preview")
        let ordered = measure.languages.sorted {
            ContentForm.order($0.language ?? "", $1.language ?? "")
        }
        previews = ordered.enumerated().map { place, language in
            Item(language, isFirst: place == 0, message, images: images, of: app, at: now, look)
        }
        hasPreviews = !previews.isEmpty
    }

    /// Renders a message, and what each of its languages looks like.
    static func read(
        _ message: Message,
        channel: Campaign.Channel,
        adWording: AdWording?,
        _ visit: Visit
    ) async throws -> ContentPreview {
        let app = try visit.app
        let measure = try await visit.engine.campaigns.measure(
            message,
            channel: channel,
            adWording: adWording,
            app: app.id
        )
        return ContentPreview(
            measure,
            message,
            channel: channel,
            images: visit.images,
            of: app,
            at: visit.now,
            visit.look
        )
    }
}

extension ContentPreview.Item {
    fileprivate init(
        _ measured: ContentMeasure.Language,
        isFirst: Bool,
        _ message: Message,
        images: ImagePreviews,
        of app: App,
        at now: Timestamp,
        _ look: Look
    ) {
        let (texts, numbers) = (look.texts, look.numbers)
        let notification = PhoneNotification(payload: measured.payload)
        previewTag = measured.language ?? ""
        previewName = LanguageName.words(measured.language, look)
        isOpen = isFirst
        (meterBytes, meterLimit) = (measured.bytes, measured.limit)
        let state = measured.isTooLarge ? "bad" : measured.bytes >= ContentPreview.warnBytes ? "warn" : "good"
        meterClass = state
        meterText = texts(
            "content.meter",
            ["bytes": numbers.full(measured.bytes), "limit": numbers.full(measured.limit)]
        )
        meterWords = texts.word("content.meter", state)
        sampleText = measured.sampled.map { count in
            count == 0 ? texts("content.sampledNone") : texts("content.sampled", count: count)
        }
        adviceTexts = Self.advice(notification, measured, images, app, look)
        phone = PhoneView(notification, language: measured.language, of: app, at: now, look)
    }

    private static func advice(
        _ notification: PhoneNotification,
        _ measured: ContentMeasure.Language,
        _ images: ImagePreviews,
        _ app: App,
        _ look: Look
    ) -> [String] {
        var advice: [String] = []
        if notification.title?.count ?? 0 >= ContentPreview.longTitle {
            advice.append(look.texts("content.advice.title"))
        }
        if notification.body?.count ?? 0 > ContentPreview.longBody { advice.append(look.texts("content.advice.body")) }
        if let url = notification.image {
            switch images.known(url, of: app.id) {
            case .image(_, let bytes)? where bytes.count > ImagePreviews.heavy:
                advice.append(look.texts("content.advice.image", ["size": look.numbers.full(bytes.count)]))
            case .unreachable?, .noImage?, .forbidden?, .tooLarge?, .image?, nil: break
            }
        }
        if measured.withoutValues > 0 {
            advice.append(look.texts("content.advice.values", count: measured.withoutValues))
        }
        return advice
    }
}

/// The names of languages of messages.
enum LanguageName {
    /// The name of a language in the page's one, with its tag.
    static func words(_ tag: String?, _ look: Look) -> String {
        guard let tag else { return look.texts("content.silent") }
        guard tag != Message.defaultLanguage else { return look.texts("content.default") }
        let locale = Locale(identifier: look.language == .pseudo ? "en" : look.language.rawValue)
        guard let name = locale.localizedString(forIdentifier: tag), name != tag else { return tag }
        return "\(name) (\(tag))"
    }

    /// What a Device of a language gets: `ja-JP → ja → default`.
    static func chain(of tag: String) -> String {
        let region = ["ja": "ja-JP", "ko": "ko-KR", "en": "en-US", "zh-Hant": "zh-Hant-TW", "zh": "zh-TW"][tag]
        var tags = [region ?? tag]
        while let last = tags.last, let end = last.lastIndex(of: "-") { tags.append(String(last[..<end])) }
        return (tags + [Message.defaultLanguage]).joined(separator: " → ")
    }
}
