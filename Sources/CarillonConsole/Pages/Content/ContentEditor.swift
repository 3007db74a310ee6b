import CarillonModel
import CarillonOperatorModel

/// A box of a form.
struct BoxView: Hashable, Sendable {
    let boxName: String
    let boxLabel: String
    let isOn: Bool
}

/// The fields of a message: those of the composer, and of a template.
struct ContentEditor: Hashable, Sendable {
    /// A button of a notification.
    struct Row: Hashable, Sendable {
        let rowWords: String
        let rowFields: [FieldView]
        let rowKind: SelectView
    }

    /// One language.
    struct Block: Hashable, Sendable {
        let tag: String
        /// The language of what is typed; `nil` for the default, which may be any.
        let inputLanguage: String?
        let blockName: String
        let chainText: String
        let isRemovable: Bool
        let removeValue: String
        let titleField: FieldView
        let subtitleField: FieldView
        let bodyField: FieldView
        let linkField: FieldView
        let imageField: FieldView
        let mediaKind: SelectView
        let mediaSource: FieldView
        let isMediaOpen: Bool
        let rows: [Row]
        let isButtonsOpen: Bool
        let localizations: [FieldView]
        let localizationAreas: [FieldView]
        let isLocalizationOpen: Bool
    }

    let tabs: [TabView]
    let isJSON: Bool
    let jsonField: FieldView
    let blocks: [Block]
    let addField: FieldView
    let moreFields: [FieldView]
    let moreSelects: [SelectView]
    let dataField: FieldView
    let boxes: [BoxView]
    let isMoreOpen: Bool
    let previewPath: String
    let previews: [ContentPreview.Item]
    let hasPreviews: Bool
}

extension ContentEditor {
    /// Makes the fields.
    ///
    /// - Parameters:
    ///   - form: What is typed, or the fields of the message.
    ///   - state: The same, with what is wrong with it.
    ///   - preview: The drawings.
    ///   - path: The page's path.
    ///   - previewPath: Where a form is sent for new drawings.
    ///   - look: The words.
    init(
        _ form: ContentForm,
        _ state: FormState,
        preview: ContentPreview,
        path: String,
        previewPath: String,
        _ look: Look
    ) {
        let texts = look.texts
        let shown = FormState(values: form.fields, problems: state.problems)
        let showsJSON = form.fields["tab"] == "json"
        isJSON = showsJSON
        tabs = [false, true].map { tab in
            TabView(
                words: texts(tab ? "content.tab.json" : "content.tab.fields"),
                path: tab ? path + "?tab=json" : path,
                isCurrent: tab == showsJSON
            )
        }
        jsonField = shown.field("json", texts("content.json"), hint: texts("content.jsonHint"))
        blocks = form.languages.map { Block($0, form, shown, look) }
        addField = FieldView(
            name: "addLanguage",
            label: texts("content.addLanguage"),
            hint: texts("content.addLanguageHint"),
            problem: state.problems.first { $0.field == "addLanguage" }?.text,
            value: "",
            type: "text",
            autocomplete: "off"
        )
        func field(_ name: String) -> FieldView {
            shown.field("message.\(name)", texts.word("content.field", name), hint: texts.word("content.hint", name))
        }
        let moreNames = ["sound", "badge", "thread", "collapseID", "category", "expiresIn"]
        moreFields = moreNames.map(field)
        moreSelects = [
            Self.select("priority", Message.Priority.allCases.map(\.rawValue), shown, texts),
            Self.select("interruptionLevel", Message.InterruptionLevel.allCases.map(\.rawValue), shown, texts),
        ]
        dataField = field("data")
        boxes = ContentForm.flags.map { name, standard in
            BoxView(
                boxName: "message.\(name)",
                boxLabel: texts.word("content.field", name),
                isOn: form.flag(name, standard: standard)
            )
        }
        isMoreOpen =
            (moreNames + ["priority", "interruptionLevel", "data"]).contains { form.text($0) != nil }
            || ContentForm.flags.contains { form.flag($0.0, standard: $0.1) != $0.1 }
            || state.problems.contains { $0.field.map { !$0.hasPrefix("message.content") } ?? false }
        self.previewPath = previewPath
        previews = preview.previews
        hasPreviews = preview.hasPreviews
    }

