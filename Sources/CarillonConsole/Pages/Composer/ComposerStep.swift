import CarillonOperatorModel

/// A step of the composer; the word is the last part of its path.
enum ComposerStepName: String, Hashable, Sendable, CaseIterable {
    case audience
    case content
    case delivery
    case review

    /// The step after this one; `nil` after the last.
    var next: ComposerStepName? {
        switch self {
        case .audience: .content
        case .content: .delivery
        case .delivery: .review
        case .review: nil
        }
    }
}

/// How far a step is.
enum ComposerStanding: Hashable, Sendable {
    case toDo
    case done
    case problems(Int)
}

/// What a step's form leads to.
enum ComposerEdit: Sendable {
    /// The composer saves the change with the version that the form has.
    case save(CampaignUpdate)
    /// Nothing is saved: the page comes again with these values, such as one row more.
    case again(FormFields)
    /// Something else.
    case outcome(Outcome)
}

/// A step of the composer: its page, and what its form says.
protocol ComposerStep: Sendable {
    static var name: ComposerStepName { get }
    /// Maximum size of the form in bytes.
    static var bodyLimit: Int { get }

    /// How far it is, for the stepper: every page of the composer asks all steps, so that nothing is counted here.
    static func standing(of draft: ComposerDraft, _ visit: Visit) async throws -> ComposerStanding

    /// Its page.
    ///
    /// - Parameters:
    ///   - draft: The draft.
    ///   - shell: What the page has around its own part.
    ///   - state: What was typed and what is wrong with it; empty values for those of the draft.
    ///   - visit: The request.
    /// - Returns: The view.
    /// - Throws: What reading throws.
    static func show(
        _ draft: ComposerDraft,
        _ shell: ComposerShell,
        _ state: FormState,
        _ visit: Visit
    ) async throws -> any PageView

    /// Reads its form, a function of form and draft alone.
    ///
    /// - Throws: ``FormProblems``.
    static func read(_ draft: ComposerDraft, _ visit: Visit) async throws -> ComposerEdit
}

extension ComposerStep {
    static var bodyLimit: Int { 64 * 1_024 }
}
