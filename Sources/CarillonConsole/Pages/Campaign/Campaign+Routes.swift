import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension CampaignPage {
    private static let base = "/apps/{app}/campaigns/{campaign}"

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page(base, .app(.viewer)) { visit in
            let model = try await read(
                try wanted(visit),
                of: try visit.app.id,
                occurrencesAfter: visit.query["occurrences"],
                zone: visit.times.zoneName,
                visit.engine
            )
            return .page(CampaignView(model, maySend: visit.may(.sender), visit.look))
        }
        routes.page(base + "/live", .app(.viewer)) { visit in try await stream(visit, of: try wanted(visit)) }
        declareFiles(&routes)
        for action in [CampaignActions.Action.resume, .cancel] {
            routes.page("\(base)/\(action.rawValue)", .app(.sender)) { visit in
                let (app, id) = (try visit.app, try wanted(visit))
                let model = try await confirmation(action, of: id, app, visit.engine)
                return .page(CampaignConfirmView(model, visit.look))
            }
        }
        for action in CampaignActions.Action.allCases {
            routes.action("\(base)/\(action.rawValue)", .app(.sender), on: page) { visit in
                try await perform(action, visit)
            }
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
        routes.page(base + "/report.csv", .app(.viewer)) { visit in
            let id = try wanted(visit)
            let funnel = try await visit.engine.campaigns.funnel(id, within: try visit.app.id)
            return .download(name: "\(id)-report.csv", type: CSVText.type, CSVText.body(report(funnel)))
        }
    }

    private static func wanted(_ visit: Visit) throws -> CampaignID {
        try visit.parameter("campaign") { CampaignID($0) }
    }

    /// The page that has the buttons.
    private static func page(_ visit: Visit) -> String {
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

    init(_ model: CampaignPage.Confirmation, _ look: Look) {
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
    }
}
