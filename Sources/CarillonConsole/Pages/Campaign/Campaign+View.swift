import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page of a Campaign as its template shows it.
struct CampaignView: PageView {
    static let template = "campaign"

    /// The message in one language.
    struct Message: Hashable, Sendable {
        let languageName: String
        /// For the attribute `lang`; `nil` for the default language, which is any.
        let languageTag: String?
        let messageTitle: String?
        let messageSubtitle: String?
        let messageBody: String?
        let messageLink: String?
    }

    /// One entry of the history.
    struct Entry: Hashable, Sendable {
        let done: String
        let actor: String
        let doneAt: TimeView
    }

    let heading: String
    let campaignID: String
    let pill: PillView
    /// Why it waits for an Operator.
    let alarm: ReasonView?
    let alarmText: String?
    let isWaitingForStore: Bool
    let reachedNobody: Bool
    let facts: [FactView]
    let messages: [Message]
    let hasBegun: Bool
    let funnel: FunnelView
    let failures: [ReasonView]
    let hasFailures: Bool
    let skips: [ReasonView]
    let hasSkips: Bool
    let variants: VariantsView?
    let occurrences: OccurrencesView?
    let charts: ChartsView?
    let history: [Entry]
    let hasHistory: Bool
    let actions: CampaignActions
    let moves: CampaignMoves
    let exportPath: String
    let reportPath: String
    let printPath: String
    let recipientsPath: String
    let selfPath: String
    /// The stream of its numbers; `nil` once it is over.
    let livePath: String?
    /// The state, for the script.
    let stateWord: String
    let readAt: TimeView
}

extension CampaignView {
    /// Creates the page.
    ///
    /// - Parameters:
    ///   - model: What was read.
    ///   - facts: What is known beside it: what the Operator may do.
    ///   - look: The words of the page.
    init(_ model: CampaignPage.Model, _ facts: CampaignMoves.Facts, _ look: Look) {
        let (campaign, texts) = (model.campaign, look.texts)
        let (paths, words) = (AppPath(app: campaign.app), CampaignText(look: look))
        heading = words.name(campaign)
        campaignID = campaign.id.description
        pill = words.state(campaign)
        alarm = campaign.alarm.map { ReasonView(alarm: $0, look) }
        alarmText = campaign.alarm
        isWaitingForStore = campaign.waitingForStoreSince != nil
        reachedNobody = campaign.reachedNobody
        self.facts = words.facts(campaign)
        messages = Self.messages(campaign, texts)
        hasBegun = campaign.occurrence != nil
        let figures = FunnelFigures(model.funnel)
        funnel = FunnelView(figures, deferred: model.funnel.deferred, look)
        failures = ReasonView.failures(model.failures, of: figures.attempted, look)
        hasFailures = !failures.isEmpty
        skips = ReasonView.skips(model.funnel.skipped, of: figures.targeted, look)
        hasSkips = !skips.isEmpty
        variants = VariantsView(model.funnel, look)
        occurrences = OccurrencesView(model.occurrences, of: campaign, look)
        charts = model.series.flatMap { ChartsView($0, id: "campaign", ChartsView.ofCampaign, look) }
        history = model.history.map { entry in
            Entry(
                done: HistoryWords.words(entry.action, texts),
                actor: entry.actor,
                doneAt: look.times.table(entry.at)
            )
        }
        hasHistory = !history.isEmpty
        selfPath = paths.campaign(campaign.id)
        livePath = campaign.state.isUnderWay ? selfPath + "/live" : nil
        stateWord = campaign.state.rawValue
        actions = CampaignActions(campaign, path: selfPath, maySend: facts.maySend)
        moves = CampaignMoves(campaign, facts, path: selfPath, look)
        printPath = selfPath + "/report"
        recipientsPath = selfPath + "/recipients"
        exportPath = selfPath + "/export.csv"
        reportPath = selfPath + "/report.csv"
        readAt = look.times.exact(model.readAt)
    }
}

extension CampaignView {
    /// What a Campaign says, the default language first.
    static func messages(_ campaign: Campaign, _ texts: Texts) -> [Message] {
        let contents = campaign.message.content
        let languages = ["default"] + contents.keys.filter { $0 != "default" }.sorted()
        return languages.compactMap { language in
            contents[language].map { Message(language, $0, texts) }
        }
    }
}

extension Campaign.State {
    /// Whether its numbers change by themselves; a draft's do not.
    var isUnderWay: Bool { [.scheduled, .sending, .paused, .cancelling].contains(self) }
}

extension CampaignView.Message {
    fileprivate init(_ language: String, _ content: LocalizedContent, _ texts: Texts) {
        let isDefault = language == "default"
        languageName = isDefault ? texts("campaign.message.default") : language
        languageTag = isDefault ? nil : language
        messageTitle = content.title
        messageSubtitle = content.subtitle
        messageBody = content.body
        messageLink = content.link
    }
}

/// What may be done to a Campaign now; each is a form of its own.
struct CampaignActions: Hashable, Sendable {
    /// An action of the page.
    enum Action: String, Hashable, Sendable, CaseIterable {
        case pause
        case resume
        case cancel

        /// Whether a Campaign's state allows it.
        func isPossible(in state: Campaign.State) -> Bool {
            switch (self, state) {
            case (.pause, .scheduled), (.pause, .sending), (.resume, .paused): true
            case (.cancel, .needsApproval), (.cancel, .held): true
            case (.cancel, .draft), (.cancel, .scheduled), (.cancel, .sending), (.cancel, .paused): true
            default: false
            }
        }
    }

    /// The form that pauses it, and those of the others; `nil` when its state or the role does not allow it.
    let pausePath: String?
    let resumePath: String?
    let cancelPath: String?
    let hasActions: Bool

    init(_ campaign: Campaign, path: String, maySend: Bool) {
        func address(of action: Action) -> String? {
            maySend && action.isPossible(in: campaign.state) ? "\(path)/\(action.rawValue)" : nil
        }
        pausePath = address(of: .pause)
        resumePath = address(of: .resume)
        cancelPath = address(of: .cancel)
        hasActions = pausePath != nil || resumePath != nil || cancelPath != nil
    }
}

/// Actions of the audit log in words.
enum HistoryWords {
    /// The words of an action; the action itself when it has none.
    static func words(_ action: String, _ texts: Texts) -> String {
        let end = action.split(separator: "/").last.map(String.init) ?? ""
        let method = action.prefix { $0 != " " }
        let word =
            switch (method, end) {
            case ("POST", "campaigns"): "create"
            case ("PATCH", "{campaign}"): "change"
            case ("POST", "send"), ("POST", "pause"), ("POST", "resume"), ("POST", "cancel"): end
            case ("POST", "confirm"), ("POST", "undo"), ("POST", "send-now"), ("POST", "approve"): end
            case ("POST", "refuse"), ("POST", "withdraw"), ("POST", "pace"): end
            case ("POST", "audience"), ("POST", "content"), ("POST", "delivery"): "edit"
            default: ""
            }
        return word.isEmpty ? action : texts.word("history", word)
    }
}
