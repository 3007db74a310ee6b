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
    let log: MessagesView
}

extension UserView {
    /// Creates the page.
    init(_ model: UserPage.Model, of app: AppID, _ look: Look) {
        let id = model.user.user
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
        log = MessagesView(model.messages, at: AppPath(app: app).user(id), after: model.after, of: app, look)
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
