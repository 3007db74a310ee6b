import CarillonModel
import CarillonOperatorModel

/// What a page of the composer has around its own part: the stepper, the name, and the buttons.
struct ComposerShell: Hashable, Sendable {
    /// A step of the stepper.
    struct Step: Hashable, Sendable {
        let stepWords: String
        let stepPath: String
        let stepState: String
        let stepColour: String
        let isCurrent: Bool
    }

    let heading: String
    let steps: [Step]
    /// Where the form is sent.
    let formPath: String
    let version: String
    /// The state that the form is of: a confirmation is no new version.
    let state: String
    /// What saving does to a Campaign that is no draft any more; `nil` for a draft.
    let takesBackText: String?
    let takesBackProblem: String?
    let nameField: FieldView
    let summary: [SummaryLink]
    let hasSummary: Bool
    /// Whether there is a step after this one.
    let hasNext: Bool
    let deletePath: String
    let campaignPath: String
    /// Whether the form has files.
    var takesFiles = false

    /// Creates what is around a step.
    init(
        _ draft: ComposerDraft,
        _ current: ComposerStepName,
        _ standings: [(ComposerStepName, ComposerStanding)],
        _ state: FormState,
        _ look: Look
    ) {
        let (paths, texts) = (AppPath(app: draft.app.id), look.texts)
        heading = CampaignText(look: look).name(draft.campaign)
        steps = standings.map { name, standing in
            Step(
                stepWords: texts.word("composer.step", name.rawValue),
                stepPath: paths.edit(draft.id, name),
                stepState: Self.words(standing, texts),
                stepColour: Self.colour(standing),
                isCurrent: name == current
            )
        }
        formPath = paths.edit(draft.id, current)
        // A form that comes again is of the version that it was made from.
        version = state.values["version"] ?? String(draft.version)
        self.state = state.values[Self.stateField] ?? draft.campaign.state.rawValue
        takesBackText =
            draft.isTakenBack
            ? texts("composer.takesBack", ["state": CampaignText(look: look).state(draft.campaign).words]) : nil
        takesBackProblem = state.problems.first { $0.field == Self.takesBackField }?.text
        nameField = state.field(
            "name",
            texts("composer.name"),
            hint: texts("composer.nameHint"),
            standard: draft.campaign.name ?? ""
        )
        summary = state.summary
        hasSummary = !summary.isEmpty
        hasNext = current.next != nil
        deletePath = paths.campaign(draft.id) + "/edit/delete"
        campaignPath = paths.campaign(draft.id)
    }

    /// The hidden field of the state.
    static let stateField = "state"
    /// The box that takes a Campaign back to draft.
    static let takesBackField = "takesBack"

    private static func words(_ standing: ComposerStanding, _ texts: Texts) -> String {
        switch standing {
        case .toDo: texts("composer.toDo")
        case .done: texts("composer.done")
        case .problems(let count): texts("composer.problems", count: count)
        }
    }

    private static func colour(_ standing: ComposerStanding) -> String {
        switch standing {
        case .toDo: "muted"
        case .done: "good"
        case .problems: "bad"
        }
    }
}

extension AppPath {
    /// A step of the composer.
    func edit(_ id: CampaignID, _ step: ComposerStepName) -> String { "\(campaign(id))/edit/\(step.rawValue)" }
}
