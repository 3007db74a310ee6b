import Foundation

/// A decoded JSON value.
enum JSONValue: Decodable, Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}

/// An error in a document, with the field and its valid values.
package struct FieldProblem: Error, Hashable, CustomStringConvertible {
    /// The path of the field: `steps[2].faults[0].percent`; empty for the document itself.
    package var field: String
    /// The expected value, with its limits.
    package var wanted: String

    package var description: String { field.isEmpty ? wanted : "\(field): \(wanted)" }
}

/// The fields of a JSON object, consumed one by one; fields left at the end are unknown.
///
/// So a misspelled field is refused and not ignored, and every value is bounded.
struct StrictFields {
    private let path: String
    private var rest: [String: JSONValue]
    private var known: Set<String> = []
    /// The consumed fields whose value is null.
    private var nulls: Set<String> = []

    private init(path: String, fields: [String: JSONValue]) {
        self.path = path
        rest = fields
    }

    /// Reads a document that is one object.
    static func read<Value>(
        _ json: some Collection<UInt8>,
        _ body: (inout StrictFields) throws(FieldProblem) -> Value
    ) throws(FieldProblem) -> Value {
        let value = json.isEmpty ? .object([:]) : try? JSONDecoder().decode(JSONValue.self, from: Data(json))
        guard case .object(let fields)? = value else {
            throw FieldProblem(field: "", wanted: "the body is not a JSON object")
        }
        return try read(StrictFields(path: "", fields: fields), body)
    }

    // MARK: - Plain values

    mutating func text(_ name: String, bytes: ClosedRange<Int> = 1...200) throws(FieldProblem) -> String? {
        guard let value = consume(name) else { return nil }
        guard case .text(let text) = value, bytes.contains(text.utf8.count) else {
            throw problem(name, "wanted a text of \(bytes.lowerBound) through \(bytes.upperBound) bytes")
        }
        return text
    }

    mutating func flag(_ name: String) throws(FieldProblem) -> Bool? {
        guard let value = consume(name) else { return nil }
        guard case .bool(let flag) = value else { throw problem(name, "wanted true or false") }
        return flag
    }

    mutating func integer(_ name: String, _ range: ClosedRange<Int>) throws(FieldProblem) -> Int? {
        guard let value = consume(name) else { return nil }
        guard case .integer(let number) = value, range.contains(number) else {
            throw problem(name, "wanted a whole number from \(range.lowerBound) through \(range.upperBound)")
        }
        return number
    }

    /// Above zero and up to 100.
    mutating func percent(_ name: String) throws(FieldProblem) -> Double? {
        guard let value = consume(name) else { return nil }
        let number: Double? =
            switch value {
            case .integer(let number): Double(number)
            case .number(let number): number
            default: nil
            }
        guard let number, number > 0, number <= 100 else {
            throw problem(name, "wanted a number above 0 and up to 100")
        }
        return number
    }

