public import CarillonModel

/// The content of a notification in one language.
///
/// Texts and links may have placeholders that are filled for each Device: `Hello {{name | default: "you"}}`; in a link
/// a value is percent-encoded. Fields that a language lacks come from `default`.
public struct LocalizedContent: Hashable, Sendable, Codable {
    /// 1 through 256 characters.
    public var title: String?
    /// 1 through 256 characters.
    public var subtitle: String?
    /// 1 through 2,000 characters.
    public var body: String?
    /// The link of a tap: a URL of any scheme but `javascript`, `data` and `file`; 1 through 1,024 characters.
    public var link: String?
    /// An `https` URL of an image of at most 10 MB; 1 through 1,024 characters.
    ///
    /// The short form of ``media``; a message has one of them at most.
    public var image: String?
    /// An image, video or sound.
    public var media: Media?
    /// At most three: iOS shows no fourth in a notification.
    public var buttons: [Button]
    /// Keys of texts in the app, which take precedence over the texts here.
    ///
    /// Where the app itself shows the message, as its inbox does, the texts here are shown.
    public var localization: Localization?
    /// The name of an image or storyboard in the app, which is shown while the app starts from this notification; 1
    /// through 128 characters.
    public var launchImage: String?

    /// Creates content.
    ///
    /// - Parameters:
    ///   - title: The title, 1 through 256 characters.
    ///   - body: The text, 1 through 2,000 characters.
    public init(title: String? = nil, body: String? = nil) {
        self.title = title
        self.body = body
        buttons = []
    }
}

extension LocalizedContent {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case title, subtitle, body, link, image, media, buttons, localization, launchImage
    }

    /// Decodes content strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        title = try fields.text(.title, ContentText.title)
        subtitle = try fields.text(.subtitle, ContentText.title)
        body = try fields.text(.body, ContentText.body)
        link = try fields.link(.link, sample: PersonalText.sample)
        image = try fields.link(.image, ContentText.image, sample: PersonalText.sample)
        media = try fields.optional(.media)
        guard image == nil || media == nil else { throw fields.failure(.media, "must be missing: image is present") }
        buttons = try fields.optional(.buttons) ?? []
        localization = try fields.optional(.localization)
        launchImage = try fields.text(.launchImage, 1...128)
        guard title != nil || body != nil || !isEmpty else {
            throw fields.failure(.body, "is required where there is nothing else")
        }
        guard buttons.count <= 3 else { throw fields.failure(.buttons, "must have at most 3 buttons") }
        guard Set(buttons.map(\.id)).count == buttons.count else {
            throw fields.failure(.buttons, "must not have an id twice")
        }
    }
}

extension LocalizedContent {
    private var isEmpty: Bool {
        subtitle == nil && link == nil && image == nil && media == nil && buttons.isEmpty && localization == nil
            && launchImage == nil
    }

    /// Fills missing fields from other content; image, video and sound count as one field, and so do all buttons, and
    /// all keys.
    package func completed(by other: LocalizedContent) -> LocalizedContent {
        var content = self
        content.title = title ?? other.title
        content.subtitle = subtitle ?? other.subtitle
        content.body = body ?? other.body
        content.link = link ?? other.link
        if image == nil, media == nil { (content.image, content.media) = (other.image, other.media) }
        if buttons.isEmpty { content.buttons = other.buttons }
        content.localization = localization ?? other.localization?.without(self)
        content.launchImage = launchImage ?? other.launchImage
        return content
    }

    /// The content without markup in displayed texts.
    package var withoutMarkup: LocalizedContent {
        var content = self
        content.title = title.map(HTMLText.plain)
        content.subtitle = subtitle.map(HTMLText.plain)
        content.body = body.map(HTMLText.plain)
        return content
    }
}
