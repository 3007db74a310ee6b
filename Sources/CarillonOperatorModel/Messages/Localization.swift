import CarillonModel

/// Keys of texts in the app's own strings files, which iOS shows in the phone's language in place of the content's texts.
///
/// Source: Apple, "Generating a remote notification", table 2. An ad that has the labels of Korean law is sent without
/// them: the labels would not be visible.
public struct Localization: Hashable, Sendable, Codable {
    /// The key of one text.
    public struct Line: Hashable, Sendable, Codable {
        /// A key in the app's `Localizable.strings`; 1 through 128 characters.
        public var key: String
        /// What takes the places of `%@` and `%n$@`; at most 16 texts of 1 through 256 characters, which may have
        /// placeholders.
        public var arguments: [String]

        /// Creates the key of a text.
        ///
        /// - Parameters:
        ///   - key: A key in the app's `Localizable.strings`.
        ///   - arguments: What takes the places in its text.
        public init(_ key: String, arguments: [String] = []) {
            self.key = key
            self.arguments = arguments
        }
    }

    /// The title's; Apple's `title-loc-key` and `title-loc-args`.
    public var title: Line?
    /// The subtitle's; Apple's `subtitle-loc-key` and `subtitle-loc-args`.
    public var subtitle: Line?
    /// The body's; Apple's `loc-key` and `loc-args`.
    public var body: Line?
    /// The key of the label of the button that opens the app; Apple's `action-loc-key`, which iOS before 10 shows.
    ///
    /// 1 through 128 characters.
    public var action: String?

    /// Creates no key; set the fields individually.
    public init() {}

    static let keyLengths = 1...128
    static let argumentLengths = 1...256
    fileprivate static let argumentCount = 16
}

extension Localization {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case title, subtitle, body, action
    }

    /// Decodes keys strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        title = try fields.optional(.title)
        subtitle = try fields.optional(.subtitle)
        body = try fields.optional(.body)
        action = try fields.text(.action, Self.keyLengths)
        guard title != nil || subtitle != nil || body != nil || action != nil else {
            throw fields.failure(.body, "is required where there is nothing else")
        }
    }

    /// The keys but for lines of which a language has a text of its own, which the key would hide.
    ///
    /// - Parameter content: The language's content.
    /// - Returns: `nil` where none is left.
    func without(_ content: LocalizedContent) -> Localization? {
        var left = self
        if content.title != nil { left.title = nil }
        if content.subtitle != nil { left.subtitle = nil }
        if content.body != nil { left.body = nil }
        return left == Localization() ? nil : left
    }

    /// Transforms every argument; keys are unchanged.
    func mapArguments<Failure: Error>(
        _ change: (String, String) throws(Failure) -> String
    ) throws(Failure) -> Localization {
        func line(_ line: Line?, _ name: String) throws(Failure) -> Line? {
            guard var line else { return nil }
            for (index, argument) in line.arguments.enumerated() {
                line.arguments[index] = try change(argument, "\(name).arguments.\(index)")
            }
            return line
        }
        var changed = self
        changed.title = try line(title, "title")
        changed.subtitle = try line(subtitle, "subtitle")
        changed.body = try line(body, "body")
        return changed
    }
}

extension Localization.Line {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case key, arguments
    }

    /// Decodes a key strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let key = try fields.text(.key, Localization.keyLengths) else {
            throw fields.failure(.key, "is required")
        }
        self.key = key
        arguments = try fields.optional(.arguments) ?? []
        guard arguments.count <= Localization.argumentCount else {
            throw fields.failure(.arguments, "must have at most \(Localization.argumentCount) texts")
        }
        for (index, argument) in arguments.enumerated() {
            guard let problem = TextLimit(Localization.argumentLengths).problem(of: argument) else { continue }
            throw FieldError(field: "\(fields.failure(.arguments, "").field).\(index)", problem: problem)
        }
    }
}
