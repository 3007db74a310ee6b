/// Any JSON value, for an App's own data.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Maximum depth of arrays and objects.
    public static let maximumDepth = 16
}

extension JSONValue: Codable {
    /// Decodes any JSON value.
    ///
    /// - Throws: `DecodingError.dataCorrupted` when it is deeper than ``maximumDepth``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard decoder.codingPath.count <= Self.maximumDepth + 8 else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "must not be nested deeper than \(Self.maximumDepth) levels"
            )
        }
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

// What an app reads of its own data: `message.data["article"]?.string`.
extension JSONValue {
    /// The text; `nil` when it is none.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The whole number, also of a number without a fraction; `nil` when it is none.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number; `nil` when it is none.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// True or false; `nil` when it is neither.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements; `nil` when it is no array.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    /// The members; `nil` when it is no object.
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// A member of an object; `nil` when it is no object or has no such member.
    public subscript(name: String) -> JSONValue? { object?[name] }
}
