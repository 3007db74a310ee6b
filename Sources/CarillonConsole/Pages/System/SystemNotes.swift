import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension SystemNote {
    /// A clock that is further off than this makes tokens and due times wrong.
    private static let worstOffset = 2_000
    /// Work that has been due for longer stands still.
    private static let patience = Duration.seconds(60)
    /// A log of SQLite that is larger is not emptied.
    private static let largestLog = 512 << 20
    /// A backup should not be older.
    private static let oldestBackup = Duration.seconds(7 * 86_400)

    /// What is not as it should be, the gravest first.
    static func all(_ model: SystemPage.Model, _ look: Look) -> [SystemNote] {
        nodes(model, look) + work(model, look) + lanes(model, look) + store(model, look)
    }

    private static func note(_ text: String, _ part: String) -> SystemNote {
        SystemNote(noteText: text, notePath: part)
    }

    private static func nodes(_ model: SystemPage.Model, _ look: Look) -> [SystemNote] {
        var notes: [SystemNote] = []
        for node in model.nodes {
            let name = ["name": node.name]
            if node.isLost { notes.append(note(look.texts("system.note.lost", name), "#nodes")) }
            if node.quietSince != nil { notes.append(note(look.texts("system.note.quiet", name), "#nodes")) }
            if let offset = node.clockOffset, abs(offset) > worstOffset, !node.isLost {
                notes.append(note(look.texts("system.note.clock", name), "#nodes"))
            }
        }
        return notes
    }

    private static func work(_ model: SystemPage.Model, _ look: Look) -> [SystemNote] {
        var notes: [SystemNote] = []
        if let oldest = model.work?.oldestWave, oldest.duration(to: model.readAt) > patience {
            let time = ["time": look.times.table(oldest).text]
            notes.append(note(look.texts("system.note.standing", time), "#work"))
        }
        if let dead = model.backlog?.dead, dead > 0 {
            notes.append(note(look.texts("system.note.webhooks"), "#server"))
        }
        return notes
    }

    private static func lanes(_ model: SystemPage.Model, _ look: Look) -> [SystemNote] {
        var notes: [SystemNote] = []
        for lane in model.nodes.filter({ !$0.isLost }).flatMap(\.lanes) {
            let key = ["key": lane.keyID]
            if lane.isSlowed { notes.append(note(look.texts("system.note.slowed", key), "#lanes")) }
            if lane.refused["TooManyRequests"] ?? 0 > 0 {
                notes.append(note(look.texts("system.note.tooMany", key), "#lanes"))
            }
        }
        return notes
    }

    private static func store(_ model: SystemPage.Model, _ look: Look) -> [SystemNote] {
        guard let store = model.store else { return [note(look.texts("system.note.store"), "#store")] }
        var notes: [SystemNote] = []
        if store.logBytes ?? 0 > largestLog { notes.append(note(look.texts("system.note.log"), "#store")) }
        let isFile = store.kind.hasPrefix("SQLite")
        let copied = isFile ? model.report.backupAt : store.archivedAt
        if copied.map({ $0.duration(to: model.readAt) > oldestBackup }) ?? true {
            notes.append(note(look.texts("system.note.backup"), "#store"))
        }
        return notes
    }
}
