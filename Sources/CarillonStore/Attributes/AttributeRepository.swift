import CarillonEngine
import CarillonModel
import CarillonSQL

/// Attributes of Users in SQL, a row each.
struct AttributeRepository: AttributeStore {
    let database: any Database

    func attributes(of caller: DeviceCaller) async throws(StoreError) -> Result<UserAttributes, EngineError> {
        try await database.read { connection in
            switch try connection.devices.knownUser(caller) {
            case .failure(let error): .failure(error)
            case .success(let user): .success(try connection.attributes.attributes(of: user, app: caller.app))
            }
        }
    }

    func apply(
        _ change: UserAttributes,
        of caller: DeviceCaller
    ) async throws(StoreError) -> Result<UserAttributes, EngineError> {
        try await database.write { connection in
            let user: UserID
            switch try connection.devices.knownUser(caller) {
            case .failure(let error): return .failure(error)
            case .success(let known): user = known
            }
            return try connection.attributes.apply(change, to: user, app: caller.app)
        }
    }

    func attributes(of user: UserID, app: AppID) async throws(StoreError) -> UserAttributes {
        try await database.read { connection in try connection.attributes.attributes(of: user, app: app) }
    }

    func apply(
        _ changes: [UserID: UserAttributes],
        app: AppID,
        isBulk: Bool
    ) async throws(StoreError) -> [UserID: Result<UserAttributes, EngineError>] {
        try await database.write(priority: isBulk ? .bulk : .serving) { connection in
            // All at once and in the order of locks, as others do who change several Users: nobody waits in a circle.
            if connection.dialect == .postgreSQL { try connection.lock(Set(changes.keys.map { .user($0, app: app) })) }
            return try connection.attributes.apply(Self.sorted(changes), app: app)
        }
    }

    /// Changes in the key's order: an import has many thousands, and their rows lie beside each other.
    private static func sorted(_ changes: [UserID: UserAttributes]) -> [(key: UserID, value: UserAttributes)] {
        // The first eight bytes decide most comparisons.
        let known = changes.map { (prefix: $0.key.prefix, change: $0) }
        let sorted = known.sorted { left, right in
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            return left.change.key.rawValue.utf8.lexicographicallyPrecedes(right.change.key.rawValue.utf8)
        }
        return sorted.map(\.change)
    }
}

extension UserID {
    /// The first eight bytes as a number that has their order; zeros stand for those of a shorter id.
    fileprivate var prefix: UInt64 {
        var (prefix, rest) = (UInt64(0), 8)
        for byte in rawValue.utf8.prefix(8) {
            prefix = prefix << 8 | UInt64(byte)
            rest -= 1
        }
        return rest < 8 ? prefix << UInt64(8 * rest) : 0
    }
}

extension AttributeTable {
    /// Takes all attributes of a User away.
    func removeAttributes(of user: UserID, app: AppID) throws {
        try connection.run("DELETE FROM user_attributes WHERE app_id = $1 AND user_id = $2", app, user)
    }

    func attributes(of user: UserID, app: AppID) throws -> UserAttributes {
        let rows = try connection.all(Self.ofUser, app, user) { (row: any SQLStatement) in
            (
                row.string(AttributeColumn.name.rawValue),
                try JSONValue(attribute: row, from: AttributeColumn.kind.rawValue)
            )
        }
        return UserAttributes(attributes: Dictionary(rows) { first, _ in first })
    }

    /// Changes many Users, whose locks are held, in the order of their ids.
    fileprivate func apply(
        _ changes: [(key: UserID, value: UserAttributes)],
        app: AppID
    ) throws -> [UserID: Result<UserAttributes, EngineError>] {
        guard let first = changes.first?.key, let last = changes.last?.key else { return [:] }
        var results: [UserID: Result<UserAttributes, EngineError>] = [:]
        results.reserveCapacity(changes.count)
        // An import brings Users that have none yet: then nobody's have to be read.
        guard try connection.first(Self.ofRange, app, first, last, read: { _ in true }) == nil else {
            for (user, change) in changes { results[user] = try apply(change, to: user, app: app) }
            return results
        }
        let statement = try connection.prepare(Self.insert)
        for (user, change) in changes {
            let plan = change.plan(for: UserAttributes(attributes: [:]))
            results[user] = plan
            guard case .success(let result) = plan else { continue }
            for (name, value) in result.attributes.sorted(by: { $0.key < $1.key }) {
                try insert(name, value, of: user, app: app, statement)
            }
        }
        return results
    }

