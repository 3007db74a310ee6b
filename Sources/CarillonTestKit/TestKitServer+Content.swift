import Carillon
public import CarillonModel
public import Foundation

// MARK: - What a test sets and looks at

/// A definition of a content set, as far as queries need it.
struct TestKitContentDefinition: Decodable, Sendable {
    struct Field: Decodable, Sendable {
        var name: String
        var type: String
        var isIndexed: Bool?
        var isSearchable: Bool?
    }

    struct Table: Decodable, Sendable {
        var name: String
        var key: String
        var order: [String]?
        var fields: [Field]

        func field(_ name: String) -> Field? { fields.first { $0.name == name } }

        /// The field by which rows are found near a place.
        var position: String? { fields.first { $0.type == "position" }?.name }

        func searchedTexts(of row: JSONValue) -> [String] {
            fields.filter { $0.isSearchable == true }.flatMap { field -> [String] in
                guard let value = row[field.name] else { return [] }
                return (value.array ?? [value]).compactMap(\.string)
            }
        }

        /// Rows in the table's order: by the fields of `order`, rows without a value last, then by the key.
        func sorted(_ rows: [JSONValue]) -> [JSONValue] {
            let fields = (order ?? []) + [key]
            return rows.sorted { left, right in
                for field in fields {
                    switch (left[field], right[field]) {
                    case (nil, nil): continue
                    case (nil, _?): return false
                    case (_?, nil): return true
                    case (let first?, let second?):
                        if isBefore(first, second) { return true }
                        if isBefore(second, first) { return false }
                    }
                }
                return false
            }
        }

        private func isBefore(_ left: JSONValue, _ right: JSONValue) -> Bool {
            if let first = left.number, let second = right.number { return first < second }
            if case .bool(let first) = left, case .bool(let second) = right { return !first && second }
            return (left.string ?? "").utf8.lexicographicallyPrecedes((right.string ?? "").utf8)
        }
    }

    var tables: [Table]
}

extension TestKitServer {
    /// Why a content set cannot be made.
    public struct ContentFailure: Error, Hashable, CustomStringConvertible {
        /// What is wrong.
        public let description: String
    }

    /// The next arrival at a stop.
    public struct ContentArrival: Hashable, Sendable {
        /// The stop's id.
        public var stop: String
        /// The stop's name; `nil` for none.
        public var name: String?
        /// Whether it is on the way back.
        public var isInbound = false
        /// When a vehicle arrives; `nil` when none is expected today.
        public var time: Timestamp?
        /// Whether a vehicle told it, and not the timetable alone.
        public var isPredicted = false

        /// Makes an arrival.
        public init(stop: String, time: Timestamp?) {
            self.stop = stop
            self.time = time
        }
    }

    /// Makes a content set without rows, or replaces one.
    ///
    /// - Parameters:
    ///   - set: Its name.
    ///   - definition: The definition as JSON, as `carillon content set` takes it and `carillon content preset` prints it.
    /// - Throws: ``ContentFailure`` when it is none.
    public func setContentSet(_ set: String, definition: Data) throws {
        do {
            let tables = try JSONDecoder().decode(TestKitContentDefinition.self, from: definition).tables
            with { $0.content.sets[set] = tables.map { TestKitContent.Table(definition: $0) } }
        } catch {
            throw ContentFailure(description: "it is no definition of a content set: \(error)")
        }
    }

    /// Replaces the rows of a table, as an import does; what the server notifies of new rows, it does not.
    ///
    /// - Parameters:
    ///   - rows: Values whose JSON is that of the definition's rows; dates become RFC 3339 texts.
    ///   - set: The content set.
    ///   - table: The table; `nil`: the only one.
    /// - Throws: ``ContentFailure`` when there is no such table, or a row is no JSON object.
    public func setRows(_ rows: [some Encodable], of set: String, table: String? = nil) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in try Timestamp(date).encode(to: encoder) }
        let encoded: [JSONValue]
        do {
            encoded = try JSONDecoder().decode([JSONValue].self, from: encoder.encode(rows))
        } catch {
            throw ContentFailure(description: "a row is no JSON: \(error)")
        }
        guard encoded.allSatisfy({ $0.object != nil }) else {
            throw ContentFailure(description: "a row is no JSON object")
        }
        guard with({ $0.content.setRows(encoded, of: set, table) }) else {
            throw ContentFailure(description: "there is no such table of \(set)")
        }
    }

    /// Sets the arrivals on a route.
    ///
    /// - Parameters:
    ///   - arrivals: Outbound ones first, in the order of the stops.
    ///   - route: The route's id.
    ///   - set: The content set.
    public func setArrivals(_ arrivals: [ContentArrival], onRoute route: String, in set: String) {
        let items = arrivals.map { arrival -> JSONValue in
            var item: [String: JSONValue] = [
                "stop": .string(arrival.stop), "isInbound": .bool(arrival.isInbound),
                "isPredicted": .bool(arrival.isPredicted),
            ]
            if let name = arrival.name { item["name"] = .string(name) }
            if let time = arrival.time { item["time"] = .string(time.description) }
            return .object(item)
        }
        let answer = JSONValue.object(["items": .array(items), "timeZone": .string("Asia/Taipei")])
        with { $0.content.arrivals[set, default: [:]][route] = answer }
    }

    /// The names of the content sets.
    public var contentSets: Set<String> { with { Set($0.content.sets.keys) } }

    /// What a User follows in a content set: the names.
    public func follows(of user: UserID, in set: String) -> Set<String> {
        with { Set(($0.content.follows[user]?[set] ?? [:]).keys) }
    }
}

// MARK: - What requests do

extension TestKitServer {
    /// Answers a request below `/v1/content-sets`.
    func answerContent(_ parts: [String], _ items: [String: String]) throws -> TransportAnswer {
        let set = parts[0]
        guard parts[1] == "arrivals" else {
            let query = try TestKitRowQuery(items)
            return .json(try with { try $0.content.page(query, of: set, items["table"]) })
        }
        guard let route = items["route"] else { throw Problem.invalidField("route", "is required") }
        return try with { state in
            guard let tables = state.content.sets[set] else { throw Problem.unknownContentSet }
            if let answer = state.content.arrivals[set]?[route] { return .json(answer) }
            throw tables.contains { $0.definition.name == "routes" } ? Problem.unknownContentRow : .noRoutes
        }
    }
}

extension TestKitCall {
    /// Answers a request about what the Device's User follows; its path is `content-sets/SET/follows[/NAME]`.
    func follows(_ state: inout TestKitServer.State) throws -> TransportAnswer {
        let parts = path.split(separator: "/").map(String.init)
        let request = method == "PUT" ? try body.decoded(TestKitFollowRequest.self) : nil
        let user = try user(state)
        guard parts.count == 4 else { return .json(try state.content.list(of: user, in: parts[1])) }
        guard let request else {
            try state.content.delete(parts[3], of: user, in: parts[1])
            return TransportAnswer(status: 204)
        }
        return .json(try state.content.put(parts[3], of: user, in: parts[1], request, at: now))
    }
}
