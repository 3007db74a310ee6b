import CarillonModel
import CarillonOperatorModel

/// The step Audience as its template shows it.
struct AudienceView: PageView {
    static let template = "composer-audience"

    /// A row of the rule.
    struct Row: Hashable, Sendable {
        let fieldSelect: SelectView
        let comparisonSelect: SelectView
        let valueField: FieldView
        let removeValue: String
        let removeLabel: String
    }

    /// A group of rows.
    struct Group: Hashable, Sendable {
        let groupName: String
        let joinSelect: SelectView
        let groupRows: [Row]
        let addValue: String
    }

    let heading: String
    let shell: ComposerShell
    let who: SelectView
    let saved: SelectView
    let outer: SelectView
    let hasGroups: Bool
    let groups: [Group]
    let exclusions: [Row]
    let ruleText: FieldView
    let list: FieldView
    let user: FieldView
    /// What became of a pasted list.
    let report: String?
    let estimate: EstimateView?
    let hasEstimate: Bool
    let exactPath: String

    init(
        shell: ComposerShell,
        _ state: FormState,
        saved audiences: [SavedAudience],
        _ estimate: EstimateView?,
        _ look: Look
    ) {
        let texts = look.texts
        (self.shell, heading) = (shell, shell.heading)
        let rows = RuleRows(state.values)
        who = state.select(
            "who",
            texts("target.who"),
            [("", texts("target.chooseOne"))]
                + AudienceForm.Who.allCases.map { ($0.rawValue, texts.word("target.who", $0.rawValue)) }
        )
        saved = state.select(
            "saved",
            texts("target.saved"),
            [("", texts("target.chooseOne"))] + audiences.map { ($0.id.description, $0.name) }
        )
        let joins = [("all", texts("target.all")), ("any", texts("target.any"))]
        outer = state.select("outer", texts("target.outer"), joins)
        hasGroups = rows.groups.count > 1
        groups = rows.groups.enumerated().map { number, group in
            Group(
                groupName: texts("target.group", ["number": String(number + 1)]),
                joinSelect: state.select("g\(number).join", texts("target.join"), joins),
                groupRows: group.rows.indices.map { Row("g\(number)", $0, state, texts) },
                addValue: "add-row:g\(number)"
            )
        }
        exclusions = rows.exclusions.indices.map { Row("x", $0, state, texts) }
        ruleText = state.field("text", texts("target.text"), hint: texts("target.textHint"))
        list = state.field("list", texts("target.list"), hint: texts("target.listHint"))
        user = state.field("user", texts("target.user"))
        report = Self.report(state.values["report"], look)
        self.estimate = estimate
        hasEstimate = estimate != nil
        exactPath = shell.formPath + "?count=exact"
    }

    /// The numbers of a list in words.
    private static func report(_ text: String?, _ look: Look) -> String? {
        let counts = (text ?? "").split(separator: ",").compactMap { Int($0) }
        guard counts.count == 5 else { return nil }
        let names = ["kept", "unknown", "duplicate", "malformed", "excess"]
        return look.texts(
            "target.report",
            Dictionary(uniqueKeysWithValues: zip(names, counts.map(look.numbers.full)))
        )
    }
}

extension AudienceView.Row {
    fileprivate init(_ group: String, _ number: Int, _ state: FormState, _ texts: Texts) {
        let name = "\(group).\(number)"
        let label = String(number + 1)
        fieldSelect = state.select(
            "\(name).field",
            texts("target.field", ["number": label]),
            RuleRow.Field.allCases.map { ($0.rawValue, texts.word("target.field", $0.rawValue)) },
            standard: RuleRow.Field.language.rawValue
        )
        comparisonSelect = state.select(
            "\(name).op",
            texts("target.op"),
            RuleRow.Comparison.allCases.map { ($0.rawValue, texts.word("target.op", $0.rawValue)) }
        )
        valueField = state.field("\(name).value", texts("target.value"))
        removeValue = "remove:\(name)"
        removeLabel = texts("target.remove", ["number": label])
    }
}
