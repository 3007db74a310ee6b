import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The step Review as its template shows it.
struct ReviewView: PageView {
    static let template = "composer-review"

    /// A finding.
    struct Check: Hashable, Sendable {
        let checkID: String
        let checkText: String
        /// The value of its box; `nil` when it cannot be accepted.
        let checkTick: String?
        let isTicked: Bool
        let isBlocking: Bool
        /// Where it is put right.
        let checkPath: String?
        let checkLink: String
    }

    let shell: ComposerShell
    let heading: String
    let summary: [SummaryLink]
    let hasSummary: Bool
    /// What will happen, in sentences.
    let what: [String]
    let checks: [Check]
    let hasChecks: Bool
    let audiencePath: String
    let contentPath: String
    let deliveryPath: String
    let audienceFacts: [FactView]
    let messages: [CampaignView.Message]
    let facts: [FactView]
    let meaning: MeaningView
    let reachRows: [FactView]
    let maySend: Bool
    let confirmPath: String
    let key: String
    let version: String
    let reach: String
    let typed: FieldView?
    let isForApproval: Bool
    let guardNotes: [String]
    let button: String
    let refusalText: String?

    /// Creates the page.
    init(_ model: ReviewModel, _ shell: ComposerShell, _ state: FormState, _ look: Look) {
        let (campaign, texts) = (model.draft.campaign, look.texts)
        let (paths, words) = (AppPath(app: campaign.app), CampaignText(look: look))
        let review = ReviewWords(model: model, look: look)
        self.shell = shell
        heading = shell.heading
        summary = state.summary
        hasSummary = !summary.isEmpty
        what = review.sentences
        checks = review.checks(state.values)
        hasChecks = !checks.isEmpty
        audiencePath = paths.edit(campaign.id, .audience)
        contentPath = paths.edit(campaign.id, .content)
        deliveryPath = paths.edit(campaign.id, .delivery)
        audienceFacts = [FactView(texts("campaign.fact.audience"), words.audience(campaign.audience))]
        messages = CampaignView.messages(campaign, texts)
        facts = words.facts(campaign)
        meaning = MeaningView(
            campaign,
            reach: (model.review.reach.devices, model.review.reach.zones),
            at: model.now,
            look
        )
        reachRows = review.reachRows
        maySend = model.maySend
        confirmPath = paths.campaign(campaign.id) + "/confirm"
        key = model.key
        version = String(campaign.version)
        reach = String(model.review.reach.devices)
        typed =
            model.step.needsTyping
            ? state.field(
                "typed",
                texts("review.typed", ["reach": look.numbers.full(model.review.reach.devices)]),
                hint: texts("review.typedHint")
            ) : nil
        isForApproval = model.step.needsApproval
        guardNotes = review.guardNotes
        button = review.button
        refusalText = model.refusal.map { texts("approval.refusedBecause", ["reason": $0.reason ?? ""]) }
    }
}
