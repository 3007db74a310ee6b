import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

/// The list of an App's tags.
struct TagsView: PageView {
    static let template = "tags"

    struct Row: Hashable, Sendable {
        let tagPath: String
        let tagName: String
        let tagUsers: String
        let tagAuthor: String
        let tagCreated: TimeView
    }

    let heading: String
    let search: String
    let listPath: String
    let newPath: String?
    let rows: [Row]
    let hasRows: Bool
    let isFirstUse: Bool
    let hasNoMatch: Bool
    let paging: PagingView?

    init(
        _ page: Page<Tag>,
        _ counts: [TagID: TagUserCount],
        _ authors: [TagID: String],
        _ text: String,
        isFirst: Bool,
        _ visit: Visit
    ) {
        let paths = visit.pathApp.map { AppPath(app: $0.id) }
        heading = visit.texts("tags.heading")
        search = text
        let path = paths?.tags ?? ""
        listPath = path
        newPath = visit.may(.editor) ? path + "/new" : nil
        rows = page.items.map { tag in
            Row(
                tagPath: paths?.tag(tag.id) ?? "",
                tagName: tag.name,
                tagUsers: TagText.count(counts[tag.id], visit),
                tagAuthor: authors[tag.id] ?? visit.texts("tags.unknownAuthor"),
                tagCreated: visit.times.table(tag.createdAt)
            )
        }
        hasRows = !rows.isEmpty
        isFirstUse = rows.isEmpty && text.isEmpty && isFirst
        hasNoMatch = rows.isEmpty && !isFirstUse
        paging = PagingView(isFirst: isFirst, next: page.nextCursor, at: path) {
            FormFields().setting(["q": text.isEmpty ? nil : text, "after": $0])
        }
    }
}

/// The form of a new tag.
struct NewTagView: PageView {
    static let template = "tag-new"

    let heading: String
    let formPath: String
    let nameField: FieldView
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ state: FormState, _ visit: Visit) {
        heading = visit.texts("tags.new")
        formPath = visit.pathApp.map { AppPath(app: $0.id).tags + "/new" } ?? ""
        nameField = state.field("name", visit.texts("tags.name"), hint: visit.texts("tags.nameHint"))
        summary = state.summary
        hasSummary = !state.problems.isEmpty
    }
}

/// A tag with what uses it and some of its Users.
struct TagModel: Sendable {
    let tag: Tag
    let author: String?
    let count: TagUserCount?
    let audiences: [SavedAudience]
    let campaigns: [Campaign]
    let users: Page<UserID>
    let isFirst: Bool
}

/// A tag's page.
struct TagView: PageView {
    static let template = "tag"

    struct Link: Hashable, Sendable {
        let linkPath: String
        let linkName: String
    }

    let heading: String
    let facts: [FactView]
    let uses: [Link]
    let isUsed: Bool
    let users: [Link]
    let hasUsers: Bool
    let paging: PagingView?
    let mayEdit: Bool
    let formPath: String
    let nameField: FieldView
    let listField: FieldView
    let fileField: FieldView
    let intoField: FieldView
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ model: TagModel, _ state: FormState, _ visit: Visit) {
        let (tag, texts, words) = (model.tag, visit.texts, CampaignText(look: visit.look))
        let paths = visit.pathApp.map { AppPath(app: $0.id) }
        let path = paths?.tag(tag.id) ?? ""
        heading = tag.name
        facts =
            [
                FactView(texts("tags.id"), code: tag.id.rawValue),
                FactView(texts("tags.users"), TagText.count(model.count, visit)),
                FactView(texts("tags.createdBy"), model.author ?? texts("tags.unknownAuthor")),
            ] + [FactView(texts("tags.created"), visit.times.table(tag.createdAt))].compactMap(\.self)
        uses =
            model.audiences.map { audience in
                let name = texts("tags.useAudience", ["name": audience.name])
                return Link(linkPath: paths?.audience(audience.id) ?? "", linkName: name)
            }
            + model.campaigns.map { campaign in
                let name = texts("tags.useCampaign", ["name": words.name(campaign)])
                return Link(linkPath: paths?.campaign(campaign.id) ?? "", linkName: name)
            }
        isUsed = !uses.isEmpty
        users = model.users.items.map { Link(linkPath: paths?.user($0) ?? "", linkName: $0.rawValue) }
        hasUsers = !users.isEmpty
        paging = PagingView(isFirst: model.isFirst, next: model.users.nextCursor, at: path) {
            FormFields().setting(["after": $0])
        }
        mayEdit = visit.may(.editor)
        formPath = path
        // A file cannot be given back to a browser.
        let state = FormState(values: state.values.setting(["file": nil]), problems: state.problems)
        nameField = state.field("name", texts("tags.name"), hint: texts("tags.nameHint"), standard: tag.name)
        let limits = ["lines": visit.numbers.full(TagListReading.maximumLines)]
        listField = state.field("list", texts("tags.listLabel"), hint: texts("tags.listHint", limits))
        fileField = state.field("file", texts("tags.fileLabel"), type: "file")
        intoField = state.field("into", texts("tags.into"), hint: texts("tags.intoHint"))
        summary = state.summary
        hasSummary = !state.problems.isEmpty
    }
}

/// What became of a list that has lines which changed nobody.
struct TagListView: PageView {
    static let template = "tag-list"
    /// How many lines are shown; the file has all.
    private static let shown = 50

    struct Row: Hashable, Sendable {
        let lineNumber: String
        let lineText: String
        let lineReason: String
    }

    let heading: String
    let changedText: String
    let rows: [Row]
    let moreText: String
    /// The file itself, in the address: the ids of persons are kept nowhere.
    let fileAddress: String
    let fileName: String
    let backPath: String
    let backName: String

    init(_ result: TagListResult, _ change: TagListChange, of tag: Tag, _ visit: Visit) {
        let (texts, numbers) = (visit.texts, visit.numbers)
        heading = texts("tags.list.heading", ["name": tag.name])
        let counts = ["changed": numbers.full(result.changed), "unchanged": numbers.full(result.unchanged)]
        changedText = texts("tags.list.\(change.rawValue)", counts)
        rows = result.problems.prefix(Self.shown).map { problem in
            Row(
                lineNumber: numbers.full(problem.line),
                lineText: problem.user,
                lineReason: texts.word("tags.reason", problem.reason.rawValue)
            )
        }
        moreText = texts(
            "tags.list.shown",
            ["shown": numbers.full(rows.count), "all": numbers.full(result.problems.count)]
        )
        var file = CSVText.mark + CSVText.line(["line", "user", "problem"])
        for problem in result.problems {
            file += CSVText.line([String(problem.line), problem.user, problem.reason.rawValue])
        }
        fileAddress = "data:text/csv;charset=utf-8;base64," + Data(file.utf8).base64EncodedString()
        fileName = "tag-\(tag.id)-problems.csv"
        backPath = visit.pathApp.map { AppPath(app: $0.id).tag(tag.id) } ?? ""
        backName = tag.name
    }
}

/// Words about tags.
enum TagText {
    /// A number of Users, which may be the least one.
    static func count(_ count: TagUserCount?, _ visit: Visit) -> String {
        let number = visit.numbers.full(count?.users ?? 0)
        return count?.isLeast == true ? visit.texts("tags.orMore", ["number": number]) : number
    }
}
