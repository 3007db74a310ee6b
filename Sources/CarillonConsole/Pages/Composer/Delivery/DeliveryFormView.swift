import CarillonOperatorModel

/// Makes the fields of the step Delivery: their labels are texts under `delivery.field`.
struct DeliveryFormView: Sendable {
    /// Zones that are offered while one is typed.
    static let commonZones = [
        "America/Chicago", "America/Los_Angeles", "America/New_York", "America/Sao_Paulo", "Asia/Hong_Kong",
        "Asia/Kolkata", "Asia/Seoul", "Asia/Shanghai", "Asia/Singapore", "Asia/Taipei", "Asia/Tokyo",
        "Australia/Sydney",
        "Europe/Berlin", "Europe/London", "Europe/Paris", "UTC",
    ]

    let state: FormState
    let texts: Texts

    init(_ state: FormState, _ texts: Texts) { (self.state, self.texts) = (state, texts) }

    private func label(_ name: String, of language: String? = nil) -> String {
        let label = texts("delivery.field." + name)
        return language.map { "\(label) (\($0))" } ?? label
    }

    func field(
        _ name: String,
        label key: String? = nil,
        of language: String? = nil,
        hint: Bool = false,
        standard: String = "",
        type: String = "text"
    ) -> FieldView {
        state.field(
            name,
            label(key ?? name, of: language),
            hint: hint ? texts("delivery.hint." + name) : nil,
            standard: standard,
            type: type
        )
    }

    func area(_ name: String, label key: String? = nil, of language: String? = nil, standard: String = "") -> AreaView {
        AreaView(
            areaName: name,
            areaLabel: label(key ?? name, of: language),
            areaHint: key == nil ? texts("delivery.hint." + name) : nil,
            areaProblem: problem(name),
            areaValue: state.values[name] ?? standard
        )
    }

    func select(_ name: String, _ values: [String]) -> SelectView {
        let options = values.map { (value: $0, text: texts("delivery.\(name).\($0.isEmpty ? "none" : $0)")) }
        return state.select(name, label(name), options, standard: values.first ?? "")
    }

    /// A choice of things that have names of their own, or none of them.
    func list(_ name: String, _ options: [(value: String, text: String)]) -> SelectView {
        let chosen = state.values.text(name)
        var all = [(value: "", text: texts("delivery.\(name).none"))] + options
        if !all.contains(where: { $0.value == chosen }) { all.append((value: chosen, text: chosen)) }
        return state.select(name, label(name), all)
    }

    func choices(
        _ name: String,
        _ values: [String],
        words: String? = nil,
        standard: String? = nil,
        isMultiple: Bool = false
    ) -> ChoicesView {
        let given = state.values.values(name)
        let chosen = Set(given.isEmpty ? [standard].compactMap(\.self) : given)
        let field = "\(name)-\(values.first ?? "")"
        return ChoicesView(
            legend: label(name),
            choicesID: name,
            choicesProblem: problem(field) ?? problem(name),
            choices: values.map { value in
                ChoicesView.Choice(
                    choiceID: "\(name)-\(value)",
                    choiceName: name,
                    choiceValue: value,
                    choiceText: texts.word(words ?? "delivery." + name, value),
                    choiceType: isMultiple ? "checkbox" : "radio",
                    isChosen: chosen.contains(value)
                )
            }
        )
    }

    /// A single box.
    func box(_ name: String) -> ChoicesView {
        ChoicesView(
            legend: label(name),
            choicesID: name + "-set",
            choicesProblem: problem(name),
            choices: [
                ChoicesView.Choice(
                    choiceID: name,
                    choiceName: name,
                    choiceValue: "yes",
                    choiceText: texts("delivery.\(name).yes"),
                    choiceType: "checkbox",
                    isChosen: state.values[name] != nil
                )
            ]
        )
    }

    func duration(_ name: String, hint: Bool = false) -> DurationView {
        let unit = name + "Unit"
        return DurationView(
            amount: field(name, hint: hint, type: "number"),
            unit: state.select(
                unit,
                texts("delivery.unit", ["of": label(name)]),
                DurationUnit.allCases.map { (value: $0.rawValue, text: texts("delivery.unit." + $0.rawValue)) },
                standard: DurationUnit.minutes.rawValue
            )
        )
    }

    private func problem(_ name: String) -> String? { state.problems.first { $0.field == name }?.text }
}

/// A group of radio buttons or boxes.
struct ChoicesView: Hashable, Sendable {
    struct Choice: Hashable, Sendable {
        let choiceID: String
        let choiceName: String
        let choiceValue: String
        let choiceText: String
        let choiceType: String
        let isChosen: Bool
    }

    let legend: String
    let choicesID: String
    let choicesProblem: String?
    let choices: [Choice]
}

/// A field of several lines.
struct AreaView: Hashable, Sendable {
    let areaName: String
    let areaLabel: String
    let areaHint: String?
    let areaProblem: String?
    let areaValue: String
}

/// A number with a unit of time.
struct DurationView: Hashable, Sendable {
    let amount: FieldView
    let unit: SelectView
}

/// The App's rules for sending, in sentences.
struct SendingRulesText {
    let look: Look

    func words(_ rules: SendingRules) -> [String] {
        var words: [String] = []
        if let hours = rules.quietHours {
            words.append(
                look.texts(
                    "delivery.rule.quiet." + hours.policy.rawValue,
                    ["from": hours.from.description, "until": hours.until.description]
                )
            )
        }
        words += rules.frequencyCaps.map { cap in
            look.texts(
                cap.adsOnly ? "delivery.rule.capAds" : "delivery.rule.cap",
                count: cap.limit,
                ["time": look.times.duration(seconds: cap.period)]
            )
        }
        if let minutes = rules.duplicateGuard {
            words.append(look.texts("delivery.rule.duplicate", count: minutes))
        }
        if let percent = rules.controlGroup {
            words.append(look.texts("delivery.rule.control", ["percent": String(percent)]))
        }
        return words.isEmpty ? [look.texts("delivery.rule.none")] : words
    }
}
