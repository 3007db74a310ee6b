import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page of the server as its template shows it.
struct SystemView: PageView {
    static let template = "system"

    /// A fault of the node.
    struct Fault: Hashable, Sendable {
        let faultCode: String
        let faultWords: String
        let faultDetail: String
        let faultPill: PillView
    }

    /// A Campaign that waits for an Operator.
    struct Row: Hashable, Sendable {
        let appName: String
        let campaignName: String
        let campaignPath: String
        let alarmText: String
    }

    let heading: String
    let statePill: PillView
    let stateWords: String
    let isHeld: Bool
    let faults: [Fault]
    let hasFaults: Bool
    let facts: [FactView]
    let halted: [Row]
    let hasHalted: Bool
    let selfPath: String
    let readAt: TimeView
    let livePath: String
    /// What changes when the page has other rows.
    let stateWord: String
    /// What is not as it should be, each with a link.
    let notes: [SystemNote]
    let hasNotes: Bool
    let nodes: [SystemNodeRow]
    let hasNodes: Bool
    let work: [SystemLiveFact]
    let lanes: [SystemLaneRow]
    let hasLanes: Bool
    let storeFacts: SystemFacts
    let slow: [SystemSlowRow]
    let hasSlow: Bool
    let partitions: [SystemPartitionRow]
    let hasPartitions: Bool
    let charts: ChartsView?
    let warnings: [SystemWarningRow]
    let hasWarnings: Bool

    init(_ model: SystemPage.Model, mayAct: Bool = false, _ look: Look) {
        let (texts, report) = (look.texts, model.report)
        heading = texts("system.heading")
        let state = report.faults.contains { $0.isFailure } ? "unready" : report.faults.isEmpty ? "ready" : "degraded"
        let colours = ["unready": "bad", "ready": "good", "degraded": "warn"]
        statePill = PillView(words: texts.word("system.state", state), colour: colours[state] ?? "muted")
        stateWords = texts.word("system.meaning", state)
        isHeld = report.isHeld
        faults = report.faults.map { fault in
            Fault(
                faultCode: fault.code,
                faultWords: texts.word("system.fault", fault.code),
                faultDetail: fault.detail,
                faultPill: PillView(
                    words: texts(fault.isFailure ? "system.failure" : "system.degradation"),
                    colour: fault.isFailure ? "bad" : "warn"
                )
            )
        }
        hasFaults = !faults.isEmpty
        facts = Self.facts(model, look)
        let words = CampaignText(look: look)
        halted = model.halted.flatMap { app in
            app.campaigns.map { campaign in
                Row(
                    appName: app.app.name,
                    campaignName: words.name(campaign),
                    campaignPath: AppPath(app: app.app.id).campaign(campaign.id),
                    alarmText: campaign.alarm ?? ""
                )
            }
        }
        hasHalted = !halted.isEmpty
        selfPath = ConsolePath.system
        readAt = look.times.exact(model.readAt)
        livePath = ConsolePath.root + "/live/system"
        let live = SystemLive(model, look)
        stateWord = live.state
        notes = SystemNote.all(model, look)
        hasNotes = !notes.isEmpty
        nodes = model.nodes.map { SystemNodeRow($0, own: model.own, mayAct: mayAct, at: model.readAt, look) }
        hasNodes = !nodes.isEmpty
        work = live.work
        lanes = model.nodes.flatMap { node in node.lanes.map { SystemLaneRow($0, of: node, model, look) } }
        hasLanes = !lanes.isEmpty
        storeFacts = SystemFacts(facts: Self.storeFacts(model, look))
        slow = (model.store?.slow ?? []).map { SystemSlowRow($0, look) }
        hasSlow = !slow.isEmpty
        partitions = (model.store?.partitions ?? []).map {
            SystemPartitionRow(partitionName: $0.name, partitionSize: look.bytes($0.bytes))
        }
        hasPartitions = !partitions.isEmpty
        charts = ChartsView(system: model.nodes, look)
        warnings = report.warnings.map {
            SystemWarningRow(
                warnedAt: look.times.exact($0.at),
                warningLevel: $0.level,
                warningText: $0.message,
                warningDetail: $0.detail
            )
        }
        hasWarnings = !warnings.isEmpty
    }

    private static func storeFacts(_ model: SystemPage.Model, _ look: Look) -> [FactView] {
        func label(_ name: String) -> String { look.texts.word("system.store", name) }
        guard let store = model.store else { return [FactView(label("kind"), look.texts("system.unknown"))] }
        var facts = [FactView(label("kind"), code: store.kind), FactView(label("size"), look.bytes(store.bytes))]
        if let bytes = store.logBytes { facts.append(FactView(label("log"), look.bytes(bytes))) }
        if let fact = FactView(label("archived"), look.table(store.archivedAt)) { facts.append(fact) }
        facts.append(
            FactView(label("backup"), look.table(model.report.backupAt))
                ?? FactView(label("backup"), look.texts("system.store.noBackup"))
        )
        return facts
    }

    private static func facts(_ model: SystemPage.Model, _ look: Look) -> [FactView] {
        func label(_ name: String) -> String { look.texts.word("system.fact", name) }
        func count(_ number: Int?, limit: Int) -> String {
            guard let number else { return look.texts("system.unknown") }
            return number >= limit ? look.numbers.full(limit - 1) + "+" : look.numbers.full(number)
        }
        let limit = WebhookBacklog.maximumCount
        var facts = [
            FactView(label("version"), code: CarillonVersion.current),
            FactView(label("halted"), count(model.haltedCount, limit: limit)),
            FactView(label("disabledWebhooks"), count(model.backlog?.disabled, limit: limit)),
            FactView(label("deadMessages"), count(model.backlog?.dead, limit: limit)),
        ]
        if model.oldestWait > .zero {
            let wait = look.times.duration(seconds: Int(model.oldestWait.components.seconds))
            facts.append(FactView(label("oldestMessage"), wait))
        }
        return facts
    }
}

extension ConsolePath {
    static let system = root + "/system"
}
