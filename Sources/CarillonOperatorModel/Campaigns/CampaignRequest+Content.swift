package import CarillonModel

extension Message {
    /// Stands for a template's message until it is loaded.
    static let blank: Message = {
        var message = Message(content: [:])
        message.silent = true
        return message
    }()
}

extension CampaignRequest {
    /// Checks the variants.
    ///
    /// - Parameters:
    ///   - field: Their path in the request.
    ///   - isResolved: Whether the template's message, if any, is loaded.
    /// - Throws: ``FieldError`` naming the field.
    func checkVariants(_ field: String, isResolved: Bool = false) throws {
        guard let variants else { return }
        guard (2...Variant.maximumCount).contains(variants.count) else {
            throw FieldError(field: field, problem: "must be 2 through \(Variant.maximumCount)")
        }
        guard Set(variants.map(\.name)).count == variants.count else {
            throw FieldError(field: field, problem: "must not have a name twice")
        }
        guard !message.silent || (template != nil && !isResolved) else {
            throw FieldError(field: field, problem: "must be missing: the message is silent")
        }
        for (index, variant) in variants.enumerated() {
            guard let content = variant.content else { continue }
            var message = message
            message.content = content
            try message.checkContent("\(field).\(index).content")
        }
    }

    /// Resolves the request: inserts its template's message, and fills in its values.
    ///
    /// - Parameter template: The message of ``template``; `nil` when the request has its own.
    /// - Returns: A request whose message can be sent.
    /// - Throws: ``FieldError`` naming the field.
    package func resolved(_ template: Message?) throws(FieldError) -> CampaignRequest {
        var request = self
        if let template { request.message = template }
        try request.fill(.request(values ?? TemplateValues([:])))
        request.values = nil
        if let recipientValues { try request.fill(.recipient(recipientValues)) }
        request.recipientValues = nil
        do {
            try request.checkVariants("variants", isResolved: true)
            if template != nil, channel == .voip { try request.message.checkCall("message") }
        } catch let error as FieldError {
            throw error
        } catch {
            throw FieldError(field: "variants", problem: "must be content that can be sent")
        }
        return request
    }

    private mutating func fill(_ source: ValueFiller.Source) throws(FieldError) {
        var filler = ValueFiller(source)
        message = try filler.message(message)
        for index in (variants ?? []).indices where !message.isLiteral {
            guard let content = variants?[index].content else { continue }
            let filled = try filler.content(content)
            for (tag, content) in filled.sorted(by: { $0.key < $1.key }) {
                try content.checkTexts("variants.\(index).content.\(tag)")
            }
            variants?[index].content = filled
        }
        try filler.checkUse()
    }
}