    mutating func milliseconds(
        _ name: String,
        _ range: ClosedRange<Int> = 0...600_000
    ) throws(FieldProblem) -> Duration? {
        try integer(name, range).map { .milliseconds($0) }
    }

    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(FieldProblem) -> Choice? {
        guard let value = consume(name) else { return nil }
        guard case .text(let text) = value, let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue)
            throw problem(name, "wanted one of " + choices.prefix(40).joined(separator: ", "))
        }
        return choice
    }

    // MARK: - Values made of others

    mutating func object<Value>(
        _ name: String,
        _ body: (inout StrictFields) throws(FieldProblem) -> Value
    ) throws(FieldProblem) -> Value? {
        guard let value = consume(name) else { return nil }
        return try Self.object(value, at: path(name), body)
    }

    /// A list of objects.
    mutating func objects<Value>(
        _ name: String,
        limit: Int,
        _ body: (inout StrictFields) throws(FieldProblem) -> Value
    ) throws(FieldProblem) -> [Value]? {
        guard let elements = try list(name, limit: limit, of: "objects") else { return nil }
        var values: [Value] = []
        for (position, element) in elements.enumerated() {
            values.append(try Self.object(element, at: "\(path(name))[\(position)]", body))
        }
        return values
    }

    mutating func texts(
        _ name: String,
        limit: Int,
        bytes: ClosedRange<Int> = 1...200
    ) throws(FieldProblem) -> [String]? {
        guard let elements = try list(name, limit: limit, of: "texts") else { return nil }
        var texts: [String] = []
        for (position, element) in elements.enumerated() {
            guard case .text(let text) = element, bytes.contains(text.utf8.count) else {
                throw FieldProblem(
                    field: "\(path(name))[\(position)]",
                    wanted: "wanted a text of \(bytes.lowerBound) through \(bytes.upperBound) bytes"
                )
            }
            texts.append(text)
        }
        return texts
    }

    mutating func choices<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(FieldProblem) -> [Choice]? {
        guard let texts = try texts(name, limit: Choice.allCases.count) else { return nil }
        var choices: [Choice] = []
        for text in texts {
            guard let choice = Choice(rawValue: text) else {
                let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
                throw problem(name, "wanted a list of any of " + all)
            }
            choices.append(choice)
        }
        return choices
    }

    /// Reads an object with arbitrary names and a percentage each.
    mutating func percentages(_ name: String, limit: Int) throws(FieldProblem) -> [(name: String, percent: Double)]? {
        try object(name) { fields throws(FieldProblem) in
            let names = fields.rest.keys.sorted()
            guard names.count <= limit else {
                throw FieldProblem(field: fields.path, wanted: "wanted at most \(limit) fields")
            }
            var shares: [(name: String, percent: Double)] = []
            for name in names {
                shares.append((name, try fields.percent(name) ?? 0))
            }
            guard shares.reduce(0, { $0 + $1.percent }) <= 100 else {
                throw FieldProblem(field: fields.path, wanted: "wanted shares that add up to at most 100")
            }
            return shares
        }
    }

    /// A setting that may be off: null turns it off, and a missing field leaves it.
    ///
    /// - Parameters:
    ///   - name: The field.
    ///   - new: Its value, consumed.
    ///   - current: The value so far.
    /// - Returns: The value from now on.
    ///
    /// Mutating so that the value is consumed before this object is read.
    mutating func optional<Value>(_ name: String, _ new: Value?, _ current: Value?) -> Value? {
        nulls.contains(name) ? nil : new ?? current
    }

    /// Puts the first settings in the place of null.
    ///
    /// - Parameter first: The first settings, with the names of these fields; one that was off is missing there.
    mutating func restoreNulls(from first: some Encodable) {
        guard let data = try? JSONEncoder().encode(first),
            case .object(let fields)? = try? JSONDecoder().decode(JSONValue.self, from: data)
        else { return }
        for (name, value) in rest where value == .null {
            rest[name] = fields[name] ?? .null
        }
    }

    // MARK: - What is wrong

    func problem(_ name: String, _ wanted: String) -> FieldProblem {
        FieldProblem(field: path(name), wanted: wanted)
    }

    /// An error in the object as a whole.
    func problem(_ wanted: String) -> FieldProblem {
        FieldProblem(field: path, wanted: wanted)
    }

    /// Refuses fields that were not consumed.
    ///
    /// Called at the end of every object; earlier where a misspelled field would be reported as a missing one.
    func refuseUnknown() throws(FieldProblem) {
        guard let unknown = rest.keys.min() else { return }
        throw problem(unknown, "there is no such field; there are " + known.sorted().joined(separator: ", "))
    }

    func required<Value>(_ name: String, _ value: Value?) throws(FieldProblem) -> Value {
        guard let value else { throw problem(name, "is missing") }
        return value
    }

    // MARK: - Private

    private static func object<Value>(
        _ value: JSONValue,
        at path: String,
        _ body: (inout StrictFields) throws(FieldProblem) -> Value
    ) throws(FieldProblem) -> Value {
        guard case .object(let fields) = value else { throw FieldProblem(field: path, wanted: "wanted an object") }
        return try read(StrictFields(path: path, fields: fields), body)
    }

    private static func read<Value>(
        _ fields: StrictFields,
        _ body: (inout StrictFields) throws(FieldProblem) -> Value
    ) throws(FieldProblem) -> Value {
        var fields = fields
        let value = try body(&fields)
        try fields.refuseUnknown()
        return value
    }

    private mutating func list(
        _ name: String,
        limit: Int,
        of kind: String
    ) throws(FieldProblem) -> [JSONValue]? {
        guard let value = consume(name) else { return nil }
        guard case .list(let elements) = value, elements.count <= limit else {
            throw problem(name, "wanted a list of at most \(limit) \(kind)")
        }
        return elements
    }

    /// Consumes a field; null counts as missing, except to ``optional(_:_:_:)``.
    private mutating func consume(_ name: String) -> JSONValue? {
        known.insert(name)
        let value = rest.removeValue(forKey: name)
        guard value == .null else { return value }
        nulls.insert(name)
        return nil
    }

    private func path(_ name: String) -> String {
        let name = Wording.shortened(name, to: 60)
        return path.isEmpty ? name : "\(path).\(name)"
    }
}
