import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page on which pausing or resuming is confirmed.
struct PauseView: PageView {
    static let template = "campaign-confirm"

    let heading: String
    /// What will happen, in sentences.
    let sentences: [String]
    /// The words of the button.
    let button: String
    let isDangerous: Bool
    let actionPath: String
    let backPath: String

    /// Creates the page.
    ///
    /// - Parameters:
    ///   - action: What is confirmed.
    ///   - app: The App.
    ///   - underWay: How many of its latest Campaigns are being sent.
    ///   - look: The words of the page.
    init(_ action: PausePages.Action, _ app: App, _ underWay: Int, _ look: Look) {
        let texts = look.texts
        heading = texts.word("pause.heading", action.rawValue)
        let what = texts("pause.what.\(action.rawValue)", ["app": app.name])
        sentences = [what, texts("pause.underWay", count: underWay), texts.word("pause.then", action.rawValue)]
        button = texts.word("pause.button", action.rawValue)
        isDangerous = action == .pause
        backPath = ConsolePath.app(app.id)
        actionPath = ConsolePath.app(app.id, action.page)
    }
}

/// The banner on each page of an App of which nothing is sent.
struct PausedBanner {
    let pausedText: String
    /// Where sending is resumed; `nil` for who may not.
    let resumePath: String?

    /// Creates the banner; `nil` unless sending is paused.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - maySend: Whether the Operator may resume it.
    ///   - look: The words of the page.
    ///   - engine: The services.
    init?(_ app: App?, maySend: Bool, _ look: Look, _ engine: Engine) async {
        guard let app, let since = app.sendingPausedAt else { return nil }
        var name = app.sendingPausedBy ?? ""
        if let id = OperatorID(name), let person = try? await engine.operators.record(id) { name = person.displayName }
        pausedText = look.texts(
            name.isEmpty ? "pause.banner" : "pause.bannerBy",
            ["app": app.name, "time": look.times.sentence(since).text, "name": name]
        )
        resumePath = maySend ? ConsolePath.app(app.id, PausePages.Action.resume.page) : nil
    }
}