    private static func select(
        _ name: String,
        _ values: [String],
        _ state: FormState,
        _ texts: Texts
    ) -> SelectView {
        state.select(
            "message.\(name)",
            texts.word("content.field", name),
            [("", texts("content.standard"))] + values.map { ($0, texts.word("content.\(name)", $0)) }
        )
    }
}

extension ContentEditor.Block {
    fileprivate init(_ tag: String, _ form: ContentForm, _ state: FormState, _ look: Look) {
        let texts = look.texts
        let path = "message.content.\(tag)"
        func field(_ name: String, hint: String? = nil) -> FieldView {
            let word = name.split(separator: ".").last.map(String.init) ?? name
            return state.field("\(path).\(name)", texts.word("content.field", word), hint: hint)
        }
        func has(_ prefix: String) -> Bool {
            form.fields.all.contains { $0.name.hasPrefix(prefix) && !$0.value.isEmpty && !$0.name.hasSuffix(".kind") }
                || state.problems.contains { $0.field?.hasPrefix(prefix) ?? false }
        }
        let isDefault = tag == Message.defaultLanguage
        self.tag = tag
        inputLanguage = isDefault ? nil : tag
        blockName = LanguageName.words(tag, look)
        chainText =
            isDefault
            ? texts("content.chain.default") : texts("content.chain", ["chain": LanguageName.chain(of: tag)])
        isRemovable = !isDefault
        removeValue = "remove-language:\(tag)"
        titleField = field("title")
        subtitleField = field("subtitle")
        bodyField = field("body", hint: isDefault ? texts("content.hint.variables") : nil)
        linkField = field("link", hint: isDefault ? texts("content.hint.link") : nil)
        imageField = field("image", hint: isDefault ? texts("content.hint.image") : nil)
        mediaKind = state.select(
            "\(path).media.kind",
            texts("content.media"),
            Media.Kind.allCases.map { ($0.rawValue, texts.word("content.media", $0.rawValue)) },
            standard: Media.Kind.video.rawValue
        )
        mediaSource = field("media.source", hint: texts("content.hint.media"))
        isMediaOpen = has(path + ".media")
        rows = (0..<ContentForm.buttonCount).map { ContentEditor.Row($0, path, state, texts) }
        isButtonsOpen = has(path + ".buttons")
        let lines = ["title", "subtitle", "body"]
        localizations =
            lines.map {
                state.field(
                    "\(path).localization.\($0).key",
                    texts("content.key", ["field": texts.word("content.field", $0)])
                )
            } + [
                state.field("\(path).localization.action", texts("content.field.action")),
                field("launchImage"),
            ]
        localizationAreas = lines.map {
            state.field(
                "\(path).localization.\($0).arguments",
                texts("content.arguments", ["field": texts.word("content.field", $0)])
            )
        }
        isLocalizationOpen = has(path + ".localization") || has(path + ".launchImage")
    }
}

extension ContentEditor.Row {
    fileprivate init(_ place: Int, _ content: String, _ state: FormState, _ texts: Texts) {
        let path = "\(content).buttons.\(place)"
        rowWords = texts("content.button", ["number": String(place + 1)])
        rowFields = ["title", "link", "hint", "submit", "id"].map {
            state.field("\(path).\($0)", texts.word("content.buttonField", $0))
        }
        rowKind = state.select(
            "\(path).kind",
            texts("content.buttonField.kind"),
            Button.Kind.allCases.map { ($0.rawValue, texts.word("content.buttonKind", $0.rawValue)) }
        )
    }
}
