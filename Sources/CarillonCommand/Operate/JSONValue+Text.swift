import CarillonModel
import Foundation

extension JSONValue {
    /// Parses JSON.
    ///
    /// - Throws: When it is not JSON; the description has the position.
    init(json data: Data) throws {
        self.init(serialized: try JSONSerialization.jsonObject(with: data, options: [.fragmentsAllowed]))
    }

    private init(serialized value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let array as [Any]: self = .array(array.map(JSONValue.init(serialized:)))
        case let object as [String: Any]: self = .object(object.mapValues(JSONValue.init(serialized:)))
        case let number as NSNumber:
            // Both platforms represent booleans as signed characters, and no number so.
            switch String(cString: number.objCType) {
            case "c": self = .bool(number.boolValue)
            case "d", "f": self = .number(number.doubleValue)
            case "Q" where number.uint64Value > UInt64(Int64.max): self = .number(number.doubleValue)
            default: self = .integer(number.int64Value)
            }
        default: self = .null
        }
    }

    /// The value at a path such as `app.id`; `nil` when a member is missing.
    func at(_ path: String) -> JSONValue? {
        path.split(separator: ".").reduce(Optional(self)) { value, name in value?[String(name)] }
    }

    /// The value as a cell of a table: a list as its elements, an object with a name as that and its id, others as JSON.
    var cell: String? {
        switch self {
        case .null: nil
        case .bool(let value): value ? "yes" : "no"
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .string(let value): value
        case .array(let values): values.map { $0.cell ?? "" }.joined(separator: " ")
        case .object(let members):
            if let name = members["name"]?.string, let id = members["id"]?.string {
                "\(name) (\(id))"
            } else {
                String(decoding: (try? JSONEncoder.sorted().encode(self)) ?? Data(), as: UTF8.self)
            }
        }
    }

    /// The leaves of the value with their paths; ids and names first, then by name.
    var leaves: [(path: String, value: JSONValue)] { leaves(under: "") }

    private func leaves(under path: String) -> [(path: String, value: JSONValue)] {
        guard case .object(let members) = self, path.isEmpty || !members.isEmpty else { return [(path, self)] }
        return members.sorted { (Self.rank($0.key), $0.key) < (Self.rank($1.key), $1.key) }
            .flatMap { $0.value.leaves(under: path.isEmpty ? $0.key : path + "." + $0.key) }
    }

    private static func rank(_ name: String) -> Int { ["id", "name", "state", "alarm"].firstIndex(of: name) ?? 4 }
}
