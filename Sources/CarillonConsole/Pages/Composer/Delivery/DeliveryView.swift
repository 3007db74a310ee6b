import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The step Delivery as its template shows it.
struct DeliveryView: PageView {
    static let template = "composer-delivery"

    let shell: ComposerShell
    let heading: String
    let when: ChoicesView
    let date: FieldView
    let time: FieldView
    let zone: FieldView
    let zones: [String]
    let moreTimes: AreaView
    let passed: ChoicesView
    let repeats: SelectView
    let weekdays: ChoicesView
    let days: FieldView
    let times: FieldView
    let from: FieldView
    let until: FieldView
    let repeatLocal: ChoicesView
    let meaning: MeaningView
    let kind: ChoicesView
    let contact: FieldView
    let removeGuide: FieldView
    let position: SelectView
    let nightPolicy: SelectView
    let adPreview: AdPreviewView?
    let pace: ChoicesView
    let perMinute: FieldView
    let over: DurationView
    let groups: FieldView
    let every: DurationView
    let validFor: DurationView
    let retryFor: DurationView
    let statistics: SelectView
    let rules: [String]
    let transactional: ChoicesView
    let mayOverride: Bool
    let holdout: FieldView
    let variants: [VariantFieldsView]
    let hasManyVariants: Bool

    /// What the page is made of.
    struct Model: Sendable {
        var draft: Campaign
        var app: App
        var reach: (devices: Int, zones: [String: Int])
        var keys: [StatisticsKey]
        var now: Timestamp
        var maySend: Bool
    }

    /// Creates the page.
    ///
    /// - Parameters:
    ///   - model: What was read; its draft has what was typed.
    ///   - shell: The frame of all steps.
    ///   - state: What is in the fields.
    ///   - look: The words of the page.
    init(_ model: Model, _ shell: ComposerShell, _ state: FormState, _ look: Look) {
        let form = DeliveryFormView(state, look.texts)
        self.shell = shell
        heading = shell.heading
        when = form.choices("when", DeliveryForm.When.allCases.map(\.rawValue), standard: "now")
        date = form.field("date", type: "date")
        time = form.field("time", type: "time")
        zone = form.field("zone", hint: true)
        zones = Array(Set(model.reach.zones.keys.filter { !$0.isEmpty } + DeliveryFormView.commonZones)).sorted()
        moreTimes = form.area("moreTimes")
        passed = form.choices("passed", Schedule.PassedTime.allCases.map(\.rawValue))
        repeats = form.select("repeat", ["daily", "weekly", "monthly"])
        weekdays = form.choices("weekday", Weekday.allCases.map(\.rawValue), words: "weekday", isMultiple: true)
        days = form.field("days", hint: true)
        times = form.field("times", hint: true)
        from = form.field("from", type: "date")
        until = form.field("until", type: "date")
        repeatLocal = form.box("repeatLocal")
        meaning = MeaningView(model.draft, reach: model.reach, at: model.now, look)
        kind = form.choices("kind", DeliveryForm.Kind.allCases.map(\.rawValue))
        contact = form.field("contact", hint: true, type: "tel")
        removeGuide = form.field("removeGuide", hint: true)
        position = form.select("position", ["", "title", "body"])
        nightPolicy = form.select("nightPolicy", DelayPolicy.allCases.map(\.rawValue))
        adPreview = AdPreviewView(model.draft, standard: model.app.adWordPosition)
        pace = form.choices("pace", ["none", "perMinute", "over", "groups"], standard: "none")
        perMinute = form.field("perMinute", type: "number")
        over = form.duration("over")
        groups = form.field("groups", type: "number")
        every = form.duration("every")
        validFor = form.duration("validFor", hint: true)
        retryFor = form.duration("retryFor", hint: true)
        statistics = form.list("statisticsID", model.keys.map { (value: $0.id.description, text: $0.name) })
        rules = SendingRulesText(look: look).words(model.app.sendingRules)
        transactional = form.box("isTransactional")
        mayOverride = model.maySend
        holdout = form.field("holdout", hint: true, type: "number")
        variants = VariantFieldsView.all(model.draft, form)
        hasManyVariants = (model.draft.variants ?? []).count > DeliveryForm.variantCount
    }
}

/// The Korean text of an ad, as its wording changes it.
struct AdPreviewView: Hashable, Sendable {
    let adTitle: String?
    let adBody: String?

    /// Creates it; `nil` without wording or text.
    init?(_ draft: Campaign, standard: AdWording.Position) {
        guard draft.isAd, let wording = draft.adWording, let key = draft.message.language(for: "ko"),
            let content = draft.message.localized(key)
        else { return nil }
        let worded = wording.applied(to: content, standard: standard)
        (adTitle, adBody) = (worded.title, worded.body)
    }
}

/// The fields of a variant.
struct VariantFieldsView: Hashable, Sendable {
    /// Its texts in a language.
    struct Text: Hashable, Sendable {
        let textLanguage: String
        let variantTitle: FieldView
        let variantBody: AreaView
    }

    let variantHeading: String
    let variantName: FieldView
    let variantShare: FieldView
    let variantTexts: [Text]

    static func all(_ draft: Campaign, _ form: DeliveryFormView) -> [VariantFieldsView] {
        (1...DeliveryForm.variantCount).map { number in
            VariantFieldsView(
                variantHeading: form.texts("delivery.variant", ["letter": ["A", "B", "C", "D"][number - 1]]),
                variantName: form.field("variantName\(number)", label: "variantName"),
                variantShare: form.field("variantShare\(number)", label: "variantShare", type: "number"),
                variantTexts: draft.message.content.sorted { $0.key < $1.key }.map { language, own in
                    Text(
                        textLanguage: language,
                        variantTitle: form.field(
                            "variantTitle\(number).\(language)",
                            label: "variantTitle",
                            of: language,
                            standard: own.title ?? ""
                        ),
                        variantBody: form.area(
                            "variantBody\(number).\(language)",
                            label: "variantBody",
                            of: language,
                            standard: own.body ?? ""
                        )
                    )
                }
            )
        }
    }
}
