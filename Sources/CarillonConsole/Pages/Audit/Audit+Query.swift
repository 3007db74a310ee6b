import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Hummingbird

/// The audit log.
enum AuditPage {
    /// The query of the page.
    struct Query: Hashable, Sendable {
        /// Only about this App.
        var app: AppID?
        /// Whose actions; empty for everybody's, and not looked at beside ``object``.
        var actor: String
        /// Actions on what; empty for anything.
        var object: String
        /// From this day on, in the Operator's zone.
        var from: CalendarDay?
        /// Through this day.
        var until: CalendarDay?
        /// Only older entries than this.
        var after: AuditEntryID?

        /// Reads the query; what is malformed counts as missing.
        init(_ fields: FormFields) {
            func text(_ name: String) -> String { String(fields.text(name).trimmed.prefix(128)) }
            app = AppID(text("app"))
            actor = text("actor")
            object = text("object")
            from = CalendarDay(text("from"))
            until = CalendarDay(text("until"))
            after = AuditEntryID(text("after"))
        }

        var fields: FormFields {
            FormFields().setting([
                "app": app?.description, "actor": actor.isEmpty ? nil : actor,
                "object": object.isEmpty ? nil : object, "from": from?.description, "until": until?.description,
                "after": after?.description,
            ])
        }

        /// The same entries from a cursor on; `nil` for the first.
        func continuing(after cursor: String?) -> Query {
            var query = self
            query.after = cursor.flatMap { AuditEntryID($0) }
            return query
        }

        var isFiltered: Bool {
            app != nil || !actor.isEmpty || !object.isEmpty || from != nil || until != nil
        }

        /// The engine's form, with the days of a zone.
        func question(zone: String) -> AuditQuery {
            let subject: AuditQuery.Subject =
                !object.isEmpty ? .object(object) : !actor.isEmpty ? .actor(actor) : .everything
            var question = AuditQuery(app: app, subject: subject)
            if let from { question.first = AuditEntryID(notBefore: from.begin(in: zone)) }
            if let until { question.before = AuditEntryID(notBefore: until.advanced(by: 1).begin(in: zone)) }
            if let after { question.before = min(question.before, after) }
            return question
        }
    }

    static let pageSize = 50
    private static let exportSize = 1_000

    /// Reads a page, the latest entry first.
    static func read(_ query: Query, zone: String, _ engine: Engine) async throws -> Page<AuditEntry> {
        try await engine.audit.entries(query.question(zone: zone), limit: pageSize)
    }

    /// A file of all entries of a query.
    static func export(_ query: Query, zone: String, _ engine: Engine) -> ResponseBody {
        let header = [
            "id", "at", "actor", "session", "address", "action", "app", "object", "status", "change", "hash",
        ]
        let first: AuditQuery? = query.continuing(after: nil).question(zone: zone)
        return CSVText.body(header: header, first) { next in
            guard let question = next else { return nil }
            let page = try await engine.audit.entries(question, limit: exportSize)
            next = page.nextCursor == nil ? nil : page.items.last.map { question.ending(before: $0.id) }
            return page.items.map(\.cells)
        }
    }
}

extension AuditQuery {
    fileprivate func ending(before id: AuditEntryID) -> AuditQuery {
        var query = self
        query.before = id
        return query
    }
}

extension AuditEntry {
    fileprivate var cells: [String] {
        [
            id.description, at.description, actor, session?.description ?? "", address ?? "", action,
            app?.description ?? "", object ?? "", String(status), change ?? "", hash,
        ]
    }
}

extension AuditEntryID {
    /// The least id at or after a time; the greatest id for a time beyond the range of ids.
    fileprivate init(notBefore time: Timestamp) {
        let latest = AuditEntryID(rawValue: .max)
        self = time.rawValue < latest.milliseconds ? AuditEntryID(milliseconds: time.rawValue, sequence: 0) : latest
    }
}

extension CalendarDay {
    /// The first instant of the day in a zone; UTC for an unknown one.
    func begin(in zone: String) -> Timestamp {
        let zone = TimeZone(identifier: zone) ?? .gmt
        let local = Int64(number) * 86_400_000
        func offset(_ milliseconds: Int64) -> Int64 {
            Int64(zone.secondsFromGMT(for: Timestamp(rawValue: milliseconds).date)) * 1_000
        }
        let first = local - offset(local)
        return Timestamp(rawValue: local - offset(first))
    }
}
