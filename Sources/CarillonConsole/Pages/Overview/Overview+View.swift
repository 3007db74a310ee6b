import CarillonModel
import CarillonOperatorModel

/// The first page of an App as its template shows it.
struct OverviewView: PageView {
    static let template = "overview"

    /// A number of today.
    struct Tile: Hashable, Sendable {
        let tileName: String
        /// The short form.
        let tileNumber: String
        /// All digits.
        let tileFull: String
        let tileShare: String?
    }

    /// A step of the first use.
    struct Task: Hashable, Sendable {
        let taskWords: String
        let isDone: Bool
        let taskState: String
        let taskPath: String?
    }

    /// A Campaign in a list.
    struct Row: Hashable, Sendable {
        let campaignName: String
        let campaignPath: String
        let campaignState: PillView
        let campaignTime: TimeView?
        /// Of a Campaign that is under way.
        let campaignProgress: String?
    }

    let heading: String
    let tasks: [Task]
    let hasTasks: Bool
    let tiles: [Tile]
    let halted: [Row]
    let hasHalted: Bool
    let underWay: [Row]
    let hasUnderWay: Bool
    let scheduled: [Row]
    let hasScheduled: Bool
    let latest: [Row]
    let hasLatest: Bool
    let campaignsPath: String
    let statisticsPath: String
    let selfPath: String
    let readAt: TimeView
}

extension OverviewView {
    /// Creates the page.
    init(_ model: Overview.Model, _ look: Look) {
        let paths = AppPath(app: model.app.id)
        heading = look.texts("overview.heading")
        tasks = Self.tasks(model, paths, look.texts)
        hasTasks = tasks.contains { !$0.isDone }
        tiles = Self.tiles(model.today, look)
        func rows(_ campaigns: [Campaign]) -> [Row] { campaigns.map { Row($0, nil, look) } }
        halted = rows(model.halted)
        hasHalted = !halted.isEmpty
        underWay = model.underWay.map { Row($0.campaign, FunnelFigures($0.funnel), look) }
        hasUnderWay = !underWay.isEmpty
        scheduled = rows(model.scheduled)
        hasScheduled = !scheduled.isEmpty
        latest = rows(model.latest)
        hasLatest = !latest.isEmpty
        campaignsPath = paths.campaigns
        statisticsPath = paths.statistics
        selfPath = paths.home
        readAt = look.times.exact(model.readAt)
    }

    /// The checklist of the first use.
    private static func tasks(_ model: Overview.Model, _ paths: AppPath, _ texts: Texts) -> [Task] {
        let steps: [(name: String, isDone: Bool, path: String?)] = [
            ("key", model.app.hasPushKey, nil), ("device", model.hasDevices, paths.devices),
            ("campaign", !model.latest.isEmpty, paths.campaigns),
        ]
        return steps.map { step in
            Task(
                taskWords: texts.word("overview.task", step.name),
                isDone: step.isDone,
                taskState: texts(step.isDone ? "overview.done" : "overview.toDo"),
                taskPath: step.path
            )
        }
    }

    private static func tiles(_ today: Figures, _ look: Look) -> [Tile] {
        let failed = today.failedByToken + today.failedOtherwise
        let numbers: [(name: String, number: Int, whole: Int?)] = [
            ("accepted", today.accepted, nil), ("notAccepted", failed, today.accepted + failed),
            ("received", today.received, today.accepted), ("opened", today.opened, today.accepted),
        ]
        return numbers.map { name, number, whole in
            Tile(
                tileName: look.texts.word("chart", name),
                tileNumber: look.numbers.short(number),
                tileFull: look.numbers.full(number),
                tileShare: whole.map { look.numbers.percent(number, of: $0) }
            )
        }
    }
}

extension OverviewView.Row {
    fileprivate init(_ campaign: Campaign, _ figures: FunnelFigures?, _ look: Look) {
        let words = CampaignText(look: look)
        campaignName = words.name(campaign)
        campaignPath = AppPath(app: campaign.app).campaign(campaign.id)
        campaignState = words.state(campaign)
        campaignTime = look.table(words.beginning(campaign) ?? campaign.createdAt)
        campaignProgress = figures.map { figures in
            look.texts(
                "overview.progress",
                ["accepted": look.numbers.full(figures.accepted), "targeted": look.numbers.full(figures.targeted)]
            )
        }
    }
}
