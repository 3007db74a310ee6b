public import CarillonModel

/// What a notification says, in one language.
public struct LocalizedContent: Hashable, Sendable, Codable {
    /// 1 through 256 characters.
    public var title: String?
    /// 1 through 256 characters.
    public var subtitle: String?
    /// 1 through 2,000 characters.
    public var body: String?
    /// Where a tap leads: a URL of any scheme but `javascript`, `data` and `file`; 1 through 1,024 characters.
    public var link: String?
    /// An `https` URL of a picture of at most 10 MB; 1 through 1,024 characters.
    ///
    /// The short form of ``media``; a message has one of them at most.
    public var image: String?
    /// A picture, video or sound to show with it.
    public var media: Media?
    /// At most three.
    public var buttons: [Button]

    /// Makes content.
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
        case title, subtitle, body, link, image, media, buttons
    }

    /// Reads content strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        title = try fields.text(.title, 1...256)
        subtitle = try fields.text(.subtitle, 1...256)
        body = try fields.text(.body, 1...2_000)
        link = try fields.link(.link)
        image = try fields.link(.image, only: "https")
        media = try fields.optional(.media)
        guard image == nil || media == nil else { throw fields.failure(.media, "must be missing: image is given") }
        buttons = try fields.optional(.buttons) ?? []
        guard title != nil || body != nil else { throw fields.failure(.body, "is required where there is no title") }
        guard buttons.count <= 3 else { throw fields.failure(.buttons, "must have at most 3 buttons") }
        guard Set(buttons.map(\.id)).count == buttons.count else {
            throw fields.failure(.buttons, "must not have an id twice")
        }
    }
}
