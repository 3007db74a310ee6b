import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The step that shows a draft as it will be sent, and asks for the confirmation.
enum ReviewStep: ComposerStep {
    static let name = ComposerStepName.review

    static func standing(of draft: ComposerDraft, _ visit: Visit) async throws -> ComposerStanding { .toDo }

    static func show(
        _ draft: ComposerDraft,
        _ shell: ComposerShell,
        _ state: FormState,
        _ visit: Visit
    ) async throws -> any PageView {
        let model = try await ReviewModel.read(draft, visit)
        return ReviewView(model, shell, state, visit.look)
    }

    /// Nothing is saved here.
    static func read(_ draft: ComposerDraft, _ visit: Visit) async throws -> ComposerEdit {
        .outcome(.redirect(AppPath(app: draft.app.id).edit(draft.id, .review)))
    }
}

/// What the review is made of.
struct ReviewModel: Sendable {
    var draft: ComposerDraft
    /// The exact reach, and what was found.
    var review: CampaignReview
    /// What the App's guards ask for.
    var step: GuardStep
    /// What the draft is for those who edit it after a refusal.
    var refusal: CampaignApproval?
    var now: Timestamp
    var maySend: Bool
    /// The one-time key of the form.
    var key: String

    static func read(_ draft: ComposerDraft, _ visit: Visit) async throws -> ReviewModel {
        let campaigns = visit.engine.campaigns
        let review = try await campaigns.review(of: draft.campaign)
        return ReviewModel(
            draft: draft,
            review: review,
            step: try await campaigns.guardStep(
                of: draft.campaign,
                reach: review.reach.devices,
                by: .operator(visit.person.id)
            ),
            refusal: draft.campaign.approval.flatMap { $0.outcome == .refused ? $0 : nil },
            now: visit.now,
            maySend: visit.may(.sender),
            key: SessionValue.make()
        )
    }
}
