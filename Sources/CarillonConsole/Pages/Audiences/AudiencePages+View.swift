import CarillonModel
import CarillonOperatorModel

/// The list of saved Audiences.
struct AudiencesView: PageView {
    static let template = "audiences"

    struct Row: Hashable, Sendable {
        let audiencePath: String
        let audienceName: String
        let audienceRule: String
        let audienceUses: String
        let audienceCount: String?
        let audienceCounted: TimeView?
        let audienceChanged: TimeView
    }

    let heading: String
    let rows: [Row]
    let hasRows: Bool
    let newPath: String?
    let paging: PagingView?

    init(_ page: Page<SavedAudience>, _ latest: [Campaign], isFirst: Bool, of app: AppID, _ visit: Visit) {
        let (look, paths) = (visit.look, AppPath(app: app))
        heading = look.texts("audiences.heading")
        rows = page.items.map { audience in
            Row(
                audiencePath: paths.audience(audience.id),
                audienceName: audience.name,
                audienceRule: RuleWords.sentences(audience.rule, look.texts).joined(separator: " · "),
                audienceUses: look.numbers.full(latest.count { audience.isUsed(by: $0) }),
                audienceCount: audience.counted.map { AudienceText.number($0.devices, of: $0, look) },
                audienceCounted: look.table(audience.countedAt),
                audienceChanged: look.times.table(audience.changedAt)
            )
        }
        hasRows = !rows.isEmpty
        newPath = visit.may(.editor) ? paths.audiences + "/new" : nil
        paging = PagingView(isFirst: isFirst, next: page.nextCursor, at: paths.audiences) {
            FormFields().setting(["after": $0])
        }
    }
}

/// A saved Audience with its count and uses, and its fields for who may change it.
struct SavedAudienceView: PageView {
    static let template = "audience"

    struct Use: Hashable, Sendable {
        let usePath: String
        let useName: String
        let useState: PillView
    }

    let heading: String
    let isKnown: Bool
    let sentences: [String]
    let facts: [FactView]
    let uses: [Use]
    let hasUses: Bool
    /// Campaigns that keep the rule as it was.
    let scheduledWarning: String?
    let mayEdit: Bool
    let nameField: FieldView
    let ruleField: FieldView
    let seen: String
    let formPath: String
    let deletePath: String?
    let countPath: String?
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(
        _ audience: SavedAudience?,
        _ campaigns: [Campaign],
        _ state: FormState,
        _ visit: Visit
    ) {
        let (texts, look, words) = (visit.texts, visit.look, CampaignText(look: visit.look))
        heading = audience?.name ?? texts("audiences.new")
        isKnown = audience != nil
        sentences = audience.map { RuleWords.sentences($0.rule, texts) } ?? []
        facts = audience.map { Self.facts($0, visit) } ?? []
        uses = campaigns.map { campaign in
            Use(
                usePath: AppPath(app: campaign.app).campaign(campaign.id),
                useName: words.name(campaign),
                useState: words.state(campaign)
            )
        }
        hasUses = !uses.isEmpty
        let waiting = campaigns.filter { [.needsApproval, .held, .scheduled, .sending, .paused].contains($0.state) }
        scheduledWarning =
            waiting.isEmpty ? nil : texts("audiences.scheduled", ["names": look.list(waiting.map(words.name))])
        mayEdit = visit.may(.editor)
        nameField = state.field("name", texts("audiences.name"), standard: audience?.name ?? "")
        ruleField = state.field(
            "rule",
            texts("audiences.rule"),
            hint: texts("audiences.ruleHint"),
            standard: audience?.rule ?? ""
        )
        seen = audience.map { String($0.changedAt.rawValue) } ?? ""
        let paths = visit.pathApp.map { AppPath(app: $0.id) }
        let path = audience.flatMap { audience in paths.map { $0.audience(audience.id) } }
        formPath = path ?? (paths?.audiences ?? "") + "/new"
        deletePath = mayEdit ? path.map { $0 + "/delete" } : nil
        countPath = mayEdit ? path.map { $0 + "/count" } : nil
        summary = state.summary
        hasSummary = !state.problems.isEmpty
    }

