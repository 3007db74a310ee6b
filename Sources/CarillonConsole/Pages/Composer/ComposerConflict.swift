import CarillonModel
import CarillonOperatorModel

/// The page of a draft that two people changed: both versions side by side.
struct ComposerConflictView: PageView {
    static let template = "composer-conflict"

    /// A part of the Campaign in both versions.
    struct Row: Hashable, Sendable {
        let partName: String
        let yours: String
        let theirs: String
        let differs: Bool
    }

    /// A field of the form that was refused.
    struct Hidden: Hashable, Sendable {
        let hiddenName: String
        let hiddenValue: String
    }

    let heading: String
    let lead: String
    let rows: [Row]
    /// What was typed, to be sent again on top of the newer version.
    let hidden: [Hidden]
    let newerVersion: String
    let newerState: String
    /// Whether what was typed can still be saved.
    let keeps: Bool
    /// What saving does to a Campaign that is no draft any more; `nil` for a draft.
    let takesBackText: String?
    let formPath: String
    let campaignPath: String
    /// What the buttons do.
    let how: String

    /// - Parameters:
    ///   - current: The version that is stored.
    ///   - yours: The version that the form would have made; `nil` when its fields have problems.
    ///   - step: The form's step.
    ///   - form: The form.
    ///   - look: The words of the page.
    init(_ current: ComposerDraft, yours: Campaign?, _ step: ComposerStepName, _ form: FormFields, _ look: Look) {
        let words = CampaignText(look: look)
        heading = look.texts("composer.conflict.heading")
        let saved = look.times.exact(current.campaign.updatedAt ?? current.campaign.createdAt).text
        let (name, state) = (words.name(current.campaign), words.state(current.campaign).words)
        let isMoved = form[ComposerShell.stateField] != current.campaign.state.rawValue
        lead =
            isMoved
            ? look.texts("composer.conflict.moved", ["name": name, "state": state])
            : look.texts("composer.conflict.lead", ["name": name, "time": saved])
        keeps = current.isEditable
        takesBackText = current.isTakenBack ? look.texts("composer.takesBack", ["state": state]) : nil
        var rows = Self.rows(yours.map(words.parts) ?? [], words.parts(current.campaign))
        let own = [FormCheck.field, "version", ComposerShell.stateField, ComposerShell.takesBackField]
        if yours == nil {
            // Fields that cannot be read are shown as they were typed.
            let typed = form.all.filter { !own.contains($0.name) && $0.name != "do" && !$0.value.trimmed.isEmpty }
            rows = typed.map { Row(partName: $0.name, yours: $0.value, theirs: "–", differs: true) } + rows
        }
        self.rows = rows
        hidden = form.all.filter { !own.contains($0.name) }
            .map { Hidden(hiddenName: $0.name, hiddenValue: $0.value) }
        newerVersion = String(current.version)
        newerState = current.campaign.state.rawValue
        campaignPath = AppPath(app: current.app.id).campaign(current.id)
        formPath = AppPath(app: current.app.id).edit(current.id, step)
        how = look.texts("composer.conflict.how")
    }

    private static func rows(_ yours: [(name: String, text: String)], _ theirs: [(name: String, text: String)]) -> [Row]
    {
        var names = yours.map(\.name)
        names += theirs.map(\.name).filter { !names.contains($0) }
        return names.map { name in
            let own = yours.first { $0.name == name }?.text ?? "–"
            let other = theirs.first { $0.name == name }?.text ?? "–"
            return Row(partName: name, yours: own, theirs: other, differs: own != other)
        }
    }
}

extension CampaignText {
    /// All parts of a Campaign that the composer changes, each with its name.
    func parts(_ campaign: Campaign) -> [(name: String, text: String)] {
        let texts = look.texts
        var parts = [(name: texts("composer.name"), text: name(campaign))]
        for fact in facts(campaign) where fact.label != texts("campaign.fact.changed") {
            guard let text = fact.words ?? fact.code ?? fact.time?.text else { continue }
            parts.append((fact.label, text))
        }
        for (language, content) in campaign.message.content.sorted(by: { $0.key < $1.key }) {
            let label = language == "default" ? texts("campaign.message.default") : language
            let lines = [content.title, content.subtitle, content.body, content.link].compactMap(\.self)
            parts.append((texts("composer.conflict.message", ["language": label]), lines.joined(separator: "\n")))
        }
        return parts
    }
}
