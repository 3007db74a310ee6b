import CarillonModel

/// A problem of a form: what to do about a field.
struct FieldProblem: Hashable, Sendable {
    /// The field's name; `nil` for the whole form.
    let field: String?
    /// In the page's language.
    let text: String

    init(_ field: String?, _ text: String) { (self.field, self.text) = (field, text) }
}

/// Why a form cannot do what it says: it is shown again with what was typed.
struct FormProblems: Error, Hashable, Sendable {
    let all: [FieldProblem]

    init(_ all: [FieldProblem]) { self.all = all }

    init(_ field: String?, _ text: String) { all = [FieldProblem(field, text)] }
}

/// What a form has in its fields, and what is wrong with it.
struct FormState: Sendable {
    let values: FormFields
    let problems: [FieldProblem]

    /// A form that nobody has filled in.
    static let empty = FormState(values: FormFields(), problems: [])

    init(values: FormFields, problems: [FieldProblem] = []) { (self.values, self.problems) = (values, problems) }

    /// A field for the template `field`.
    ///
    /// - Parameters:
    ///   - name: Its name, which is also its id.
    ///   - label: What is to be typed.
    ///   - hint: What helps.
    ///   - standard: The value of a form that nobody has filled in.
    ///   - type: The type of the input.
    ///   - autocomplete: What a browser or a password manager may fill in.
    /// - Returns: The field, with its problem.
    func field(
        _ name: String,
        _ label: String,
        hint: String? = nil,
        standard: String = "",
        type: String = "text",
        autocomplete: String = "off"
    ) -> FieldView {
        FieldView(
            name: name,
            label: label,
            hint: hint,
            problem: problems.first { $0.field == name }?.text,
            // A password is typed again.
            value: type == "password" ? "" : values[name] ?? standard,
            type: type,
            autocomplete: autocomplete
        )
    }

    /// A choice for the template `select`.
    ///
    /// - Parameters:
    ///   - name: Its name, which is also its id.
    ///   - label: What is to be chosen.
    ///   - options: What can be chosen: value and text.
    ///   - standard: The value of a form that nobody has filled in.
    ///   - hint: What helps.
    /// - Returns: The choice.
    func select(
        _ name: String,
        _ label: String,
        _ options: [(value: String, text: String)],
        standard: String = "",
        hint: String? = nil
    ) -> SelectView {
        let value = values[name] ?? standard
        return SelectView(
            name: name,
            label: label,
            hint: hint,
            hasHint: hint != nil,
            problem: problems.first { $0.field == name }?.text,
            options: options.map { SelectView.Option(value: $0.value, text: $0.text, isChosen: $0.value == value) }
        )
    }

    /// The summary for the template `problems`.
    var summary: [SummaryLink] {
        problems.map { SummaryLink(target: $0.field.map { "#" + $0 }, message: $0.text) }
    }
}

/// A field of a form.
struct FieldView: Hashable, Sendable {
    let name: String
    let label: String
    let hint: String?
    let problem: String?
    let value: String
    let type: String
    let autocomplete: String
    let isDescribed: Bool
    let hasProblem: Bool

    init(
        name: String,
        label: String,
        hint: String?,
        problem: String?,
        value: String,
        type: String,
        autocomplete: String
    ) {
        self.name = name
        self.label = label
        self.hint = hint
        self.problem = problem
        self.value = value
        self.type = type
        self.autocomplete = autocomplete
        hasProblem = problem != nil
        isDescribed = hint != nil || problem != nil
    }
}

/// A link of the summary of problems to its field.
struct SummaryLink: Hashable, Sendable {
    let target: String?
    let message: String
}

/// A choice of a form.
struct SelectView: Hashable, Sendable {
    struct Option: Hashable, Sendable {
        let value: String
        let text: String
        let isChosen: Bool
    }

    let name: String
    let label: String
    let hint: String?
    let hasHint: Bool
    let problem: String?
    let hasProblem: Bool
    let isDescribed: Bool
    let options: [Option]

    init(name: String, label: String, hint: String?, hasHint: Bool, problem: String?, options: [Option]) {
        self.name = name
        self.label = label
        self.hint = hint
        self.hasHint = hasHint
        self.problem = problem
        hasProblem = problem != nil
        isDescribed = hasHint || hasProblem
        self.options = options
    }
}
