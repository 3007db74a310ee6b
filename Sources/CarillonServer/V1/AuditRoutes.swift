import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/audit`: the audit log, for keys of scope `admin`; a key of one App gets only its entries.
struct AuditRoutes: Sendable {
    let log: AuditLog

    func declare(_ routes: inout Routes) {
        routes.on(
            .get,
            "/v1/audit",
            .key(.admin, app: .queryOrAllWithFormer),
            recorded: .all,
            query: ["key", "object", "user", "device", "from", "until", "whole", "cursor", "limit"],
            list
        )
    }

    @Sendable private func list(_ call: KeyCall<FormerQueryApp>) async throws -> Response {
        let query = call.query
        // Verifying the chain takes all entries: those of one App have gaps.
        if try query.flag("whole") == true { try call.requireServerKey() }
        var asked = AuditQuery(app: try call.app())
        asked.subject = try await query.auditSubject(asked.app, log)
        if let from = try query.time("from") { asked.first = AuditEntryID(notBefore: from) }
        if let to = try query.time("until") { asked.before = AuditEntryID(notBefore: to) }
        if let cursor = try query.cursor(AuditEntryID.self) { asked.before = min(asked.before, cursor) }
        return try Response(try await log.entries(asked, limit: try query.limit()))
    }
}

extension AuditEntryID {
    /// The least id at or after a time; the greatest id for a time beyond the range of ids.
    fileprivate init(notBefore time: Timestamp) {
        let milliseconds = min(max(0, time.rawValue), 0x3FF_FFFF_FFFF)
        self =
            milliseconds == time.rawValue || time.rawValue < 0
            ? AuditEntryID(milliseconds: milliseconds, sequence: 0) : AuditEntryID(rawValue: .max)
    }
}

extension Query {
    /// The filter beside App and time; at most one.
    fileprivate func auditSubject(_ app: AppID?, _ log: AuditLog) async throws -> AuditQuery.Subject {
        let given = ["key", "object", "user", "device"].filter { self[$0] != nil }
        guard let name = given.first, let text = self[name] else { return .everything }
        guard given.count == 1 else {
            throw Problem.invalidField(FieldError(field: given[1], problem: "must not come with \(name)"))
        }
        guard (1...128).contains(text.utf8.count) else {
            throw Problem.invalidField(FieldError(field: name, problem: "must have 1 through 128 bytes"))
        }
        switch name {
        case "key": return .actor(text)
        case "object": return .object(text)
        default:
            guard let app else {
                throw Problem.invalidField(FieldError(field: "app", problem: "is required with \(name)"))
            }
            return .object(try await log.pseudonym(name, text, app: app))
        }
    }
}
