import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import Foundation
import HTTPTypes
import Hummingbird

/// A content set behind a repository.
struct CoimotionSet: Sendable {
    var name: String
    var definition: ContentSetDefinition
    /// The current rows of tables.
    var versions: [String: ContentSet.Version]
    /// The zone of times without an offset.
    var zone: TimeZone

    /// A table as its rows were imported.
    func table(_ name: String) -> ContentTable? { versions[name]?.table ?? definition.table(name) }
}

/// Reads the content sets behind repositories.
struct CoimotionContent: Sendable {
    /// Maximum number of rows of an answer: the vendor's SDKs take at most 1 MiB.
    static let rowLimit = 1_000
    /// Maximum number of a page's rows, and how many it has when the call does not say it.
    static let pageSizes = 1...200
    static let pageSize = 10

    let sets: ContentSets
    let accounts: Accounts

    /// The rows of an answer.
    struct Rows: Sendable {
        var rows: [CoimotionRow] = []
        /// How many there are in all pages; `nil` unless a page is wanted.
        var total: Int?
    }

    /// Returns the content set behind a repository.
    ///
    /// - Parameters:
    ///   - name: The set's name; `nil` when the App does not reference the repository.
    ///   - repository: The repository's name.
    ///   - call: The call.
    /// - Returns: The set.
    /// - Throws: ``CoimotionFailure``, or ``EngineError`` when there is no such set.
    func set(_ name: String?, _ repository: String, _ call: CoimotionCall) async throws -> CoimotionSet {
        guard let name else { throw CoimotionFailure.notReferenced(repository) }
        let set = try await contentAnswer(try await sets.set(name, app: call.app))
        let zone = TimeZone(identifier: set.definition.timeZone) ?? .gmt
        return CoimotionSet(name: name, definition: set.definition, versions: set.versions, zone: zone)
    }

    /// Returns rows: a page when the call asks for one by `_pn` or `_ps`, else all of them up to a limit.
    ///
    /// - Parameters:
    ///   - query: Which rows are wanted.
    ///   - table: The table.
    ///   - set: The content set.
    ///   - call: The call.
    ///   - limit: How many rows there are at most.
    /// - Returns: The rows, in order.
    /// - Throws: ``EngineError``.
    func rows(
        _ query: ContentQuery,
        _ table: String,
        of set: CoimotionSet,
        _ call: CoimotionCall,
        atMost limit: Int = Self.rowLimit
    ) async throws -> Rows {
        let number = try call.parameters.integer("_pn", 1...Int(Int32.max))
        let size = try call.parameters.integer("_ps", Self.pageSizes)
        guard number != nil || size != nil else {
            return Rows(rows: try await allRows(query, table, of: set, call, atMost: limit))
        }
        var query = query
        query.limit = min(size ?? Self.pageSize, limit)
        query.part = .page(number ?? 1)
        let wanted = query
        let page = try await contentAnswer(try await sets.page(wanted, table: table, of: set.name, app: call.app))
        return Rows(rows: try page.items.map { try CoimotionRow($0.document, set.zone) }, total: page.total ?? 0)
    }

    /// Returns all rows up to a limit, whatever page the call asks for.
    func allRows(
        _ query: ContentQuery,
        _ table: String,
        of set: CoimotionSet,
        _ call: CoimotionCall,
        atMost limit: Int = Self.rowLimit
    ) async throws -> [CoimotionRow] {
        var (query, rows) = (query, [CoimotionRow]())
        query.limit = min(limit, ContentQuery.maximumLimit)
        repeat {
            let wanted = query
            let page = try await contentAnswer(try await sets.page(wanted, table: table, of: set.name, app: call.app))
            rows += try page.items.prefix(limit - rows.count).map { try CoimotionRow($0.document, set.zone) }
            guard let next = page.next else { break }
            query.part = .after(next)
        } while rows.count < limit
        return rows
    }

    /// Returns the row of a key; `nil` when there is none.
    func row(_ key: String, _ table: String, of set: CoimotionSet, _ call: CoimotionCall) async throws -> CoimotionRow?
    {
        guard (1...ContentValue.maximumTermSize).contains(key.utf8.count) else { return nil }
        return try await keyed([key], table, of: set, call).first
    }

    /// Returns the rows of keys.
    func keyed(
        _ keys: [String],
        _ table: String,
        of set: CoimotionSet,
        _ call: CoimotionCall
    ) async throws -> [CoimotionRow] {
        guard let key = set.definition.table(table)?.key else { throw EngineError.notFound(.contentSet) }
        var rows: [CoimotionRow] = []
        let step = ContentQuery.Equality.maximumValueCount
        for start in stride(from: 0, to: keys.count, by: step) {
            var query = ContentQuery()
            query.equalities = [.init(field: key, values: Array(keys[start..<min(start + step, keys.count)]))]
            query.limit = step
            let wanted = query
            let page = try await contentAnswer(try await sets.page(wanted, table: table, of: set.name, app: call.app))
            rows += try page.items.map { try CoimotionRow($0.document, set.zone) }
        }
        return rows
    }

    /// The answer of a call that anybody may make, with what has become of its token.
    func answer(_ call: CoimotionCall, _ value: [String: JSONValue]) async throws -> Response {
        try CoimotionAnswer.success(value, token: try await call.session(accounts).token)
    }

    /// The same with a list.
    func answer(_ call: CoimotionCall, list: [[String: JSONValue]], total: Int? = nil) async throws -> Response {
        var value: [String: JSONValue] = ["list": .array(list.map(JSONValue.object))]
        value["total"] = total.map { .integer(Int64($0)) }
        return try await answer(call, value)
    }
}

/// A row of a content set, whose values are read as the vendor writes them: texts, empty when there is none.
struct CoimotionRow: Sendable {
    private let members: [String: JSONValue]
    /// The zone of the content set.
    private let zone: TimeZone

    /// - Throws: ``CoimotionFailure`` for what is no object of JSON, which no import makes.
    init(_ document: String, _ zone: TimeZone) throws {
        guard let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(document.utf8)) else {
            throw CoimotionFailure.internalError
        }
        (self.members, self.zone) = (members, zone)
    }

    func string(_ name: String) -> String? { members[name]?.string }

    func text(_ name: String) -> JSONValue { .string(string(name) ?? "") }

    func strings(_ name: String) -> [String] { members[name]?.array?.compactMap(\.string) ?? [] }

    func flag(_ name: String) -> JSONValue { .integer(members[name]?.bool == true ? 1 : 0) }

    /// A time as `yyyy-MM-dd HH:mm:ss` of the content set's zone.
    func time(_ name: String) -> JSONValue {
        guard let instant = string(name).flatMap({ Timestamp($0) }) else { return .string("") }
        return .string(Self.text(instant, in: zone))
    }

    func latitude(_ name: String) -> JSONValue { degrees(name, "latitude") }

    func longitude(_ name: String) -> JSONValue { degrees(name, "longitude") }

    private func degrees(_ name: String, _ part: String) -> JSONValue {
        .string(members[name]?[part]?.number.map { String($0) } ?? "")
    }

    /// The wall clock of an instant, as `yyyy-MM-dd HH:mm:ss`.
    static func text(_ instant: Timestamp, in zone: TimeZone) -> String {
        let shifted = instant.advanced(by: .seconds(zone.secondsFromGMT(for: instant.date)))
        return String(shifted.description.prefix(19)).replacing("T", with: " ")
    }
}
