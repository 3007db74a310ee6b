public import CarillonModel

/// What an Operator may do: each role may do what the ones before it may.
public enum OperatorRole: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// Sees pages, statistics and timelines.
    case viewer
    /// Also writes drafts, Audiences, tags and templates, and sends tests.
    case editor
    /// Also sends, schedules, cancels, pauses, and approves the Campaigns of others.
    case sender
    /// Also changes settings, keys and Operators, reads the audit log, and erases.
    case admin

    /// Compares what the roles may do.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .editor: 1
        case .sender: 2
        case .admin: 3
        }
    }
}

/// The role of an Operator in one App.
public struct OperatorAppRole: Hashable, Sendable, Codable {
    /// The App.
    public var app: AppID
    /// The role in it.
    public var role: OperatorRole

    /// Creates a role in an App.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - role: The role in it.
    public init(app: AppID, role: OperatorRole) {
        self.app = app
        self.role = role
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case app, role
    }

    /// Decodes a role strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        app = try fields.required(.app)
        role = try fields.required(.role)
    }
}

/// The roles of an Operator: one for all Apps, and others for single Apps.
public struct OperatorRoles: Hashable, Sendable {
    /// The role in every App and in what concerns the server; `nil` for none.
    public var everywhere: OperatorRole?
    /// The roles in single Apps, at most one an App.
    public var apps: [OperatorAppRole]

    /// Creates roles.
    ///
    /// - Parameters:
    ///   - everywhere: The role in every App; `nil` for none.
    ///   - apps: The roles in single Apps.
    public init(everywhere: OperatorRole? = nil, apps: [OperatorAppRole] = []) {
        self.everywhere = everywhere
        self.apps = apps
    }

    /// The role in an App: the greater one of that App's and the one everywhere; `nil` when the Operator has none there.
    ///
    /// - Parameter app: The App; `nil` for what concerns the server.
    /// - Returns: The role.
    public func role(in app: AppID?) -> OperatorRole? {
        let own = app.flatMap { app in apps.lazy.filter { $0.app == app }.map(\.role).max() }
        return [everywhere, own].compactMap(\.self).max()
    }

    /// The greatest of all roles; `nil` when there is none.
    public var greatest: OperatorRole? { (apps.map(\.role) + [everywhere].compactMap(\.self)).max() }
}
