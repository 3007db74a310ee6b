import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The numbers of the page of the server that move.
struct SystemLive: Sendable {
    /// What changes when the page has other rows.
    let state: String
    let work: [SystemLiveFact]
    private let model: SystemPage.Model

    init(_ model: SystemPage.Model, _ look: Look) {
        self.model = model
        let nodes = model.nodes.map { "\($0.id)\($0.isLost ? "!" : "")\($0.quietSince == nil ? "" : "-")" }
        let lanes = model.nodes.flatMap { node in node.lanes.map { SystemLaneRow.key($0, node) } }
        state = (nodes + lanes + model.report.faults.map(\.code)).joined(separator: " ")
        work = Self.work(model, look)
    }

    func event(_ look: Look) -> LiveEvent {
        var event = LiveEvent(state: state, numbers: [:], at: look.times.exact(model.readAt).text)
        for fact in work { event.numbers[fact.liveKey] = fact.liveValue }
        for node in model.nodes {
            event.numbers["seen-\(node.id)"] = look.times.exact(node.seenAt).text
            event.numbers["chunks-\(node.id)"] = look.numbers.full(node.chunks)
            for lane in node.lanes {
                let key = SystemLaneRow.key(lane, node)
                event.numbers["rate-" + key] = SystemLaneRow.rate(lane, look)
                event.numbers["streams-" + key] = SystemLaneRow.streams(lane, look)
            }
        }
        let lost = model.nodes.filter(\.isLost).map(\.name)
        if !lost.isEmpty { event.milestone = look.texts("system.note.lost", ["name": look.list(lost)]) }
        return event
    }

    private static func work(_ model: SystemPage.Model, _ look: Look) -> [SystemLiveFact] {
        func fact(_ name: String, _ value: String) -> SystemLiveFact {
            SystemLiveFact(liveLabel: look.texts.word("system.work", name), liveKey: "work-" + name, liveValue: value)
        }
        guard let work = model.work else { return [fact("dueWaves", look.texts("system.unknown"))] }
        func count(_ number: Int) -> String {
            number > WorkFigures.limit ? look.numbers.full(WorkFigures.limit) + "+" : look.numbers.full(number)
        }
        return [
            fact("dueWaves", count(work.dueWaves)),
            fact("oldest", work.oldestWave.map { look.times.exact($0).text } ?? "–"),
            fact("leased", count(work.leasedChunks)), fact("free", count(work.freeChunks)),
            fact("retries", count(work.soonRetries)),
            fact("nextRetry", work.nextRetry.map { look.times.exact($0).text } ?? "–"),
        ]
    }
}