    /// Reads the attributes of a User, makes the plan and carries it out.
    fileprivate func apply(
        _ change: UserAttributes,
        to user: UserID,
        app: AppID
    ) throws -> Result<UserAttributes, EngineError> {
        try connection.lock(.user(user, app: app))
        let current = try attributes(of: user, app: app)
        let plan = change.plan(for: current)
        guard case .success(let result) = plan else { return plan }
        for name in change.attributes.keys.sorted() where current.attributes[name] != result.attributes[name] {
            try set(name, to: result.attributes[name], of: user, app: app)
        }
        return plan
    }

    // Composed once: an import sets the attributes of many Users in one transaction.
    private static let ofUser: SQL = """
        SELECT \(AttributeColumn.list(through: .whole)) FROM user_attributes WHERE app_id = $1 AND user_id = $2
        """
    private static let ofRange: SQL =
        "SELECT 1 FROM user_attributes WHERE app_id = $1 AND user_id BETWEEN $2 AND $3 LIMIT 1"
    private static let insert: SQL = """
        INSERT INTO user_attributes (\(AttributeColumn.list)) VALUES (\(AttributeColumn.parameters))
        ON CONFLICT (app_id, user_id, name) DO UPDATE SET kind = excluded.kind, text = excluded.text,
            number = excluded.number, whole = excluded.whole
        """

    fileprivate func set(_ name: String, to value: JSONValue?, of user: UserID, app: AppID) throws {
        if let value, value.columns != nil {
            try insert(name, value, of: user, app: app, try connection.prepare(Self.insert))
        } else {
            try connection.send(
                "DELETE FROM user_attributes WHERE app_id = $1 AND user_id = $2 AND name = $3",
                app,
                user,
                name
            )
        }
    }

    private func insert(
        _ name: String,
        _ value: JSONValue,
        of user: UserID,
        app: AppID,
        _ statement: any SQLStatement
    ) throws {
        guard let columns = value.columns else { return }
        let row = SQLParameters<AttributeColumn>(statement)
        row.bind(name, to: .name)
        row.bind(columns.kind, to: .kind)
        row.bind(columns.text, to: .text)
        row.bind(columns.number, to: .number)
        row.bind(columns.whole, to: .whole)
        row.bind(app, to: .appID)
        row.bind(user, to: .userID)
        try statement.send()
    }
}

/// The columns of `user_attributes`; queries know the App and the User.
enum AttributeColumn: Int, SQLColumn { case name, kind, text, number, whole, appID, userID }

/// What kind of value an attribute has; the numbers never change their meaning.
private enum AttributeKind: Int64, SQLBindable {
    case text = 1
    case whole = 2
    case number = 3
    case flag = 4
}

extension JSONValue {
    /// The columns that keep a value; `nil` for what is no attribute.
    fileprivate var columns: (kind: AttributeKind, text: String?, number: Double?, whole: Int64?)? {
        switch self {
        case .string(let text): (.text, text, nil, nil)
        case .integer(let whole): (.whole, nil, Double(whole), whole)
        case .number(let number): (.number, nil, number, nil)
        case .bool(let flag): (.flag, nil, flag ? 1 : 0, nil)
        case .null, .array, .object: nil
        }
    }

    /// Reads the columns `kind`, `text`, `number` and `whole`, without generics: a personal Campaign does so for each
    /// attribute of each Device.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - kind: The index of the column `kind`; the others follow it in the order of ``AttributeColumn``.
    /// - Throws: ``StoreError/failed(_:)`` for an unknown kind.
    init(attribute row: any SQLStatement, from kind: Int) throws(StoreError) {
        let first = AttributeColumn.kind.rawValue
        let (text, number) = (
            kind + AttributeColumn.text.rawValue - first, kind + AttributeColumn.number.rawValue - first
        )
        switch AttributeKind(rawValue: row.int64(kind)) {
        case .text: self = .string(row.string(text))
        case .whole: self = .integer(row.int64(kind + AttributeColumn.whole.rawValue - first))
        case .number: self = .number(row.double(number))
        case .flag: self = .bool(row.double(number) != 0)
        case nil: throw .failed("Column \(kind) of a row holds \(row.int64(kind)), which is no kind of attribute.")
        }
    }
}
