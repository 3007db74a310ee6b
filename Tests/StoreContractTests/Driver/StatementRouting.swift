import CarillonEngine
import CarillonModel
import Foundation
import TestStores

@testable import CarillonSQL
@testable import CarillonStore

/// Whether a statement restricts every table with `app_id` to one App, by a comparison: then one server can execute it,
/// wherever Apps are stored.
struct StatementRouting {
    /// The tables that have `app_id`.
    let tables: Set<String>

    /// The schema's.
    init() async throws {
        let database = try SQLiteDatabase(inMemory: .forTests)
        defer { database.close() }
        _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
        let names = try await database.read { connection in
            try connection.all(
                """
                SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
                WHERE m.type = 'table' AND c.name = 'app_id' LIMIT 1000
                """
            ) { $0.string(0) }
        }
        tables = Set(names)
    }

    /// The tables that are not restricted to one App.
    func unrouted(_ text: String) -> [String] {
        StatementScope.all(of: text).flatMap { $0.unrouted(tables) }
    }
}

/// A query of a statement without its subqueries.
private struct StatementScope {
    private let words: [String]

    /// The query with its subqueries.
    static func all(of text: String) -> [StatementScope] {
        let plain = text.replacing(#/'[^']*'/#, with: "''")
        let words = plain.matches(of: #/\$\d+|''|[\w."]+|[^\s\w]/#).map { String($0.output) }
        var scopes: [StatementScope] = []
        var place = words.startIndex
        var own: [String] = []
        collect(words, &place, &own, &scopes)
        return scopes + [StatementScope(words: own)]
    }

    private static let beginnings: Set<String> = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"]

    private static func collect(
        _ words: [String],
        _ place: inout Int,
        _ own: inout [String],
        _ scopes: inout [StatementScope]
    ) {
        while place < words.endIndex {
            let word = words[place]
            place += 1
            switch word {
            case "(" where place < words.endIndex && beginnings.contains(words[place]):
                var inner: [String] = []
                collect(words, &place, &inner, &scopes)
                scopes.append(StatementScope(words: inner))
                own.append("()")
            case "(":
                own.append(word)
                collect(words, &place, &own, &scopes)
                own.append(")")
            case ")":
                return
            case "UNION":
                scopes.append(StatementScope(words: own))
                own = []
                if place < words.endIndex, words[place] == "ALL" { place += 1 }
            default:
                own.append(word)
            }
        }
    }

    /// Words after a table that are not an alias of it.
    private static let keywords: Set<String> = [
        "WHERE", "ON", "JOIN", "LEFT", "CROSS", "INNER", "ORDER", "GROUP", "LATERAL", "SET", "USING", "VALUES", "LIMIT",
        "SELECT", "HAVING", "FROM", "FOR", "DO", "RETURNING", "INDEXED", "NOT", "DEFAULT",
    ]

    /// The tables that are read or changed, with their aliases.
    private func references() -> [(table: String, name: String)] {
        var found: [(table: String, name: String)] = []
        for (place, word) in words.enumerated() {
            let isTable =
                word == "FROM" && at(place - 1) != "DISTINCT" || word == "JOIN"
                || word == "USING" && words.first == "DELETE" || word == "UPDATE" && place == 0
            guard isTable else { continue }
            var next = place + 1
            while true {
                let table = at(next)
                var name = at(next + 1)
                if name == "AS" {
                    next += 1
                    name = at(next + 1)
                }
                let hasName = name.wholeMatch(of: #/\w+/#) != nil && !Self.keywords.contains(name)
                found.append((table, hasName ? name : table))
                next += hasName ? 2 : 1
                guard word == "FROM", at(next) == "," else { break }
                next += 1
            }
        }
        return found
    }

    private func at(_ place: Int) -> String { words.indices.contains(place) ? words[place] : "" }

    func unrouted(_ tables: Set<String>) -> [String] {
        let asked = references().filter { tables.contains($0.table) }
        var unrouted = asked.filter { !isCompared("\($0.name).app_id") && !(asked.count == 1 && isCompared("app_id")) }
            .map(\.table)
        if let target = insertion, tables.contains(target), !insertsOwnApp(isReadingRouted: unrouted.isEmpty) {
            unrouted.append(target)
        }
        return unrouted
    }

    private func isValue(_ place: Int) -> Bool {
        at(place).hasPrefix("$") || at(place) == "CAST" && at(place + 2).hasPrefix("$")
    }

    /// Whether a column must equal a parameter.
    private func isCompared(_ column: String) -> Bool {
        words.indices.contains { place in
            words[place] == column && at(place + 1) == "=" && isValue(place + 2) && !isAlternative(place)
        }
    }

    /// Whether an `OR` is next to a position, within the same parentheses or around them.
    private func isAlternative(_ place: Int) -> Bool {
        var depth = 0
        var lowest = 0
        for word in words[..<place].reversed() {
            depth += word == ")" ? 1 : word == "(" ? -1 : 0
            lowest = min(lowest, depth)
            if word == "OR", depth == lowest { return true }
            // The text before it is not a condition.
            if word == "WHERE", depth == lowest { break }
        }
        (depth, lowest) = (0, 0)
        for word in words[place...] {
            depth += word == "(" ? 1 : word == ")" ? -1 : 0
            lowest = min(lowest, depth)
            if word == "OR", depth == lowest { return true }
        }
        return false
    }

    private var insertion: String? {
        words.firstIndex(of: "INTO").map { at($0 + 1) }
    }

    /// Whether an inserted row has the App of a parameter, or of the rows that are read.
    private func insertsOwnApp(isReadingRouted: Bool) -> Bool {
        guard let into = words.firstIndex(of: "INTO"), let end = words[into...].firstIndex(of: ")") else {
            return false
        }
        let columns = words[(into + 3)..<end].filter { $0 != "," }
        guard let column = columns.firstIndex(of: "app_id") else { return false }
        var place = end + (at(end + 1) == "VALUES" ? 3 : 2)
        var (depth, passed) = (0, 0)
        while passed < column, place < words.endIndex {
            depth += at(place) == "(" ? 1 : at(place) == ")" ? -1 : 0
            if at(place) == ",", depth == 0 { passed += 1 }
            place += 1
        }
        if isValue(place) { return true }
        let isOfRows = at(place).split(separator: ".").last == "app_id" && at(end + 1) == "SELECT"
        // An App's own row is found by its id.
        let isOfApp = at(place) == "id" && references().map(\.table) == ["apps"] && isCompared("id")
        return isOfRows && isReadingRouted || isOfApp
    }
}
