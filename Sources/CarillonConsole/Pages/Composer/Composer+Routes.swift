import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes

/// The composer: a draft on four steps.
enum Composer {
    static let steps: [any ComposerStep.Type] = [
        AudienceStep.self, ContentStep.self, DeliveryStep.self, ReviewStep.self,
    ]
    /// Maximum length of a Campaign's name in characters.
    static let longestName = 200
    private static let base = "/apps/{app}/campaigns/{campaign}/edit"

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.action("/apps/{app}/campaigns", .app(.editor), on: list) { visit in
            let app = try visit.app
            let name = visit.texts("composer.untitled", ["time": visit.times.brief(visit.now)])
            let made = try await ComposerDrafts.make(named: name, of: app, visit)
            visit.audit.note(object: made.id.description, change: "new draft")
            return .redirect(AppPath(app: app.id).edit(made.id, .audience))
        }
        routes.page(base, .app(.editor)) { visit in
            let draft = try await ComposerDraft.read(visit)
            for (name, standing) in try await standings(of: draft, visit) where standing != .done {
                return .redirect(AppPath(app: draft.app.id).edit(draft.id, name))
            }
            return .redirect(AppPath(app: draft.app.id).edit(draft.id, .review))
        }
        routes.action(base + "/delete", .app(.editor), on: list) { visit in
            let draft = try await ComposerDraft.read(visit)
            try await visit.engine.campaigns.delete(draft.id, within: draft.app.id)
            visit.audit.note(object: draft.id.description, change: "draft deleted")
            let name = CampaignText(look: visit.look).name(draft.campaign)
            return .redirect(AppPath(app: draft.app.id).campaigns, Notice("composer.deleted", ["name": name]))
        }
        declare(AudienceStep.self, &routes)
        declare(ContentStep.self, &routes)
        declare(DeliveryStep.self, &routes)
        declare(ReviewStep.self, &routes)
    }

    /// How far all steps of a draft are.
    static func standings(
        of draft: ComposerDraft,
        _ visit: Visit
    ) async throws -> [(ComposerStepName, ComposerStanding)] {
        var standings: [(ComposerStepName, ComposerStanding)] = []
        for step in steps { standings.append((step.name, try await step.standing(of: draft, visit))) }
        return standings
    }

    /// The page of a step.
    static func page<Step: ComposerStep>(
        of step: Step.Type,
        _ draft: ComposerDraft,
        _ state: FormState,
        _ visit: Visit
    ) async throws -> any PageView {
        let shell = ComposerShell(draft, step.name, try await standings(of: draft, visit), state, visit.look)
        return try await step.show(draft, shell, state, visit)
    }

    // MARK: - Private

    private static func declare<Step: ComposerStep>(_ step: Step.Type, _ routes: inout ConsoleRoutes) {
        let path = "\(base)/\(step.name.rawValue)"
        routes.page(path, .app(.editor)) { visit in
            let draft = try await ComposerDraft.read(visit)
            guard draft.isEditable else { return leave(draft) }
            return .page(try await page(of: step, draft, .empty, visit))
        }
        routes.form(path, .app(.editor), bodyLimit: step.bodyLimit) { visit, state in
            try await page(of: step, try await ComposerDraft.read(visit), state, visit)
        } submit: { visit in
            let draft = try await ComposerDraft.read(visit)
            guard draft.isEditable else { return try await keep(step, draft, visit) }
            switch try await read(step, draft, visit) {
            case .again(let fields): return .page(try await page(of: step, draft, FormState(values: fields), visit))
            case .outcome(let outcome): return outcome
            case .save(let update): return try await save(update, of: draft, step.name, visit)
            }
        }
    }

    /// Reads the form of a step together with the name, so that both problems are told at once.
    private static func read<Step: ComposerStep>(
        _ step: Step.Type,
        _ draft: ComposerDraft,
        _ visit: Visit
    ) async throws -> ComposerEdit {
        var problems: [FieldProblem] = []
        let name = visit.form["name"]?.trimmed
        if let name, !(1...longestName).contains(name.count) {
            let limits = ["least": "1", "most": String(longestName)]
            problems.append(FieldProblem("name", visit.texts("problem.length", limits)))
        }
        do {
            let edit = try await step.read(draft, visit)
            guard case .save(var update) = edit, problems.isEmpty else {
                if case .save = edit { throw FormProblems(problems) }
                return edit
            }
            if let name, name != draft.campaign.name { update.name = .some(name) }
            return .save(update)
        } catch let found as FormProblems {
            let others = found.all.filter { !problems.contains($0) }
            throw FormProblems(problems + others)
        }
    }

    private static func save(
        _ update: CampaignUpdate,
        of draft: ComposerDraft,
        _ step: ComposerStepName,
        _ visit: Visit
    ) async throws -> Outcome {
        let version = Int(visit.form.text("version")) ?? 0
        let state = visit.form[ComposerShell.stateField].flatMap { Campaign.State(rawValue: $0) } ?? .draft
        let isSame = version == draft.version && state == draft.campaign.state
        if isSame, draft.isTakenBack, visit.form[ComposerShell.takesBackField] == nil {
            throw FormProblems(ComposerShell.takesBackField, visit.texts("composer.wrong.takesBack"))
        }
        switch try await ComposerDrafts.save(update, of: draft, version: version, from: state, visit) {
        case .saved(let campaign):
            visit.audit.note(object: draft.id.description, change: "draft: \(step.rawValue)")
            let next = visit.form["do"] == "next" ? step.next ?? step : step
            return .redirect(AppPath(app: campaign.app).edit(campaign.id, next), Notice("composer.saved"))
        case .outdated(let current, let yours):
            let newer = ComposerDraft(current, of: draft.app)
            return .other(.conflict, ComposerConflictView(newer, yours: yours, step, visit.form, visit.look))
        }
    }

    /// The form of a Campaign that cannot be changed any more: what was typed is shown, so that it is not lost.
    private static func keep<Step: ComposerStep>(
        _ step: Step.Type,
        _ draft: ComposerDraft,
        _ visit: Visit
    ) async throws -> Outcome {
        var yours: Campaign?
        do {
            switch try await read(step, draft, visit) {
            case .again: break
            case .outcome(let outcome): return outcome
            case .save(let update):
                var changed = draft.campaign
                update.apply(to: &changed)
                yours = changed
            }
        } catch is FormProblems {
            // What cannot be read is shown as it was typed.
        }
        return .other(.conflict, ComposerConflictView(draft, yours: yours, step.name, visit.form, visit.look))
    }

    /// The composer shows drafts alone.
    private static func leave(_ draft: ComposerDraft) -> Outcome {
        .redirect(AppPath(app: draft.app.id).campaign(draft.id), Notice("composer.noDraft"))
    }

    private static func list(_ visit: Visit) -> String {
        visit.pathApp.map { AppPath(app: $0.id).campaigns } ?? ConsolePath.home
    }
}
