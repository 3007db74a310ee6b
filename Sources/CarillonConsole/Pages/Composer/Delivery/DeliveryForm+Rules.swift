import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension DeliveryForm {
    mutating func readKind(_ update: inout CampaignUpdate, _ draft: Campaign) {
        update.nightPolicy = DelayPolicy(rawValue: fields.text("nightPolicy")) ?? .skip
        guard let kind else {
            // A step may be left before the choice; going on asks for it.
            if fields["do"] == "next" { wrong("kind-information", "kind") }
            return
        }
        update.isAd = kind == .ad
        update.channel = kind == .call ? .voip : .notification
        update.adWording = .some(kind == .ad ? wording() : nil)
    }

    private mutating func wording() -> AdWording? {
        let (contact, guide) = (fields.text("contact").trimmed, fields.text("removeGuide").trimmed)
        let isNumber = contact.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
        let isContact = (1...32).contains(contact.count) && isNumber
        let isGuide = (1...128).contains(guide.count) && !guide.contains("{{")
        if !isContact { wrong("contact", "contact") }
        if !isGuide { wrong("removeGuide", "removeGuide") }
        guard isContact, isGuide else { return nil }
        return AdWording(
            contact: contact,
            removeGuide: guide,
            position: AdWording.Position(rawValue: fields.text("position"))
        )
    }

    mutating func readPace(_ update: inout CampaignUpdate) {
        let pace: Pace?
        switch fields.text("pace") {
        case "perMinute":
            pace = number("perMinute", 1...10_000_000).map { .perMinute($0) }
            if fields.text("perMinute").trimmed.isEmpty { wrong("perMinute", "perMinute") }
        case "over":
            pace = seconds("over", 60...86_400, "over").map { .over($0) }
            if fields.text("over").trimmed.isEmpty { wrong("over", "over") }
            if when == .local { wrong("over", "overLocal") }
        case "groups":
            let (count, every) = (number("groups", 2...50), seconds("every", 60...86_400, "every"))
            if fields.text("groups").trimmed.isEmpty || fields.text("every").trimmed.isEmpty {
                wrong("groups", "groups")
            }
            if update.schedule != nil { wrong("groups", "groupsSchedule") }
            pace = count.flatMap { count in every.map { .groups(count, every: $0) } }
        default: pace = nil
        }
        update.pace = .some(pace)
    }

    mutating func readLimits(_ update: inout CampaignUpdate, _ draft: Campaign) {
        update.validFor = .some(seconds("validFor", 60...2_592_000, "validFor"))
        update.retryFor = seconds("retryFor", 0...259_200, "retryFor") ?? 86_400
        let key = fields.text("statisticsID").trimmed
        let id = StatisticsID(key)
        if !key.isEmpty, id == nil { wrong("statisticsID", "statisticsID") }
        update.statisticsID = .some(key.isEmpty ? nil : id)
        let isTransactional = fields["isTransactional"] != nil
        guard maySend || !isTransactional || draft.isTransactional else {
            return wrong("isTransactional", "isTransactional")
        }
        update.isTransactional = isTransactional
    }

    // MARK: - Variants

    mutating func readVariants(_ update: inout CampaignUpdate, _ draft: Campaign) {
        let holdout = number("holdout", 1...90)
        update.holdout = .some(holdout)
        var variants: [Variant] = []
        for number in 1...Self.variantCount {
            let name = fields.text("variantName\(number)").trimmed
            let share = self.number("variantShare\(number)", 1...100)
            guard !name.isEmpty || share != nil else { continue }
            guard let share, Self.isName(name), !variants.contains(where: { $0.name == name }) else {
                wrong("variantName\(number)", "variant")
                continue
            }
            variants.append(Variant(name: name, weight: share, content: content(number, name, draft)))
        }
        guard !variants.isEmpty else { return update.variants = .some(nil) }
        let sum = variants.reduce(holdout ?? 0) { $0 + $1.weight }
        if variants.count < 2 { wrong("variantName2", "oneVariant") }
        if sum != 100 { wrong("variantShare1", "shares", ["sum": String(sum)]) }
        update.variants = .some(variants)
    }

    private static func isName(_ name: String) -> Bool {
        (1...32).contains(name.count)
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }

    /// The content of a variant: that of the message, or of the variant before, with title and body as typed; `nil` when
    /// it is the message's own.
    private func content(_ number: Int, _ name: String, _ draft: Campaign) -> [String: LocalizedContent]? {
        let former = draft.variants?.first { $0.name == name }?.content
        var contents: [String: LocalizedContent] = [:]
        for (language, own) in draft.message.content {
            var content = former?[language] ?? own
            let (title, body) = (
                fields["variantTitle\(number).\(language)"]?.trimmed,
                fields["variantBody\(number).\(language)"]?.trimmed
            )
            if let title { content.title = title.isEmpty ? own.title : title }
            if let body { content.body = body.isEmpty ? own.body : body }
            contents[language] = content
        }
        return contents == draft.message.content ? nil : contents
    }
}
