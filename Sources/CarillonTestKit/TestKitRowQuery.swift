import CarillonModel
import Foundation

/// The conditions of a request for rows, all of which hold at once.
struct TestKitRowQuery: Sendable {
    /// A row that was found.
    struct Found: Sendable {
        var row: JSONValue
        var distance: Double?

        var json: JSONValue {
            var json: [String: JSONValue] = ["row": row]
            if let distance { json["distance"] = .number((distance * 10).rounded() / 10) }
            return .object(json)
        }
    }

    static let defaultRadius = 2_000.0
    /// The names that the query of a request may have.
    static let names = ["table", "cursor", "limit", "where", "near", "radius", "time", "from", "until", "words"]

    var values: [String: [String]] = [:]
    var near: (place: TestKitPlace, radius: Double)?
    var times: (field: String, from: Timestamp?, until: Timestamp?)?
    var words: String?
    var limit = 50
    var cursor: (version: Int, place: Int)?

    init() {}

    /// Reads the query of a request.
    ///
    /// - Throws: `Problem` with all values that cannot be read.
    init(_ items: [String: String]) throws(Problem) {
        var errors: [FieldError] = []
        words = items["words"]
        if let text = items["limit"] {
            guard let limit = Int(text), (1...200).contains(limit) else {
                throw .invalidField("limit", "must be 1 through 200")
            }
            self.limit = limit
        }
        if let text = items["cursor"] {
            let parts = text.split(separator: ".").compactMap { Int($0) }
            guard parts.count == 2 else { throw .invalidField("cursor", "must be the nextCursor of a page") }
            cursor = (parts[0], parts[1])
        }
        readPlace(items, &errors)
        readTimes(items, &errors)
        if let text = items["where"] {
            let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
            if let read = members.flatMap(Self.values) {
                values = read
            } else {
                errors.append(FieldError(field: "where", problem: "must be a JSON object of fields"))
            }
        }
        if !errors.isEmpty { throw .invalidFields(errors) }
    }

    private mutating func readPlace(_ items: [String: String], _ errors: inout [FieldError]) {
        let radius = items["radius"].map { Double($0) }
        if case .some(nil) = radius {
            errors.append(FieldError(field: "radius", problem: "must be a number of metres"))
        }
        guard let text = items["near"] else {
            if radius != nil { errors.append(FieldError(field: "near", problem: "is required with radius")) }
            return
        }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
        guard numbers.count == 2, let place = TestKitPlace(latitude: numbers[0], longitude: numbers[1]) else {
            errors.append(FieldError(field: "near", problem: "must be a latitude and a longitude in degrees"))
            return
        }
        near = (place, (radius ?? nil) ?? Self.defaultRadius)
    }

    private mutating func readTimes(_ items: [String: String], _ errors: inout [FieldError]) {
        var bounds: [String: Timestamp] = [:]
        for name in ["from", "until"] {
            guard let text = items[name] else { continue }
            bounds[name] = Timestamp(text)
            if bounds[name] == nil { errors.append(FieldError(field: name, problem: "must be an RFC 3339 time")) }
        }
        if let field = items["time"] {
            times = (field, bounds["from"], bounds["until"])
        } else if items["from"] != nil || items["until"] != nil {
            errors.append(FieldError(field: "time", problem: "is required with from and until"))
        }
    }

    /// Values by field, as texts; `nil` when one is no text, integer or boolean.
    static func values(_ members: [String: JSONValue]) -> [String: [String]]? {
        var all: [String: [String]] = [:]
        for (field, value) in members {
            let texts = (value.array ?? [value]).map(text)
            guard texts.allSatisfy({ $0 != nil }) else { return nil }
            all[field] = texts.compactMap(\.self)
        }
        return all
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let whole): String(whole)
        case .bool(let bool): bool ? "true" : "false"
        case .null, .number, .array, .object: nil
        }
    }

    // MARK: - Rows

    /// What does not fit a table.
    func errors(for table: TestKitContentDefinition.Table) -> [FieldError] {
        var errors: [FieldError] = []
        if values.count > 8 { errors.append(FieldError(field: "where", problem: "must be at most 8 fields")) }
        for (field, texts) in values.sorted(by: { $0.key < $1.key }) {
            if table.field(field)?.isIndexed != true, field != table.key {
                errors.append(FieldError(field: "where", problem: "must name an indexed field"))
            } else if !(1...50).contains(texts.count) {
                errors.append(FieldError(field: "where", problem: "must have 1 through 50 values a field"))
            }
        }
        if let near {
            if table.position == nil {
                errors.append(FieldError(field: "near", problem: "must be left out: the table has no position"))
            }
            if !(near.radius > 0 && near.radius <= 200_000) {
                let problem = "must be more than 0 and at most 200000 metres"
                errors.append(FieldError(field: "radius", problem: problem))
            }
        }
        if let times {
            if table.field(times.field)?.type != "time" {
                errors.append(FieldError(field: "time", problem: "must name a field of the type time"))
            }
            if let from = times.from, let until = times.until, from >= until {
                errors.append(FieldError(field: "until", problem: "must be after from"))
            }
        }
        return errors + wordErrors(table)
    }

    private func wordErrors(_ table: TestKitContentDefinition.Table) -> [FieldError] {
        guard let words else { return [] }
        var errors: [FieldError] = []
        if !table.fields.contains(where: { $0.isSearchable == true }) {
            errors.append(FieldError(field: "words", problem: "must be left out: no field is searchable"))
        }
        if let problem = TextLimit(1...200).problem(of: words) {
            errors.append(FieldError(field: "words", problem: problem))
        } else if TestKitTerms.ofQuery(words).isEmpty {
            errors.append(FieldError(field: "words", problem: "must have letters or digits"))
        }
        return errors
    }

    /// The rows that fit, near a place the nearest first.
    func find(in rows: [JSONValue], of table: TestKitContentDefinition.Table) -> [Found] {
        let found = rows.compactMap { row -> Found? in
            guard fits(row, table) else { return nil }
            guard let near else { return Found(row: row) }
            guard let place = table.position.flatMap({ TestKitPlace(row[$0]) }) else { return nil }
            let distance = near.place.distance(to: place)
            return distance <= near.radius ? Found(row: row, distance: distance) : nil
        }
        guard near != nil else { return found }
        // Those at one distance keep the table's order.
        return found.enumerated().sorted { left, right in
            (left.element.distance ?? 0, left.offset) < (right.element.distance ?? 0, right.offset)
        }.map(\.element)
    }

    private func fits(_ row: JSONValue, _ table: TestKitContentDefinition.Table) -> Bool {
        for (field, texts) in values {
            guard let value = row[field] else { return false }
            let own = (value.array ?? [value]).compactMap(Self.text)
            guard own.contains(where: texts.contains) else { return false }
        }
        if let times {
            guard let time = row[times.field]?.string.flatMap({ Timestamp($0) }) else { return false }
            guard times.from.map({ time >= $0 }) ?? true, times.until.map({ time < $0 }) ?? true else { return false }
        }
        guard let words else { return true }
        return TestKitTerms.ofQuery(words).isSubset(of: TestKitTerms.ofRow(table.searchedTexts(of: row)))
    }
}
