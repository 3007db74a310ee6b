import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The routes of what may be done to a Campaign beside pausing, resuming and cancelling.
extension CampaignPage {
    static func declareMoves(_ routes: inout ConsoleRoutes) {
        declareHolding(&routes)
        declareApproving(&routes)
        declareDrafts(&routes)
        move("pace", .sender, &routes) { visit, campaign in
            let text = visit.form.text("perMinute").trimmed
            var update = CampaignUpdate()
            if text.isEmpty {
                update.pace = .some(nil)
            } else {
                guard let number = Int(text), (1...10_000_000).contains(number) else {
                    return (campaign, "moves.wrong.pace")
                }
                update.pace = .some(.perMinute(number))
            }
            let after = try await visit.engine.campaigns.change(
                campaign.id,
                within: campaign.app,
                update,
                by: CampaignCaller(.operator(visit.person.id))
            )
            return (after, "moves.done.pace")
        }
    }

    // MARK: - Private

    private static func declareHolding(_ routes: inout ConsoleRoutes) {
        move("undo", .sender, &routes) { visit, campaign in
            let author = CampaignAuthor.operator(visit.person.id)
            let after = try await visit.engine.campaigns.undo(campaign.id, within: campaign.app, by: author)
            return (after, "moves.done.undo")
        }
        move("send-now", .sender, &routes) { visit, campaign in
            let caller = CampaignCaller(.operator(visit.person.id))
            let after = try await visit.engine.campaigns.sendNow(campaign.id, within: campaign.app, by: caller)
            return (after, "moves.done.sendNow")
        }
    }

    private static func declareApproving(_ routes: inout ConsoleRoutes) {
        // A large send: who approves it is asked again who is there.
        move("approve", .sender, fresh: true, &routes) { visit, campaign in
            visit.audit.noteChanged()
            let result = try await visit.engine.campaigns.approve(
                campaign.id,
                within: campaign.app,
                version: Int(visit.form.text("version")) ?? 0,
                reach: visit.form.devices("accept"),
                by: visit.person.id
            )
            switch result {
            case .held(let after): return (after, "approval.done.held")
            case .sent(let after): return (after, "approval.done.sent")
            case .recount:
                visit.audit.noteRefused()
                return (campaign, "approval.recount")
            }
        }
        move("withdraw", .editor, &routes) { visit, campaign in
            let author = CampaignAuthor.operator(visit.person.id)
            let after = try await visit.engine.campaigns.withdraw(campaign.id, within: campaign.app, by: author)
            return (after, "approval.done.withdrawn")
        }
        routes.page(base + "/refuse", .app(.sender)) { visit in .page(try await refusal(visit, .empty)) }
        routes.form(base + "/refuse", .app(.sender)) { visit, state in
            try await refusal(visit, state)
        } submit: { visit in
            try await refuse(visit)
        }
    }

    private static func refusal(_ visit: Visit, _ state: FormState) async throws -> CampaignRefusalView {
        let app = try visit.app
        let campaign = try await visit.engine.campaigns.shown(try wanted(visit), within: app.id)
        return CampaignRefusalView(campaign, state, visit.look)
    }

    private static func refuse(_ visit: Visit) async throws -> Outcome {
        let (app, id) = (try visit.app.id, try wanted(visit))
        visit.audit.note(object: id.description)
        let reason = visit.form.text("reason").trimmed
        guard CampaignApproval.reasonLength.contains(reason.count) else {
            throw FormProblems("reason", visit.texts("approval.wrong.reason"))
        }
        _ = try await visit.engine.campaigns.refuse(id, within: app, reason: reason, by: .operator(visit.person.id))
        visit.audit.note(object: id.description, change: "refused: \(reason)")
        return .redirect(AppPath(app: app).campaign(id), Notice("approval.done.refused"))
    }

    private static func declareDrafts(_ routes: inout ConsoleRoutes) {
        draft("duplicate", .editor, &routes) { visit, campaign, name in
            try await visit.engine.campaigns.duplicate(
                campaign.id,
                within: campaign.app,
                name: visit.texts("moves.name.duplicate", ["name": name]),
                by: .operator(visit.person.id)
            )
        }
        draft("correct", .sender, &routes) { visit, campaign, name in
            try await visit.engine.campaigns.correct(
                campaign.id,
                within: campaign.app,
                name: visit.texts("moves.name.correct", ["name": name]),
                by: .operator(visit.person.id)
            )
        }
        for followers in Campaigns.Followers.allCases {
            draft("follow/" + followers.rawValue, .editor, &routes) { visit, campaign, name in
                try await visit.engine.campaigns.follow(
                    followers,
                    of: campaign.id,
                    within: campaign.app,
                    name: visit.texts("moves.name.follow", ["name": name]),
                    by: .operator(visit.person.id)
                )
            }
        }
    }

    /// Declares a button that changes the Campaign; the notice tells what happened.
    private static func move(
        _ end: String,
        _ role: OperatorRole,
        fresh: Bool = false,
        _ routes: inout ConsoleRoutes,
        _ change: @escaping @Sendable (Visit, Campaign) async throws -> (Campaign, String)
    ) {
        routes.action("\(base)/\(end)", .app(role), fresh: fresh, on: page) { visit in
            let (app, id) = (try visit.app.id, try wanted(visit))
            // A refusal is recorded with the object as well.
            visit.audit.note(object: id.description)
            let before = try await visit.engine.campaigns.campaign(id, within: app)
            let (after, notice) = try await change(visit, before)
            visit.audit.note(object: id.description, change: "\(before.state.rawValue) → \(after.state.rawValue)")
            return .redirect(AppPath(app: app).campaign(id), Notice(notice))
        }
    }

    /// Declares a button that makes a draft from the Campaign, and opens it.
    private static func draft(
        _ end: String,
        _ role: OperatorRole,
        _ routes: inout ConsoleRoutes,
        _ make: @escaping @Sendable (Visit, Campaign, String) async throws -> Campaign
    ) {
        routes.action("\(base)/\(end)", .app(role), on: page) { visit in
            let (app, id) = (try visit.app.id, try wanted(visit))
            visit.audit.note(object: id.description)
            let campaign = try await visit.engine.campaigns.campaign(id, within: app)
            let made = try await make(visit, campaign, CampaignText(look: visit.look).name(campaign))
            visit.audit.note(object: made.id.description, change: "draft made from \(id)")
            return .redirect(AppPath(app: app).campaign(made.id) + "/edit", Notice("moves.done.draft"))
        }
    }
}

/// The page on which an approval is refused.
struct CampaignRefusalView: PageView {
    static let template = "campaign-refuse"

    let heading: String
    let lead: String
    let reason: AreaView
    let actionPath: String
    let backPath: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ campaign: Campaign, _ state: FormState, _ look: Look) {
        heading = look.texts("approval.refuseHeading")
        lead = look.texts("approval.refuseLead", ["name": CampaignText(look: look).name(campaign)])
        reason = AreaView(
            areaName: "reason",
            areaLabel: look.texts("approval.reason"),
            areaHint: look.texts("approval.reasonHint"),
            areaProblem: state.problems.first { $0.field == "reason" }?.text,
            areaValue: state.values.text("reason")
        )
        backPath = AppPath(app: campaign.app).campaign(campaign.id)
        actionPath = backPath + "/refuse"
        summary = state.summary
        hasSummary = !summary.isEmpty
    }
}
