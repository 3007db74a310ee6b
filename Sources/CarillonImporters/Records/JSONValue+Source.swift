package import CarillonModel

extension JSONValue {
    /// A scalar as text.
    package var plainText: String {
        switch self {
        case .null: ""
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): value
        case .array, .object: ""
        }
    }

    /// The value as services mean it that write `"true"`, `"null"` and `"None"` as texts; `nil` for none.
    package var meant: JSONValue? {
        switch self {
        case .null: nil
        case .string(let text):
            switch text {
            case "", "null", "None": nil
            case "true", "True": .bool(true)
            case "false", "False": .bool(false)
            default: self
            }
        default: self
        }
    }

    /// Whether something holds, also as a text or number: `"true"`, `"Y"`, 1.
    package var flag: Bool? {
        switch self {
        case .bool(let value): value
        case .integer(1): true
        case .integer(0): false
        case .string(let text):
            switch text.lowercased() {
            case "true", "t", "1", "yes", "y": true
            case "false", "f", "0", "no", "n": false
            default: nil
            }
        default: nil
        }
    }

    /// A text, or a number as one; `nil` for `"null"` and `"None"`.
    package var sourceText: String? {
        switch meant {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .bool(let value): value ? "true" : "false"
        default: nil
        }
    }
}
