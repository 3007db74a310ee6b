import Carillon
import CarillonModel
import Foundation

/// The content sets of the App, and what its users follow.
struct TestKitContent: Sendable {
    /// A table of a set: its definition, and the two versions of its rows that cursors are in.
    struct Table: Sendable {
        var definition: TestKitContentDefinition.Table
        var versions: [(number: Int, rows: [JSONValue])] = []
    }

    var sets: [String: [Table]] = [:]
    /// Arrivals as JSON, by set and route.
    var arrivals: [String: [String: JSONValue]] = [:]
    /// By user, set and name.
    private(set) var follows: [UserID: [String: [String: JSONValue]]] = [:]
    private var lastVersion = 1_000

    /// Maximum number of follows of a User in a set.
    static let maximumFollows = 100

    /// Replaces the rows of a table.
    ///
    /// - Returns: False when there is no such table.
    mutating func setRows(_ rows: [JSONValue], of set: String, _ name: String?) -> Bool {
        guard let tables = sets[set], let index = Self.index(name, tables) else { return false }
        lastVersion += 1
        let sorted = tables[index].definition.sorted(rows)
        let versions = tables[index].versions + [(number: lastVersion, rows: sorted)]
        sets[set]?[index].versions = Array(versions.suffix(2))
        return true
    }

    mutating func forget(_ user: UserID) { follows[user] = nil }

    // MARK: - Rows

    /// A page of rows.
    func page(_ query: TestKitRowQuery, of set: String, _ name: String?) throws(Problem) -> JSONValue {
        let table = try table(name, of: set)
        let errors = query.errors(for: table.definition)
        guard errors.isEmpty else { throw .invalidFields(errors) }
        var (version, start) = (table.versions.last, 0)
        if let cursor = query.cursor {
            version = table.versions.first { $0.number == cursor.version }
            start = cursor.place
            guard version != nil else {
                throw .invalidField("cursor", "must be of a version that is there; begin without a cursor")
            }
        }
        guard let version else { return .object(["items": .array([])]) }
        let found = query.find(in: version.rows, of: table.definition)
        let page = found.dropFirst(start).prefix(query.limit)
        var answer: [String: JSONValue] = ["items": .array(page.map(\.json))]
        let end = start + page.count
        if end < found.count { answer["nextCursor"] = .string("\(version.number).\(end)") }
        return .object(answer)
    }

    private func table(_ name: String?, of set: String) throws(Problem) -> Table {
        guard let tables = sets[set] else { throw .unknownContentSet }
        if name == nil, tables.count > 1 {
            let names = tables.map(\.definition.name).joined(separator: ", ")
            throw .invalidField("table", "must be one of \(names)")
        }
        guard let index = Self.index(name, tables) else { throw .unknownContentSet }
        return tables[index]
    }

    private static func index(_ name: String?, _ tables: [Table]) -> Int? {
        guard let name else { return tables.count == 1 ? 0 : nil }
        return tables.firstIndex { $0.definition.name == name }
    }

    // MARK: - Follows

    func list(of user: UserID, in set: String) throws(Problem) -> JSONValue {
        guard sets[set] != nil else { throw .unknownContentSet }
        let follows = (follows[user]?[set] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        return .object(["items": .array(follows)])
    }

    mutating func put(
        _ name: String,
        of user: UserID,
        in set: String,
        _ request: TestKitFollowRequest,
        at now: Timestamp
    ) throws(Problem) -> JSONValue {
        guard let tables = sets[set] else { throw .unknownContentSet }
        guard let index = Self.index(request.table, tables) else {
            throw .invalidField("table", "must be a table of the content set")
        }
        let table = tables[index].definition
        var errors = request.query.errors(for: table)
        if !Self.isName(name) {
            let problem = "must be 1 through 100 letters, digits, hyphens, dots and underscores"
            errors.append(FieldError(field: "follow", problem: problem))
        }
        guard errors.isEmpty else { throw .invalidFields(errors) }
        let others = (follows[user]?[set] ?? [:]).keys.filter { $0 != name }
        guard others.count < Self.maximumFollows else { throw .conflict }
        var follow = request.json
        follow["set"] = .string(set)
        follow["name"] = .string(name)
        follow["table"] = .string(table.name)
        follow["user"] = .string(user.rawValue)
        follow["createdAt"] = .string(now.description)
        follows[user, default: [:]][set, default: [:]][name] = .object(follow)
        return .object(follow)
    }

    mutating func delete(_ name: String, of user: UserID, in set: String) throws(Problem) {
        guard follows[user]?[set]?.removeValue(forKey: name) != nil else { throw .unknownContentFollow }
    }

    private static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2D || byte == 0x2E || byte == 0x5F
            }
    }
}

/// A follow as the SDK sends it.
struct TestKitFollowRequest: Decodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case user, audience, table, `where`, near, radius, words, isBundled
    }

    var table: String?
    var query = TestKitRowQuery()
    var isBundled = false

    init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        for key in [CodingKeys.user, .audience] where fields.contains(key) {
            throw fields.failure(key, "must be left out: it is the Device's User")
        }
        table = try fields.text(.table, 1...64)
        isBundled = try fields.optional(.isBundled) ?? false
        query.words = try fields.text(.words, 1...200)
        let radius: Double? = try fields.optional(.radius)
        if let place: TestKitPlace = try fields.optional(.near) {
            query.near = (place, radius ?? TestKitRowQuery.defaultRadius)
        } else if radius != nil {
            throw fields.failure(.near, "is required with radius")
        }
        let values: [String: JSONValue] = try fields.optional(.where) ?? [:]
        guard let read = TestKitRowQuery.values(values) else {
            throw fields.failure(.where, "must have a text, an integer, a boolean or an array of those a field")
        }
        query.values = read
    }

    /// As answers have it, without what belongs to the set and the User.
    var json: [String: JSONValue] {
        var json: [String: JSONValue] = ["isBundled": .bool(isBundled)]
        if !query.values.isEmpty {
            json["where"] = .object(query.values.mapValues { .array($0.map(JSONValue.string)) })
        }
        if let (place, radius) = query.near {
            json["near"] = .object(["latitude": .number(place.latitude), "longitude": .number(place.longitude)])
            json["radius"] = .number(radius)
        }
        if let words = query.words { json["words"] = .string(words) }
        return json
    }
}

extension Problem {
    static let unknownContentSet = Problem(
        code: "unknown-content-set",
        title: "There is no such content set, or table of it.",
        status: 404
    )
    static let unknownContentRow = Problem(
        code: "unknown-content-row",
        title: "There is no such row of the content set.",
        status: 404
    )
    static let noRoutes = Problem(
        code: "conflict",
        title: "It is not in a state for this.",
        status: 409,
        detail: "The content set has no table routes, and so no arrivals."
    )
    static let unknownContentFollow = Problem(
        code: "unknown-content-follow",
        title: "There is no such follow of the content set.",
        status: 404
    )
    static let conflict = Problem(code: "conflict", title: "There are as many follows as there may be.", status: 409)

    static func invalidFields(_ errors: [FieldError]) -> Problem {
        Problem(code: "invalid-field", title: "A field of the request is not valid.", status: 422, errors: errors)
    }
}
