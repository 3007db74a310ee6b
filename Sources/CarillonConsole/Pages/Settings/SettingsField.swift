/// A field of a form of settings, with its saved value.
struct SettingsField: Sendable {
    /// How it is shown and typed.
    enum Kind: Sendable {
        case text
        case number
        case area
        case choice([(value: String, text: String)])
        case check
    }

    /// Its name, which is also its id: its label is the text `setting.NAME`, its hint `setting.hint.NAME`, if there is one.
    let name: String
    let kind: Kind
    /// The saved value as the input has it; for ``Kind/check`` `on`, or nothing.
    let value: String

    init(_ name: String, _ kind: Kind = .text, _ value: String) {
        self.name = name
        self.kind = kind
        self.value = value
    }

    init(_ name: String, _ number: Int?) { self.init(name, .number, number.map(String.init) ?? "") }

    init(_ name: String, isOn: Bool) { self.init(name, .check, isOn ? "on" : "") }

    /// A choice among the words of a type, with texts `setting.NAME.WORD`.
    init<Word: RawRepresentable & CaseIterable>(
        _ name: String,
        _ word: Word,
        _ texts: Texts,
        among words: [Word] = Array(Word.allCases)
    ) where Word.RawValue == String {
        let options = words.map { ($0.rawValue, texts.word("setting." + name, $0.rawValue)) }
        self.init(name, .choice(options), word.rawValue)
    }

    /// Its label.
    func label(_ texts: Texts) -> String {
        guard let number = name.last?.wholeNumberValue else { return texts.word("setting", name) }
        // One of several alike.
        return texts.word("setting", String(name.dropLast())) + " \(number)"
    }

    /// The value as a person reads it; a long one is shortened.
    func words(_ value: String, _ texts: Texts) -> String {
        switch kind {
        case .text, .number, .area: value.isEmpty ? "–" : value
        case .choice(let options): options.first { $0.value == value }?.text ?? value
        case .check: texts(value.isEmpty ? "settings.off" : "settings.on")
        }
    }
}

/// Fields under a heading.
struct SettingsSection: Sendable {
    /// The key of its heading below `settings.section`; `nil` for none.
    var title: String?
    var fields: [SettingsField]

    init(_ title: String? = nil, _ fields: [SettingsField]) { (self.title, self.fields) = (title, fields) }
}

/// A checkbox.
struct CheckView: Hashable, Sendable {
    let name: String
    let label: String
    let checkHint: String?
    let isChecked: Bool
    /// The value that a form sends.
    var value = "on"
}

/// A field as its template shows it: exactly one of these is there.
struct SettingsFieldView: Sendable {
    let entry: FieldView?
    let choice: SelectView?
    let check: CheckView?
    let area: FieldView?

    init(_ field: SettingsField, _ state: FormState, _ texts: Texts) {
        let label = field.label(texts)
        let key = texts.word("setting.hint", field.name)
        let hint = key == field.name ? nil : key
        let isFilled = !state.values.isEmpty
        switch field.kind {
        case .text, .number:
            let isNumber = if case .number = field.kind { true } else { false }
            entry = state.field(
                field.name,
                label,
                hint: hint,
                standard: field.value,
                type: isNumber ? "number" : "text"
            )
            (choice, check, area) = (nil, nil, nil)
        case .area:
            area = state.field(field.name, label, hint: hint, standard: field.value)
            (entry, choice, check) = (nil, nil, nil)
        case .choice(let options):
            choice = state.select(field.name, label, options, standard: field.value, hint: hint)
            (entry, check, area) = (nil, nil, nil)
        case .check:
            let isChecked = isFilled ? state.values[field.name] != nil : !field.value.isEmpty
            check = CheckView(name: field.name, label: label, checkHint: hint, isChecked: isChecked)
            (entry, choice, area) = (nil, nil, nil)
        }
    }
}
