import CarillonModel

extension Message {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case content, sound, badge, thread, category, data, priority, expiresIn, interruptionLevel, collapseID
        case collapses, silent, wakesApp, isSurvey, isHTML, isLiteral
    }

    /// Decodes a message strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        content = try fields.optional(.content) ?? [:]
        sound = try fields.text(.sound, 1...128)
        badge = try fields.optional(.badge)
        thread = try fields.text(.thread, 1...64)
        category = try fields.text(.category, 1...64)
        data = try fields.optional(.data) ?? [:]
        priority = try fields.optional(.priority)
        expiresIn = try fields.integer(.expiresIn, 0...2_592_000)
        interruptionLevel = try fields.optional(.interruptionLevel)
        collapseID = try fields.text(.collapseID, 1...64)
        collapses = try fields.optional(.collapses) ?? true
        silent = try fields.optional(.silent) ?? false
        wakesApp = try fields.optional(.wakesApp) ?? false
        isSurvey = try fields.optional(.isSurvey) ?? false
        isHTML = try fields.optional(.isHTML) ?? false
        isLiteral = try fields.optional(.isLiteral) ?? false
        try check(fields)
    }

    private func check(_ fields: Fields<CodingKeys>) throws {
        if let collapseID { try check(collapseID, fields) }
        let reserved = [PayloadKey.aps, PayloadKey.carillon]
        if let name = data.keys.first(where: { reserved.contains($0) || $0.isEmpty || $0.utf8.count > 128 }) {
            throw FieldError(
                field: fields.failure(.data, "").field + "." + String(name.prefix(128)),
                problem: "must be named other than \(reserved[0]) and \(reserved[1]), with 1 through 128 bytes"
            )
        }
        guard data.count <= 64 else { throw fields.failure(.data, "must have at most 64 names") }
        try silent ? checkSilent(fields) : checkContent(fields.failure(.content, "").field)
        try checkPlaces(inDataAt: fields.failure(.data, "").field)
    }

    /// A collapse id is sent in an HTTP/2 header field, whose values have no line breaks and no spaces at their ends.
    private func check(_ collapseID: String, _ fields: Fields<CodingKeys>) throws {
        guard collapses else { throw fields.failure(.collapseID, "must be missing: collapses is false") }
        guard collapseID.utf8.count <= 64, collapseID.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            collapseID.first != " ", collapseID.last != " "
        else {
            throw fields.failure(
                .collapseID,
                "must have 1 through 64 bytes of UTF-8, no control characters and no space at its ends"
            )
        }
    }

    private func checkSilent(_ fields: Fields<CodingKeys>) throws {
        guard content.isEmpty else { throw fields.failure(.content, "must be missing: the message is silent") }
        guard sound == nil else { throw fields.failure(.sound, "must be missing: the message is silent") }
        guard badge == nil else { throw fields.failure(.badge, "must be missing: the message is silent") }
        guard priority != .high else {
            throw fields.failure(.priority, "must be normal or low: the message is silent")
        }
        guard !isSurvey else { throw fields.failure(.isSurvey, "must be false: the message is silent") }
    }

    /// Checks the rules of a call.
    ///
    /// - Parameter field: The path of the message in the request.
    /// - Throws: ``FieldError`` naming the field.
    func checkCall(_ field: String) throws {
        if case .increment = badge {
            throw FieldError(field: field + ".badge", problem: "must be a number: the channel is voip")
        }
        guard collapseID == nil else {
            throw FieldError(field: field + ".collapseID", problem: "must be missing: the channel is voip")
        }
    }
}
