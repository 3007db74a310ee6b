import CarillonModel
import CarillonOperatorModel

/// The first page of an App as its template shows it.
struct OverviewView: PageView {
    static let template = "overview"

    /// A number of today.
    struct Tile: Hashable, Sendable {
        let tileName: String
        /// Where the stream puts its number.
        let tileKey: String
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
        /// What it is about, of a step that waits.
        var taskHint: String?
        /// Where its button leads, and the button's words.
        var taskAction: String?
        var taskButton: String?
        /// Whether it is the first one that waits, and has a button.
        var isNext = false
        /// Where the first one that waits leads, when it is no button, and the words of the link.
        var nextPath: String?
        var nextWords: String?
    }

    /// A Campaign in a list.
    struct Row: Hashable, Sendable {
        let campaignName: String
        let campaignPath: String
        let campaignState: PillView
        let campaignTime: TimeView?
        /// Of a Campaign that is under way.
        let campaignProgress: String?
        /// Where the stream puts it.
        let progressKey: String
    }

    let heading: String
    let tasks: [Task]
    let hasTasks: Bool
    /// Whether a Campaign would reach nobody yet.
    let isFirstUse: Bool
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
    let livePath: String
    let stateWord: String
    /// Where a new draft is made; `nil` for who may not.
    let newCampaignPath: String?
}

extension OverviewView {
    /// Creates the page.
    init(_ model: Overview.Model, as role: OperatorRole, _ look: Look) {
        let paths = AppPath(app: model.app.id)
        heading = look.texts("overview.heading")
        tasks = Self.tasks(model, as: role, paths, look.texts)
        hasTasks = tasks.contains { !$0.isDone }
        isFirstUse = model.latest.isEmpty && !(model.app.hasPushKey && model.hasDevices)
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
        newCampaignPath = role >= .editor ? paths.campaigns : nil
        readAt = look.times.exact(model.readAt)
        livePath = paths.home + "/live"
        stateWord = OverviewLive.state(model)
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
                tileKey: "tile-" + name,
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
        progressKey = "progress-\(campaign.id)"
        campaignProgress = figures.map { figures in
            look.texts(
                "overview.progress",
                ["accepted": look.numbers.full(figures.accepted), "targeted": look.numbers.full(figures.targeted)]
            )
        }
    }
}
