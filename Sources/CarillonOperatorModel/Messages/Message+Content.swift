import CarillonModel

/// Rules of content, of a message or a variant.
extension Message {
    /// Checks ``content``.
    ///
    /// - Parameter field: Its path in the request.
    /// - Throws: ``FieldError`` naming the field.
    func checkContent(_ field: String) throws(FieldError) {
        guard let standard = content[Self.defaultLanguage] else {
            throw FieldError(
                field: field,
                problem: "must have \(Self.defaultLanguage), which all other languages fall back to"
            )
        }
        let keys = standard.localization
        guard standard.title != nil || standard.body != nil || keys?.title != nil || keys?.body != nil else {
            throw FieldError(
                field: "\(field).\(Self.defaultLanguage).body",
                problem: "is required where there is no title and no localization of them"
            )
        }
        guard content.count <= 64 else { throw FieldError(field: field, problem: "must have at most 64 languages") }
        if let tag = content.keys.first(where: { $0 != Self.defaultLanguage && !LanguageTag.isWellFormed($0) }) {
            throw FieldError(
                field: field + "." + String(tag.prefix(64)),
                problem: "must be default or a BCP 47 language tag of at most 35 characters"
            )
        }
        if isSurvey { try checkSurvey(field) }
        guard !isLiteral else { return }
        for (tag, content) in content.sorted(by: { $0.key < $1.key }) {
            _ = try content.mapTexts { text, place throws(FieldError) in
                try Self.checked(text, at: "\(field).\(tag).\(place.path)")
            }
        }
    }

    /// Checks the texts of content and data by the rules of decoding.
    ///
    /// - Parameter field: The path of the message in the request.
    /// - Throws: ``FieldError`` naming the text.
    func checkTexts(_ field: String) throws(FieldError) {
        for (tag, content) in content.sorted(by: { $0.key < $1.key }) {
            try content.checkTexts("\(field).content.\(tag)")
        }
        if !silent { try checkContent(field + ".content") }
        try checkPlaces(inDataAt: field + ".data")
    }

    /// Checks the placeholders in the App's own data.
    func checkPlaces(inDataAt field: String) throws(FieldError) {
        guard !isLiteral else { return }
        for (name, value) in data.sorted(by: { $0.key < $1.key }) {
            _ = try value.mapTexts { text throws(FieldError) in try Self.checked(text, at: field + "." + name) }
        }
    }

    private static func checked(_ text: String, at field: String) throws(FieldError) -> String {
        guard PersonalText.mayHavePlaces(text) else { return text }
        do throws(PersonalText.Problem) {
            _ = try PersonalText(text)
            return text
        } catch {
            throw FieldError(field: field, problem: "at character \(error.position): \(error.words)")
        }
    }

    /// The phone appends its own parameters to a survey's link.
    private func checkSurvey(_ field: String) throws(FieldError) {
        for tag in content.keys.sorted() {
            guard let link = localized(tag)?.link else {
                throw FieldError(field: "\(field).\(tag).link", problem: "is required: the message is a survey")
            }
            guard link.contains("?"), !link.contains("#") else {
                throw FieldError(
                    field: "\(field).\(tag).link",
                    problem: "must have a query and no fragment: the message is a survey"
                )
            }
        }
    }
}
