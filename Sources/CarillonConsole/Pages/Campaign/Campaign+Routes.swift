import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension CampaignPage {
    static let base = "/apps/{app}/campaigns/{campaign}"

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page(base, .app(.viewer)) { visit in
            let model = try await read(
                try wanted(visit),
                of: try visit.app.id,
                occurrencesAfter: visit.query["occurrences"],
                zone: visit.times.zoneName,
                visit.engine
            )
            return .page(CampaignView(model, try await facts(model, visit), visit.look))
        }
        declareReading(&routes)
        declareMoves(&routes)
        let rendered = SharedRendering<CampaignProgress, String>()
        routes.page(base + "/live", .app(.viewer)) { visit in
            try await stream(visit, of: try wanted(visit), rendered)
        }
        declareFiles(&routes)
        for action in [CampaignActions.Action.resume, .cancel] {
            routes.page("\(base)/\(action.rawValue)", .app(.sender)) { visit in
                let (app, id) = (try visit.app, try wanted(visit))
                let model = try await confirmation(action, of: id, app, visit.engine)
                return .page(CampaignConfirmView(model, visit.look))
            }
        }
        routes.form("\(base)/cancel", .app(.sender)) { visit, state in
            let model = try await confirmation(.cancel, of: try wanted(visit), try visit.app, visit.engine)
            return CampaignConfirmView(model, visit.look, state)
        } submit: { visit in
            try await checkTyped(visit)
            return try await perform(.cancel, visit)
        }
        for action in [CampaignActions.Action.pause, .resume] {
            routes.action("\(base)/\(action.rawValue)", .app(.sender), on: page) { visit in
                try await perform(action, visit)
            }
        }
    }

    /// What an Operator may do with a Campaign.
    private static func facts(_ model: Model, _ visit: Visit) async throws -> CampaignMoves.Facts {
        let maySend = visit.may(.sender)
        let asks = maySend && model.campaign.state == .needsApproval
        let mayApprove = asks ? try await visit.engine.campaigns.mayApprove(model.campaign, visit.person.id) : false
        return CampaignMoves.Facts(
            now: visit.now,
            mayEdit: visit.may(.editor),
            maySend: maySend,
            mayApprove: mayApprove,
            reach: mayApprove ? try await visit.engine.campaigns.reach(of: model.campaign) : nil,
            accepted: model.funnel.accepted
        )
    }

    private static func declareReading(_ routes: inout ConsoleRoutes) {
        routes.page(base + "/report", .app(.viewer)) { visit in
            let app = try visit.app
            let model = try await read(
                try wanted(visit),
                of: app.id,
                occurrencesAfter: nil,
                zone: visit.times.zoneName,
                visit.engine
            )
            let view = CampaignView(model, try await facts(model, visit), visit.look)
            return .page(CampaignReportView(view, of: app, by: visit.person, at: visit.now, visit.look))
        }
        routes.page(base + "/recipients", .app(.viewer)) { visit in
            let query = RecipientSearch.Query(visit.query)
            let model = try await RecipientSearch.read(
                query,
                of: try wanted(visit),
                app: try visit.app.id,
                visit.engine
            )
            return .page(RecipientsView(model, visit.look))
        }
    }

    /// Checks the number that is typed before much is cancelled: that of the page, not of the moment, since it changes.
    private static func checkTyped(_ visit: Visit) async throws {
        let model = try await confirmation(.cancel, of: try wanted(visit), try visit.app, visit.engine)
        guard model.needsTyping else { return }
        guard let shown = visit.form.devices("left"), GuardStep.isTyped(visit.form["typed"], shown) else {
            visit.audit.note(object: try wanted(visit).description, change: "cancelling was refused")
            visit.audit.noteChanged()
            throw FormProblems("typed", visit.texts("review.wrong.typed"))
        }
    }

    private static func declareFiles(_ routes: inout ConsoleRoutes) {
        // Rows about single Devices leave the server, so that it is asked for again who is there.
        routes.page(base + "/export.csv", .app(.viewer), fresh: true) { visit in
            let (app, id) = (try visit.app.id, try wanted(visit))
            _ = try await visit.engine.campaigns.campaign(id, within: app)
            visit.audit.note(object: id.description)
            visit.audit.require()
            return .download(name: "\(id).csv", type: CSVText.type, export(visit.engine, id, of: app))
        }
        // Sums alone, which the page has too.
        routes.page(base + "/report.csv", .app(.viewer)) { visit in
            let id = try wanted(visit)
            visit.audit.note(object: id.description)
            visit.audit.require()
            let funnel = try await visit.engine.campaigns.funnel(id, within: try visit.app.id)
            return .download(name: "\(id)-report.csv", type: CSVText.type, CSVText.body(report(funnel)))
        }
    }

    static func wanted(_ visit: Visit) throws -> CampaignID {
        try visit.parameter("campaign") { CampaignID($0) }
    }

    /// The page that has the buttons.
    static func page(_ visit: Visit) -> String {
        guard let app = visit.pathApp?.id, let id = visit.parameters["campaign"].flatMap({ CampaignID($0) }) else {
            return ConsolePath.home
        }
        return AppPath(app: app).campaign(id)
    }

    /// Does what a form asks; the notice tells of the state afterwards.
    private static func perform(_ action: CampaignActions.Action, _ visit: Visit) async throws -> Outcome {
        let (app, id, campaigns) = (try visit.app.id, try wanted(visit), visit.engine.campaigns)
        // A refusal is recorded with the object as well.
        visit.audit.note(object: id.description)
        let before = try await campaigns.campaign(id, within: app)
        let after: Campaign
        switch action {
        case .pause: after = try await campaigns.pause(id, within: app)
        case .resume: after = try await campaigns.resume(id, within: app)
        case .cancel: after = try await campaigns.cancel(id, within: app)
        }
        visit.audit.note(object: id.description, change: "\(before.state.rawValue) → \(after.state.rawValue)")
        return .redirect(AppPath(app: app).campaign(id), Notice("campaign.done.\(action.rawValue)"))
    }
}

