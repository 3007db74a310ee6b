import CarillonModel
import CarillonOperatorModel

/// A condition as a row of the rule: field, operator and value.
struct RuleRow: Hashable, Sendable {
    /// What a row asks about.
    enum Field: String, Hashable, Sendable, CaseIterable {
        case tag, category, language, country, appVersion, osVersion, timeZone, lastSeen, registered
        case notifications, ads, nightAds, opened
    }

    /// How it compares.
    enum Comparison: String, Hashable, Sendable, CaseIterable {
        case isOne, isNot, atLeast, below
    }

    var field = Field.language
    var comparison = Comparison.isOne
    var value = ""

    init(_ field: Field = .language, _ comparison: Comparison = .isOne, _ value: String = "") {
        (self.field, self.comparison, self.value) = (field, comparison, value)
    }

    /// The row of a condition; `nil` for one that rows cannot show.
    init?(_ rule: AudienceRule) {
        switch rule {
        case .term(let term): self.init(term)
        case .not(.term(let term)):
            self.init(term)
            guard comparison == .isOne else { return nil }
            comparison = .isNot
        case .and, .or, .not: return nil
        }
    }

    /// The condition; `nil` when the value does not fit.
    var rule: AudienceRule? {
        let values = value.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
        switch field {
        case .tag:
            return any(values.compactMap { text in TagID(rawValue: text).map(AudienceTerm.tag) ?? .tagName(text) })
        case .category: return match(values) { .category(dimension: nil, $0) }
        case .language: return match(values) { .text(.language, $0) }
        case .country: return match(values) { .text(.country, $0) }
        case .timeZone: return match(values) { .text(.timeZone, $0) }
        case .appVersion: return version(.appVersion)
        case .osVersion: return version(.osVersion)
        case .lastSeen: return time(.lastSeen)
        case .registered: return time(.registered)
        case .notifications: return signed(.flag(.notifications))
        case .ads: return signed(.flag(.ads))
        case .nightAds: return signed(.flag(.nightAds))
        case .opened:
            let terms = values.compactMap { text in
                CampaignID(text).flatMap { AudienceEvent(.opened, campaign: $0) }.map(AudienceTerm.event)
            }
            // Without a mistyped id the rule would match others than was meant.
            return terms.count == values.count ? any(terms) : nil
        }
    }

    /// Whether nothing was filled in: consents need no value.
    var isBlank: Bool { value.trimmed.isEmpty && ![.notifications, .ads, .nightAds].contains(field) }

    // MARK: - Private

    private init?(_ term: AudienceTerm) {
        switch term {
        case .tag(let id): self.init(.tag, .isOne, id.rawValue)
        case .tagName(let name): self.init(.tag, .isOne, name)
        case .category(nil, let match): self.init(.category, match)
        case .text(.language, let match): self.init(.language, match)
        case .text(.country, let match): self.init(.country, match)
        case .text(.timeZone, let match): self.init(.timeZone, match)
        case .version(let field, .relation(let relation, let version)):
            let comparisons: [AudienceRelation: Comparison] = [
                .equal: .isOne, .notEqual: .isNot, .atLeast: .atLeast, .less: .below,
            ]
            guard let comparison = comparisons[relation] else { return nil }
            self.init(field == .appVersion ? .appVersion : .osVersion, comparison, version.description)
        case .time(let field, let relation, .now(let seconds)):
            guard field == .lastSeen || field == .registered, seconds <= 0, -seconds % 86_400 == 0,
                relation == .greater || relation == .atMost
            else { return nil }
            self.init(
                field == .lastSeen ? .lastSeen : .registered,
                relation == .greater ? .below : .atLeast,
                String(-seconds / 86_400)
            )
        case .flag(.notifications): self.init(.notifications)
        case .flag(.ads): self.init(.ads)
        case .flag(.nightAds): self.init(.nightAds)
        case .event(let event) where event.kind == .opened: self.init(.opened, .isOne, event.campaign.description)
        default: return nil
        }
        // What the value separates cannot be part of one.
        guard field != .tag || !value.contains(",") else { return nil }
    }

    private init?(_ field: Field, _ match: AudienceMatch<String>) {
        guard match.values.allSatisfy({ !$0.contains(",") }) else { return nil }
        let isNegated = if case .isNotEqual = match { true } else { false }
        self.init(field, isNegated ? .isNot : .isOne, match.values.joined(separator: ", "))
    }

    private func signed(_ term: AudienceTerm) -> AudienceRule? {
        switch comparison {
        case .isOne: .term(term)
        case .isNot: .not(.term(term))
        case .atLeast, .below: nil
        }
    }

    private func any(_ terms: [AudienceTerm]) -> AudienceRule? {
        guard let first = terms.first, comparison == .isOne || comparison == .isNot else { return nil }
        let rule: AudienceRule = terms.count == 1 ? .term(first) : .or(terms.map { .term($0) })
        return comparison == .isOne ? rule : .not(rule)
    }

    private func match(_ values: [String], _ term: (AudienceMatch<String>) -> AudienceTerm) -> AudienceRule? {
        guard let first = values.first else { return nil }
        if values.count == 1, comparison == .isNot { return .term(term(.isNotEqual(first))) }
        return signed(term(values.count == 1 ? .isEqual(first) : .isAny(values)))
    }

    private func version(_ field: AudienceVersionField) -> AudienceRule? {
        guard let version = AudienceVersion(value.trimmed) else { return nil }
        let relation: AudienceRelation =
            switch comparison {
            case .isOne: .equal
            case .isNot: .notEqual
            case .atLeast: .atLeast
            case .below: .less
            }
        return .term(.version(field, .relation(relation, version)))
    }

    /// Days ago: less than so many, or at least.
    private func time(_ field: AudienceTimeField) -> AudienceRule? {
        guard let days = Int(value.trimmed), (0...3_650).contains(days) else { return nil }
        let instant = AudienceInstant.now(seconds: -86_400 * days)
        switch comparison {
        case .below: return .term(.time(field, .greater, instant))
        case .atLeast: return .term(.time(field, .atMost, instant))
        case .isOne, .isNot: return nil
        }
    }
}
