import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What waits for the approval of an Operator, over all Apps.
enum ApprovalPage {
    /// A Campaign that waits.
    struct Waiting: Sendable {
        var campaign: Campaign
        var app: App
        var mayApprove: Bool
    }

    struct Model: Sendable {
        var waiting: [Waiting]
        /// The cursor of the next page; `nil` on the last.
        var next: CampaignID?
    }

    static let pageSize = 50

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page("/approvals", .anywhere(.sender)) { visit in
            .page(ApprovalsView(try await read(visit), visit.look))
        }
    }

    /// Reads what waits in the Apps in which the Operator may send, newest first.
    static func read(_ visit: Visit) async throws -> Model {
        let roles = visit.person.roles
        let after = visit.query["after"].flatMap { CampaignID($0) }
        let isEverywhere = roles.everywhere.map { $0 >= .sender } ?? false
        let apps: [AppID?] = isEverywhere ? [nil] : roles.apps.filter { $0.role >= .sender }.map(\.app)
        var (found, isMore) = ([Campaign](), false)
        for app in apps {
            let page = try await visit.engine.campaigns.waiting(app: app, after: after, limit: pageSize)
            found += page.items
            isMore = isMore || page.nextCursor != nil
        }
        found.sort { $0.id > $1.id }
        let shown = found.prefix(pageSize)
        var (waiting, known) = ([Waiting](), [AppID: App]())
        for campaign in shown where campaign.state == .needsApproval {
            let app = if let app = known[campaign.app] { app } else { try await visit.engine.apps.app(campaign.app) }
            known[campaign.app] = app
            let mayApprove = try await visit.engine.campaigns.mayApprove(campaign, visit.person.id)
            waiting.append(Waiting(campaign: campaign, app: app, mayApprove: mayApprove))
        }
        return Model(waiting: waiting, next: isMore || found.count > pageSize ? shown.last?.id : nil)
    }
}

/// The queue as its template shows it.
struct ApprovalsView: PageView {
    struct Row: Hashable, Sendable {
        let rowPath: String
        let rowName: String
        let rowApp: String
        let rowReach: String
        let rowAsked: TimeView?
        let rowExpires: TimeView?
        let rowNote: String
    }

    static let template = "approvals"

    let heading: String
    let rows: [Row]
    let hasRows: Bool
    let more: String?

    init(_ model: ApprovalPage.Model, _ look: Look) {
        heading = look.texts("approvals.title")
        rows = model.waiting.map { waiting in
            let approval = waiting.campaign.approval
            return Row(
                rowPath: AppPath(app: waiting.app.id).campaign(waiting.campaign.id),
                rowName: CampaignText(look: look).name(waiting.campaign),
                rowApp: waiting.app.name,
                rowReach: look.numbers.full(approval?.reach ?? 0),
                rowAsked: look.table(approval?.requestedAt),
                rowExpires: look.table(approval?.expiresAt),
                rowNote: waiting.mayApprove ? "" : look.texts("approval.own")
            )
        }
        hasRows = !rows.isEmpty
        more = model.next.map { ConsolePath.root + "/approvals?after=" + $0.description }
    }
}
