import CarillonModel
import CarillonOperatorModel

/// The list of an App's Users as its template shows it.
struct UsersView: PageView {
    static let template = "users"

    /// One User.
    struct Row: Hashable, Sendable {
        let userName: String
        let userPath: String
        let deviceCount: String
    }

    let heading: String
    let search: String
    let listPath: String
    let rows: [Row]
    let hasRows: Bool
    let paging: PagingView?
    let isFirstUse: Bool
    let hasNoMatch: Bool

    init(_ users: Page<ListedUser>, _ query: UserList.Query, of app: AppID, _ look: Look) {
        let paths = AppPath(app: app)
        heading = look.texts("users.heading")
        search = query.text
        listPath = paths.users
        rows = users.items.map { user in
            Row(
                userName: user.user.rawValue,
                userPath: paths.user(user.user),
                deviceCount: look.numbers.full(user.devices)
            )
        }
        hasRows = !rows.isEmpty
        paging = PagingView(isFirst: query.after == nil, next: users.nextCursor, at: paths.users) {
            query.continuing(after: $0).fields
        }
        isFirstUse = rows.isEmpty && query.text.isEmpty && query.after == nil
        hasNoMatch = rows.isEmpty && !isFirstUse
    }
}

/// The page of a User as its template shows it.
struct UserView: PageView {
    static let template = "user"

    /// A value of the User.
    struct Attribute: Hashable, Sendable {
        let attributeName: String
        let attributeValue: String
    }

    let heading: String
    let userID: String
    let rows: [DeviceRow]
    let hasRows: Bool
    let tags: [String]
    let hasTags: Bool
    let attributes: [Attribute]
    let hasAttributes: Bool
    /// Where tags and attributes are changed; `nil` for who may not.
    let editPath: String?
    /// The file of all that is stored of the person; `nil` for who may not have it.
    let exportPath: String?
    /// Where the User is erased; `nil` for who may not.
    let erasePath: String?
    let userPath: String
    /// The Campaign that was asked about, the answer, and when it was decided.
    let askedCampaign: String
    let why: String?
    let whyAt: TimeView?
    let timeline: TimelineView
}

extension UserView {
    /// Creates the page.
    ///
    /// - Parameters:
    ///   - model: What it shows.
    ///   - app: The App.
    ///   - role: The Operator's role, which decides what is offered.
    ///   - look: The words of the page.
    init(_ model: UserPage.Model, of app: AppID, role: OperatorRole, _ look: Look) {
        let id = model.user.user
        let path = AppPath(app: app).user(id)
        heading = look.texts("user.heading")
        userID = id.rawValue
        rows = model.devices.map { DeviceRow($0, look) }
        hasRows = !rows.isEmpty
        tags = model.user.tags.map(\.name)
        hasTags = !tags.isEmpty
        attributes = model.user.attributes.sorted { $0.key < $1.key }.map { name, value in
            Attribute(attributeName: name, attributeValue: value.words(look))
        }
        hasAttributes = !attributes.isEmpty
        editPath = role >= .editor ? path + "/edit" : nil
        exportPath = role >= .admin ? path + "/export.jsonl" : nil
        erasePath = role >= .admin ? path + "/erase" : nil
        userPath = path
        askedCampaign = model.campaign
        why = model.answer?.sentence(look)
        whyAt = (model.answer?.at).map { look.times.table($0) }
        timeline = TimelineView(model.timeline, at: path, of: app, showsDevices: true, look)
    }
}

extension JSONValue {
    /// A value for a table.
    fileprivate func words(_ look: Look) -> String {
        switch self {
        case .null: ""
        case .bool(let value): look.texts(value ? "value.yes" : "value.no")
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .string(let text): text
        case .array(let values): look.list(values.map { $0.words(look) })
        case .object(let values):
            look.list(values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.words(look))" })
        }
    }
}