    private static func facts(_ audience: SavedAudience, _ visit: Visit) -> [FactView] {
        let texts = visit.texts
        var facts = [FactView(texts("audiences.id"), code: audience.id.description)]
        if let estimate = audience.counted {
            func count(_ number: Int) -> String { AudienceText.number(number, of: estimate, visit.look) }
            facts += [
                FactView(texts("audiences.devices"), count(estimate.devices)),
                FactView(texts("audiences.notifications"), count(estimate.reach.notifications)),
                FactView(texts("audiences.ads"), count(estimate.reach.ads)),
            ]
            facts += [FactView(texts("audiences.counted"), visit.look.table(audience.countedAt))].compactMap(\.self)
        } else {
            facts.append(FactView(texts("audiences.devices"), texts("audiences.notCounted")))
        }
        facts += [FactView(texts("audiences.changed"), visit.times.table(audience.changedAt))].compactMap(\.self)
        return facts
    }
}

/// Words about Audiences.
enum AudienceText {
    /// A number of an estimate, with a mark when it is not exact.
    static func number(_ number: Int, of estimate: AudienceEstimate, _ look: Look) -> String {
        (estimate.isExact ? "" : "≈ ") + look.numbers.full(number)
    }
}

/// The page of an Audience that two people changed: both versions side by side.
struct AudienceConflictView: PageView {
    static let template = "composer-conflict"

    let heading: String
    let lead: String
    let rows: [ComposerConflictView.Row]
    let hidden: [ComposerConflictView.Hidden]
    /// What was typed can be saved.
    let keeps = true
    let newerVersion: String
    let formPath: String
    let how: String

    init(_ current: SavedAudience, name: String, rule: String, _ visit: Visit) {
        let texts = visit.texts
        heading = texts("composer.conflict.heading")
        let time = visit.times.exact(current.changedAt).text
        lead = texts("composer.conflict.lead", ["name": current.name, "time": time])
        rows = [("name", name, current.name), ("rule", rule, current.rule)].map { part, yours, theirs in
            ComposerConflictView.Row(
                partName: texts.word("audiences", part),
                yours: yours,
                theirs: theirs,
                differs: yours != theirs
            )
        }
        newerVersion = String(current.changedAt.rawValue)
        hidden = [("name", name), ("rule", rule), ("seen", newerVersion)].map {
            ComposerConflictView.Hidden(hiddenName: $0.0, hiddenValue: $0.1)
        }
        formPath = AppPath(app: current.app).audience(current.id)
        how = texts("audiences.conflictHow")
    }
}

/// A rule in words.
enum RuleWords {
    /// A sentence for each group of conditions; the rule itself when rows cannot show it.
    static func sentences(_ text: String, _ texts: Texts) -> [String] {
        guard let rule = try? AudienceRule(text: text), let rows = RuleRows(rule) else { return [text] }
        func words(_ row: RuleRow) -> String {
            let names = [
                "field": texts.word("target.field", row.field.rawValue),
                "comparison": texts.word("target.op", row.comparison.rawValue), "value": row.value,
            ]
            return texts(row.value.isEmpty ? "audiences.flag" : "audiences.condition", names)
        }
        func sentence(_ key: String, _ some: [RuleRow]) -> String {
            texts(key, ["conditions": some.map(words).joined(separator: "; ")])
        }
        let groups = rows.groups.map { group in
            group.rows.count == 1
                ? words(group.rows[0]) : sentence(group.isAny ? "audiences.anyOf" : "audiences.allOf", group.rows)
        }
        let joined =
            rows.groups.count > 1 ? [texts(rows.isAny ? "audiences.oneGroup" : "audiences.allGroups")] + groups : groups
        return rows.exclusions.isEmpty ? joined : joined + [sentence("audiences.without", rows.exclusions)]
    }
}
