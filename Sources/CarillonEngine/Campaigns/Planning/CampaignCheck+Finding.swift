import CarillonModel
package import CarillonOperatorModel

extension CampaignCheck {
    /// Returns everything that is found about a Campaign, what blocks first.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign as it would be sent.
    ///   - facts: What else is known.
    /// - Returns: The findings; empty when nothing is to be said.
    package static func find(_ campaign: Campaign, _ facts: CampaignCheckFacts) -> [CampaignCheck] {
        var found = facts.problems.map { CampaignCheck(.problem, subject: $0.field, detail: $0.problem) }
        if facts.reach == 0 { found.append(CampaignCheck(.nobody)) }
        if !facts.hasKey { found.append(CampaignCheck(.noKey)) }
        found += fallbacks(campaign)
        if PaceForecast(campaign.pace, devices: facts.reach).exceeds(validFor: campaign.validFor) {
            found.append(CampaignCheck(.expiresEarly))
        }
        if campaign.isAd, campaign.adWording == nil { found.append(CampaignCheck(.noAdWording)) }
        let forecast = TimeForecast(
            schedule: campaign.schedule,
            sendAt: campaign.sendAt,
            devices: facts.zones,
            at: facts.now
        )
        if let schedule = campaign.schedule, schedule.isOnce, schedule.passed == nil, facts.passed > 0 {
            found.append(CampaignCheck(.timePassed, number: facts.passed))
        }
        found += placeholders(campaign)
        found += warnings(campaign, facts)
        let night = forecast?.nightDevices ?? 0
        if 20 * night > facts.reach { found.append(CampaignCheck(.night, number: night)) }
        found += languages(campaign, facts)
        if !facts.isTested { found.append(CampaignCheck(.untested)) }
        return found
    }

    // MARK: - Content

    /// Texts that are typed to try something.
    private static let placeholderTexts: Set<String> = [
        "test", "testing", "lorem", "asdf", "todo", "{{", "테스트", "テスト", "測試", "测试", "lorem ipsum",
    ]

    /// Whether a whole title or body is such a text.
    package static func isPlaceholder(_ text: String) -> Bool {
        var rest = text.lowercased()[...]
        func isEdge(_ character: Character) -> Bool {
            character.isWhitespace || ".!?…。！？".contains(character) || character.isNumber
        }
        while let first = rest.first, isEdge(first) { rest.removeFirst() }
        while let last = rest.last, isEdge(last) { rest.removeLast() }
        // A text of digits and marks alone is a placeholder as well.
        guard !rest.isEmpty else { return text.contains { !$0.isWhitespace } }
        return placeholderTexts.contains(String(rest))
    }

    private static func placeholders(_ campaign: Campaign) -> [CampaignCheck] {
        contents(campaign).flatMap { language, content in
            [("title", content.title), ("body", content.body)].compactMap { name, text in
                guard let text, isPlaceholder(text) else { return nil }
                return CampaignCheck(.placeholder, subject: "\(language).\(name)")
            }
        }
    }

    private static func fallbacks(_ campaign: Campaign) -> [CampaignCheck] {
        guard !campaign.message.isLiteral else { return [] }
        var found: [CampaignCheck] = []
        for (language, content) in contents(campaign) {
            _ = content.mapTexts { text, _ in
                let places = PersonalText.mayHavePlaces(text) ? (try? PersonalText(text))?.places ?? [] : []
                for place in places where place.fallback == nil && !place.field.isOfRecipient {
                    let check = CampaignCheck(.noFallback, subject: "\(language): {{\(place.field.name)}}")
                    if !found.contains(check) { found.append(check) }
                }
                return text
            }
        }
        return found
    }

    /// All contents with their languages, those of variants after the message's.
    private static func contents(_ campaign: Campaign) -> [(String, LocalizedContent)] {
        let own = campaign.message.content.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let others = (campaign.variants ?? []).flatMap { variant in
            (variant.content ?? [:]).sorted { $0.key < $1.key }.map { ("\(variant.name).\($0.key)", $0.value) }
        }
        return own + others
    }

    // MARK: - Reach

    private static func warnings(_ campaign: Campaign, _ facts: CampaignCheckFacts) -> [CampaignCheck] {
        var found = facts.recent.map { CampaignCheck(.sameContent, subject: $0.id.description) }
        if let largest = facts.largestReach, facts.reach > 3 * largest {
            found.append(CampaignCheck(.unusualReach, number: largest))
        }
        if campaign.audience == .all { found.append(CampaignCheck(.everyone, number: facts.reach)) }
        return found + facts.deadLinks.map { CampaignCheck(.deadLink, subject: $0) }
    }

    private static func languages(_ campaign: Campaign, _ facts: CampaignCheckFacts) -> [CampaignCheck] {
        guard !campaign.message.silent, !campaign.message.content.isEmpty else { return [] }
        var missing: [String: Int] = [:]
        for (tag, devices) in facts.languages where !tag.isEmpty {
            guard campaign.message.language(for: tag) == Message.defaultLanguage else { continue }
            missing[String(tag.prefix { $0 != "-" && $0 != "_" }).lowercased(), default: 0] += devices
        }
        return missing.filter { 50 * $0.value > facts.reach }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { CampaignCheck(.noLanguage, subject: $0.key, number: $0.value) }
    }
}

extension Message {
    /// Whether all texts of another one are in it; the wording of ads may be around them.
    func shows(_ other: Message) -> Bool {
        guard silent == other.silent else { return false }
        return other.content.allSatisfy { language, content in
            guard let shown = self.content[language] else { return false }
            return [(content.title, shown.title), (content.subtitle, shown.subtitle), (content.body, shown.body)]
                .allSatisfy { own, shown in own.map { shown?.contains($0) ?? false } ?? true }
                && content.link == shown.link && content.image == shown.image
        }
    }

    /// Whether it shows the same title and body as another one in any language.
    func says(_ other: Message) -> Bool {
        content.contains { language, content in
            guard let same = other.content[language], content.title != nil || content.body != nil else { return false }
            return content.title == same.title && content.body == same.body
        }
    }
}