extension CampaignPage {
    /// What is confirmed.
    struct Confirmation: Sendable {
        var action: CampaignActions.Action
        var campaign: Campaign
        var app: App
        var funnel: Funnel
        /// The estimated number of notifications that are not sent yet.
        var left: Int

        /// Whether so many are left that their number has to be typed.
        var needsTyping: Bool { action == .cancel && left > app.sendGuards.confirmAbove }
    }

    /// Reads what the page of a confirmation says.
    fileprivate static func confirmation(
        _ action: CampaignActions.Action,
        of id: CampaignID,
        _ app: App,
        _ engine: Engine
    ) async throws -> Confirmation {
        let campaign = try await engine.campaigns.shown(id, within: app.id)
        guard action.isPossible(in: campaign.state) else {
            throw EngineError.conflict("The campaign is \(campaign.state.rawValue).")
        }
        let occurrences = try await engine.campaigns.occurrences(
            id,
            within: app.id,
            cursor: nil,
            limit: occurrenceCount
        )
        return Confirmation(
            action: action,
            campaign: campaign,
            app: app,
            funnel: try await engine.campaigns.funnel(id, within: app.id),
            left: occurrences.items.reduce(0) { $0 + $1.remaining }
        )
    }
}

/// The page on which an action is confirmed.
struct CampaignConfirmView: PageView {
    static let template = "campaign-confirm"

    let heading: String
    /// What will happen, in sentences.
    let sentences: [String]
    /// The words of the button.
    let button: String
    let isDangerous: Bool
    let actionPath: String
    let backPath: String
    /// The number of notifications that are not sent yet, to be typed; `nil` when a button is enough.
    let typed: FieldView?
    let leftNumber: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ model: CampaignPage.Confirmation, _ look: Look, _ state: FormState = .empty) {
        let (action, texts) = (model.action.rawValue, look.texts)
        let name = CampaignText(look: look).name(model.campaign)
        heading = texts.word("confirm.heading", action)
        let accepted = FunnelFigures(model.funnel).accepted
        sentences = [
            texts("confirm.\(action)", ["name": name, "app": model.app.name]),
            texts("confirm.accepted", count: accepted), texts("confirm.left", count: model.left),
        ]
        button = texts.word("confirm.button", action)
        isDangerous = model.action == .cancel
        backPath = AppPath(app: model.app.id).campaign(model.campaign.id)
        actionPath = "\(backPath)/\(action)"
        leftNumber = String(model.left)
        typed =
            model.needsTyping
            ? state.field(
                "typed",
                texts("moves.typedLeft", ["left": look.numbers.full(model.left)]),
                hint: texts("review.typedHint")
            ) : nil
        summary = state.summary
        hasSummary = !summary.isEmpty
    }
}
