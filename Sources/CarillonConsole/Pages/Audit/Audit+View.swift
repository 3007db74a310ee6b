import CarillonModel
import CarillonOperatorModel

/// The audit log as its template shows it.
struct AuditView: PageView {
    static let template = "audit"

    /// One entry.
    struct Row: Hashable, Sendable {
        let entryAt: TimeView
        let entryActor: String
        let entryAddress: String
        let entryAction: String
        let entryApp: String
        let entryObject: String
        let entryStatus: PillView
        let entryChange: String
    }

    let heading: String
    let rows: [Row]
    let hasRows: Bool
    let hasNoMatch: Bool
    let listPath: String
    let wantedApp: String
    let wantedActor: String
    let wantedObject: String
    let wantedFrom: String
    let wantedUntil: String
    let isFiltered: Bool
    let exportPath: String
    let paging: PagingView?

    init(_ entries: Page<AuditEntry>, _ query: AuditPage.Query, _ look: Look) {
        heading = look.texts("audit.heading")
        rows = entries.items.map { entry in
            Row(
                entryAt: look.times.exact(entry.at),
                entryActor: entry.actor,
                entryAddress: entry.address ?? "",
                entryAction: entry.action,
                entryApp: entry.app?.description ?? "",
                entryObject: entry.object?.shortened(ends: 14) ?? "",
                entryStatus: entry.pill(look),
                entryChange: entry.change ?? ""
            )
        }
        hasRows = !rows.isEmpty
        hasNoMatch = rows.isEmpty
        listPath = ConsolePath.audit
        wantedApp = query.app?.description ?? ""
        wantedActor = query.actor
        wantedObject = query.object
        wantedFrom = query.from?.description ?? ""
        wantedUntil = query.until?.description ?? ""
        isFiltered = query.isFiltered
        let first = query.continuing(after: nil)
        exportPath = first.fields.appended(to: ConsolePath.audit + ".csv")
        paging = PagingView(
            newest: query.after.map { _ in first.fields.appended(to: ConsolePath.audit) },
            older: entries.nextCursor.map { query.continuing(after: $0).fields.appended(to: ConsolePath.audit) }
        )
    }
}

extension AuditEntry {
    /// The result in a word: commands and retention are recorded when they succeed.
    fileprivate func pill(_ look: Look) -> PillView {
        switch status {
        case 0..<400: PillView(words: look.texts("audit.done"), colour: "good")
        case 400..<500: PillView(words: look.texts("audit.refused", ["status": String(status)]), colour: "warn")
        default: PillView(words: look.texts("audit.failed", ["status": String(status)]), colour: "bad")
        }
    }
}

extension ConsolePath {
    static let audit = root + "/audit"
}
