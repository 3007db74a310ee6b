import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

extension ContentSetPages {
    func declareFollows(_ routes: inout ConsoleRoutes) {
        let all = Self.one + "/follows"
        routes.page(all, .app(.viewer)) { visit in .page(try await followsPage(visit, .empty)) }
        // Whose rows lead to Campaigns: as sending.
        routes.form(all, .app(.sender)) { visit, state in
            try await followsPage(visit, state)
        } submit: { visit in
            let set = try await set(visit)
            let name = visit.form.text("name").trimmed
            Self.note(visit, set.name, name)
            guard ContentFollows.isName(name) else { throw FormProblems("name", visit.texts("contentSets.wrongName")) }
            guard let audience = AudienceID(visit.form.text("audience")) else {
                throw FormProblems("audience", visit.texts("contentSets.noAudience"))
            }
            _ = try await visit.engine.audiences.audience(audience, within: set.app)
            var request = ContentFollowRequest()
            request.audience = .saved(audience)
            request.table = visit.form["table"]
            let words = visit.form.text("words").trimmed
            if !words.isEmpty { request.query.words = words }
            let wanted = request
            _ = try await Self.asking(visit) { () async throws(ContentSetError) -> ContentFollow in
                try await content.follows.put(name, of: set.name, app: set.app, wanted)
            }
            Self.note(visit, set.name, name, "followed by \(audience)")
            return .redirect(setPath(visit) + "/follows", Notice("contentSets.followSaved", ["name": name]))
        }
        routes.action(all + "/{follow}/delete", .app(.sender), on: { setPath($0) + "/follows" }) { visit in
            let set = try await set(visit)
            let name = try visit.parameter("follow") { ContentFollows.isStoredName($0) ? $0 : nil }
            try await contentAnswer(try await content.follows.delete(name, of: set.name, app: set.app))
            Self.note(visit, set.name, name, "deleted")
            return .redirect(setPath(visit) + "/follows", Notice("contentSets.followDeleted", ["name": name]))
        }
    }

    private func followsPage(_ visit: Visit, _ state: FormState) async throws -> ContentFollowsView {
        let set = try await set(visit)
        let after = visit.query["after"].flatMap { ContentFollows.isStoredName($0) ? $0 : nil }
        let list = try await contentAnswer(
            try await content.follows.list(
                of: set.name,
                app: set.app,
                user: nil,
                after: after,
                limit: Self.pageSize
            )
        )
        var audiences: [SavedAudience] = []
        if visit.may(.sender) {
            audiences = try await visit.engine.audiences.list(app: set.app, after: nil, limit: Self.offered).items
        }
        return ContentFollowsView(list, of: set, audiences, after: after, may: visit.may(.sender), state, visit.look)
    }
}

/// Who follows which rows of a set, as its template shows it.
struct ContentFollowsView: PageView {
    static let template = "content-follows"

    /// One follow.
    struct Row: Hashable, Sendable {
        let followName: String
        let followTable: String
        let followUser: String?
        let followUserPath: String?
        let followAudience: String?
        let followRule: String
        let followCreated: TimeView
        let followDeletePath: String?
    }

    /// The form of a new follow, for who may send.
    struct Form: Hashable, Sendable {
        let newName: FieldView
        let audience: SelectView
        let table: SelectView
        let words: FieldView
    }

    let heading: String
    let setName: String
    let backPath: String
    let listPath: String
    let rows: [Row]
    let hasRows: Bool
    let newFollow: Form?
    let paging: PagingView?
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(
        _ list: ContentList<ContentFollow>,
        of set: ContentSet,
        _ audiences: [SavedAudience],
        after: String?,
        may: Bool,
        _ state: FormState,
        _ look: Look
    ) {
        let (texts, paths) = (look.texts, AppPath(app: set.app))
        let path = paths.contentSet(set.name)
        heading = texts("contentSets.follows")
        (setName, backPath, listPath) = (set.name, path, path + "/follows")
        rows = list.items.map { follow in
            Row(
                followName: follow.name,
                followTable: follow.table,
                followUser: follow.user?.rawValue,
                followUserPath: follow.user.map(paths.user),
                followAudience: follow.audience.map { ContentFollowsView.words($0, audiences) },
                followRule: ContentFollowsView.rule(follow.query, look),
                followCreated: look.times.table(follow.createdAt),
                followDeletePath: may ? "\(path)/follows/\(FormFields.escaped(follow.name))/delete" : nil
            )
        }
        hasRows = !rows.isEmpty
        newFollow =
            !may
            ? nil
            : Form(
                newName: state.field("name", texts("contentSets.name"), hint: texts("contentSets.followNameHint")),
                audience: state.select(
                    "audience",
                    texts("contentSets.audience"),
                    audiences.map { (value: $0.id.description, text: $0.name) }
                ),
                table: state.select(
                    "table",
                    texts("contentSets.table"),
                    set.definition.tables.map { (value: $0.name, text: $0.name) }
                ),
                words: state.field("words", texts("contentSets.words"), hint: texts("contentSets.wordsHint"))
            )
        paging = PagingView(isFirst: after == nil, next: list.nextCursor, at: path + "/follows") {
            FormFields().setting(["after": $0])
        }
        summary = state.summary
        hasSummary = !summary.isEmpty
    }

    /// An Audience by its name, or as the API writes it.
    private static func words(_ audience: JSONValue, _ known: [SavedAudience]) -> String {
        let id = audience.object?["saved"]?.string
        return known.first { $0.id.description == id }?.name ?? id ?? audience.compact
    }

    /// Which rows, in words.
    private static func rule(_ query: ContentFollowQuery, _ look: Look) -> String {
        var parts = query.equalities.map { "\($0.field) = \(look.list($0.values))" }
        if let words = query.words { parts.append(look.texts("contentSets.withWords", ["words": words])) }
        if let near = query.near {
            let metres = look.numbers.full(Int(near.radius.rounded()))
            parts.append(look.texts("contentSets.within", ["metres": metres]))
        }
        return parts.isEmpty ? look.texts("contentSets.allRows") : look.list(parts)
    }
}

extension JSONValue {
    /// The value as JSON.
    fileprivate var compact: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
