import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The confirmation of a draft.
enum ReviewConfirmation {
    static func declare(_ routes: inout ConsoleRoutes) {
        routes.form("/apps/{app}/campaigns/{campaign}/confirm", .app(.sender)) { visit, state in
            let draft = try await ComposerDraft.read(visit)
            return try await Composer.page(of: ReviewStep.self, draft, state, visit)
        } submit: { visit in
            try await confirm(visit)
        }
    }

    // MARK: - Private

    private static func confirm(_ visit: Visit) async throws -> Outcome {
        let draft = try await ComposerDraft.read(visit)
        let form = visit.form
        // A confirmation that was refused is recorded as well.
        visit.audit.note(object: draft.id.description, change: "confirmation of \(form.devices("reach") ?? -1) Devices")
        visit.audit.noteChanged()
        let ticked = Set(form.values("tick"))
        let confirmation = CampaignConfirmation(
            version: Int(form.text("version")) ?? 0,
            reach: form.devices("reach") ?? -1,
            typed: form["typed"],
            key: form.text("key"),
            isFresh: visit.engine.operators.isFresh(visit.session),
            ticked: ticked
        )
        let result: ConfirmationResult
        do throws(EngineError) {
            result = try await visit.engine.campaigns.confirm(
                draft.id,
                within: draft.app.id,
                confirmation,
                by: .operator(visit.person.id)
            )
        } catch {
            throw try await problems(error, draft, ticked, visit)
        }
        return try outcome(result, draft, ticked, visit)
    }

    private static func outcome(
        _ result: ConfirmationResult,
        _ draft: ComposerDraft,
        _ ticked: Set<String>,
        _ visit: Visit
    ) throws -> Outcome {
        let path = AppPath(app: draft.app.id).campaign(draft.id)
        func done(_ campaign: Campaign, _ notice: String) -> Outcome {
            var change = "\(draft.campaign.state.rawValue) → \(campaign.state.rawValue)"
            if !ticked.isEmpty { change += ", accepted: " + ticked.sorted().joined(separator: ", ") }
            visit.audit.note(object: draft.id.description, change: change)
            return .redirect(path, Notice(notice))
        }
        switch result {
        case .sent(let campaign): return done(campaign, "review.done.sent")
        case .held(let campaign): return done(campaign, "review.done.held")
        case .waiting(let campaign): return done(campaign, "review.done.waiting")
        case .repeated: return .redirect(path)
        case .recount(let reach, _):
            throw FormProblems(nil, visit.texts("review.wrong.recount", count: reach))
        case .outdated: throw FormProblems(nil, visit.texts("review.wrong.outdated"))
        }
    }

    /// What stands in the way, at its place on the page.
    private static func problems(
        _ error: EngineError,
        _ draft: ComposerDraft,
        _ ticked: Set<String>,
        _ visit: Visit
    ) async throws -> any Error {
        guard !error.fieldErrors.isEmpty else { return error }
        if error.fieldErrors.contains(where: { $0.field == "typed" }) {
            return FormProblems("typed", visit.texts("review.wrong.typed"))
        }
        let model = try await ReviewModel.read(draft, visit)
        let words = ReviewWords(model: model, look: visit.look)
        let open = model.review.checks.enumerated().filter { $0.element.blocks(ticked) }
        guard !open.isEmpty else { return error }
        return FormProblems(open.map { FieldProblem("check-\($0.offset)", words.text($0.element)) })
    }
}
