import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The step that says when, how and to which part of the Audience a Campaign goes.
enum DeliveryStep: ComposerStep {
    static let name = ComposerStepName.delivery

    static func standing(of draft: ComposerDraft, _ visit: Visit) async throws -> ComposerStanding {
        if draft.lacksKind { return .toDo }
        let problems = try await visit.engine.campaigns.problems(of: draft.campaign)
        let own = problems.filter { problem in
            ["isAd", "adWording", "sendAt", "schedule", "pace", "validFor", "holdout", "variants", "statisticsID"]
                .contains { problem.field == $0 || problem.field.hasPrefix($0 + ".") }
        }
        let hasNoWording = draft.campaign.isAd && draft.campaign.adWording == nil
        let count = own.count + (hasNoWording ? 1 : 0)
        return count == 0 ? .done : .problems(count)
    }

    static func show(
        _ draft: ComposerDraft,
        _ shell: ComposerShell,
        _ state: FormState,
        _ visit: Visit
    ) async throws -> any PageView {
        var (typed, state) = (draft.campaign, state)
        if state.values.isEmpty {
            let isNew = draft.lacksKind
            let fields = DeliveryFields.fields(of: typed, zone: visit.times.zoneName, isNew: isNew)
            state = FormState(values: fields, problems: state.problems)
        } else {
            var form = DeliveryForm(state.values, visit.texts, now: visit.now, maySend: visit.may(.sender))
            form.update(of: typed).apply(to: &typed)
        }
        let model = DeliveryView.Model(
            draft: typed,
            app: draft.app,
            reach: try await reach(of: typed, visit.engine),
            keys: try await visit.engine.statistics.keys(app: draft.app.id, after: nil, limit: 100).items,
            now: visit.now,
            maySend: visit.may(.sender)
        )
        return DeliveryView(model, shell, state, visit.look)
    }

    static func read(_ draft: ComposerDraft, _ visit: Visit) async throws -> ComposerEdit {
        guard visit.form["do"] != "update" else { return .again(visit.form) }
        var form = DeliveryForm(visit.form, visit.texts, now: visit.now, maySend: visit.may(.sender))
        let update = form.update(of: draft.campaign)
        if form.problems.isEmpty, case .some(.some(let validFor)) = update.validFor,
            case .some(.some(let pace)) = update.pace
        {
            var typed = draft.campaign
            update.apply(to: &typed)
            let devices = try await reach(of: typed, visit.engine).devices
            if PaceForecast(pace, devices: devices).exceeds(validFor: validFor) { form.wrong("validFor", "expires") }
        }
        guard form.problems.isEmpty else { throw FormProblems(form.problems) }
        return .save(update)
    }

    /// The Devices that a draft reaches, all and by zone; none while it has no Audience.
    private static func reach(
        of draft: Campaign,
        _ engine: Engine
    ) async throws -> (devices: Int, zones: [String: Int]) {
        do throws(EngineError) {
            // The review counts exactly; here a sample of a large App will do.
            let estimate = try await engine.campaigns.estimate(of: draft, isExact: false)
            return (estimate.reach, estimate.zones)
        } catch {
            guard error.isInvalid else { throw error }
            return (0, [:])
        }
    }
}
