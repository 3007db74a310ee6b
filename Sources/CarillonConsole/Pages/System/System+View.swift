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

    init(_ model: SystemPage.Model, _ look: Look) {
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
