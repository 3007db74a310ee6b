import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page on which somebody types what is to be erased.
struct TypedConfirmView: PageView {
    static let template = "typed-confirm"

    /// What is confirmed; its texts are `typed.<name>.…`.
    enum Action: String, Hashable, Sendable, CaseIterable {
        case forgetDevice, eraseUser, deleteContentSet
    }

    let heading: String
    /// What will happen, in sentences.
    let sentences: [String]
    let wanted: String
    let typed: FieldView
    let button: String
    let actionPath: String
    let backPath: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    /// Creates the page.
    ///
    /// - Parameters:
    ///   - action: What is confirmed.
    ///   - parameters: The names in its sentences.
    ///   - wanted: What has to be typed.
    ///   - path: Where the form goes.
    ///   - back: Where it leads when nothing is done.
    ///   - state: What was typed.
    ///   - look: The words of the page.
    init(
        _ action: Action,
        _ parameters: [String: String],
        wanted: String,
        at path: String,
        back: String,
        _ state: FormState,
        _ look: Look
    ) {
        let (name, texts) = (action.rawValue, look.texts)
        heading = texts.word("typed", name + ".heading")
        sentences = ["does", "stays"].map { texts("typed.\(name).\($0)", parameters) }
        self.wanted = wanted
        typed = state.field("typed", texts("typed.\(name).label"), hint: texts("typed.hint"))
        button = texts.word("typed", name + ".button")
        (actionPath, backPath) = (path, back)
        summary = state.summary
        hasSummary = !summary.isEmpty
    }
}

/// A whole device token, which an admin asked for.
struct TokenView: PageView {
    static let template = "token"

    let heading: String
    let wholeToken: String
    let facts: [FactView]
    let backPath: String

    init(_ token: RegisteredToken, of app: AppID, _ look: Look) {
        heading = look.texts("token.heading")
        wholeToken = token.token.hexadecimal
        facts = [
            FactView(look.texts("device.heading"), code: token.device.description),
            FactView(look.texts("device.pushType"), code: token.pushType.rawValue),
            FactView(look.texts("devices.registered"), look.times.table(token.registeredAt)),
        ].compactMap(\.self)
        backPath = AppPath(app: app).device(token.device)
    }
}

/// The page on which it is confirmed that a token is not used any more.
struct DropTokenView: PageView {
    static let template = "drop-token"

    let heading: String
    let sentences: [String]
    let tokenType: String
    let actionPath: String
    let backPath: String

    init(_ token: RegisteredToken, of app: App, _ look: Look) {
        heading = look.texts("token.drop")
        let parameters = ["token": DeviceText.masked(token.token), "app": app.name]
        sentences = [look.texts("token.dropDoes", parameters), look.texts("token.dropStays")]
        tokenType = token.pushType.rawValue
        backPath = AppPath(app: app.id).device(token.device)
        actionPath = backPath + "/drop-token"
    }
}
