import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The step Audience of the composer.
enum AudienceStep: ComposerStep {
    static let name = ComposerStepName.audience
    /// A list of 10,000 long ids.
    static let bodyLimit = 4 * 1_024 * 1_024
    /// How many saved Audiences are offered.
    private static let savedCount = 200

    static func standing(of draft: ComposerDraft, _ visit: Visit) async throws -> ComposerStanding {
        draft.lacksAudience ? .toDo : .done
    }

    static func show(
        _ draft: ComposerDraft,
        _ shell: ComposerShell,
        _ state: FormState,
        _ visit: Visit
    ) async throws -> any PageView {
        let isNew = state.values.isEmpty
        let values = isNew ? AudienceForm.fields(of: draft.campaign.audience, lacks: draft.lacksAudience) : state.values
        let saved = try await visit.engine.audiences.list(app: draft.app.id, after: nil, limit: savedCount).items
        var campaign = draft.campaign
        if let typed = try? AudienceForm.audience(values, visit.texts) {
            campaign.audience = try await named(typed, values, visit)
        } else {
            campaign.audience = .redacted
        }
        var estimate: EstimateView?
        if campaign.audience != .redacted {
            let isExact = visit.query["count"] == "exact"
            estimate = try await read(campaign, isExact: isExact, visit, values["list"])
        }
        return AudienceView(
            shell: shell,
            FormState(values: values, problems: state.problems),
            saved: saved,
            estimate,
            visit.look
        )
    }

    static func read(_ draft: ComposerDraft, _ visit: Visit) async throws -> ComposerEdit {
        if let changed = AudienceForm.changed(visit.form) { return .again(changed) }
        let audience = try await named(try AudienceForm.audience(visit.form, visit.texts), visit.form, visit)
        if visit.form["who"] == AudienceForm.Who.users.rawValue, let edit = try await report(audience, draft, visit) {
            return edit
        }
        var update = CampaignUpdate()
        update.audience = audience
        return .save(update)
    }

    // MARK: - Private

    /// The Audience of a form; a text of a row that looks like a tag's id is the name of a tag when there is one.
    private static func named(_ audience: Audience, _ form: FormFields, _ visit: Visit) async throws -> Audience {
        guard form["who"] == AudienceForm.Who.rule.rawValue, case .rule(let rule) = audience else { return audience }
        var named: Set<TagID> = []
        for case .tag(let id) in Set(rule.terms) {
            let tags = visit.engine.tags
            let found = try await tags.list(app: try visit.app.id, named: id.rawValue, after: nil, limit: 1).items
            if found.first?.name == id.rawValue { named.insert(id) }
        }
        guard !named.isEmpty else { return audience }
        return .rule(
            rule.replacing { term in
                guard case .tag(let id) = term, named.contains(id) else { return term }
                return .tagName(id.rawValue)
            }
        )
    }

    /// Counts; what the App does not have is a sentence in place of the numbers.
    private static func read(
        _ campaign: Campaign,
        isExact: Bool,
        _ visit: Visit,
        _ list: String?
    ) async throws -> EstimateView {
        let campaigns = visit.engine.campaigns
        do throws(EngineError) {
            let counted =
                isExact
                ? try await campaigns.exactCount(of: campaign)
                : try await campaigns.counted(campaign, isExact: false)
            let sample = try await campaigns.sample(of: counted, campaign)
            return EstimateView(counted.estimate, sample, campaign, at: visit.now, visit.look)
        } catch {
            guard error.isInvalid || !error.fieldErrors.isEmpty else { throw error }
            return EstimateView(unknown: visit.texts("target.unknownNames"))
        }
    }

    /// Shows a pasted list again with the ids that are good, when others were among them.
    private static func report(
        _ audience: Audience,
        _ draft: ComposerDraft,
        _ visit: Visit
    ) async throws -> ComposerEdit? {
        guard case .users(let users) = audience else { return nil }
        let list = PastedUsers(visit.form.text("list"), limit: Audience.maximumListCount)
        let known = try await visit.engine.campaigns.known(users, of: draft.app.id)
        let unknown = users.count - known.count
        guard unknown + list.duplicates + list.malformed + list.excess > 0 else { return nil }
        let counts = [known.count, unknown, list.duplicates, list.malformed, list.excess].map(String.init)
        return .again(
            visit.form.setting([
                "list": users.filter(known.contains).map(\.rawValue).joined(separator: "\n"),
                "report": counts.joined(separator: ","), "do": nil,
            ])
        )
    }
}
