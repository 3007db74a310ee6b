import CarillonModel
import Foundation
import Testing

/// One change to a request that is fine, and the field that the answer must name; `nil`: it stays fine.
struct RequestCase: Sendable, CustomTestStringConvertible {
    /// Where the change goes: names and positions joined by dots.
    var path: String
    /// What goes there, as JSON; `nil` takes the field away.
    var json: String?
    /// Which field is wrong afterwards; `nil`: none.
    var wrong: String?

    init(_ path: String, _ json: String?, wrong: String? = nil) {
        self.path = path
        self.json = json
        self.wrong = wrong
    }

    /// The field itself is wrong afterwards.
    static func bad(_ path: String, _ json: String?) -> RequestCase { RequestCase(path, json, wrong: path) }

    var testDescription: String { "\(path) = \((json ?? "nothing").prefix(60)) → \(wrong ?? "fine")" }

    /// Changes a request and reads it.
    func check<Body: Decodable>(_ type: Body.Type, base: String) throws {
        var body = try JSONDecoder().decode(JSONValue.self, from: Data(base.utf8))
        let value = try json.map { try JSONDecoder().decode([JSONValue].self, from: Data("[\($0)]".utf8))[0] }
        body.set(value, at: path.split(separator: ".").map(String.init)[...])
        let data = try JSONEncoder().encode(body)
        do {
            _ = try JSONDecoder().decode(type, from: data)
            #expect(wrong == nil, "was taken")
        } catch let error as FieldError {
            #expect(error.field == wrong)
            #expect(!error.problem.isEmpty)
        } catch let error as DecodingError {
            #expect(FieldError(error).field == wrong)
            #expect(!FieldError(error).problem.isEmpty)
        }
    }

    /// A JSON string of so many characters.
    static func text(_ count: Int, _ character: String = "x") -> String {
        "\"" + String(repeating: character, count: count) + "\""
    }
}

extension JSONValue {
    mutating func set(_ value: JSONValue?, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        let rest = path.dropFirst()
        switch self {
        case .array(var elements):
            guard let position = Int(name), elements.indices.contains(position) else { return }
            if rest.isEmpty { elements[position] = value ?? .null } else { elements[position].set(value, at: rest) }
            self = .array(elements)
        case .object(var members):
            if rest.isEmpty {
                members[name] = value
            } else {
                members[name, default: .object([:])].set(value, at: rest)
            }
            self = .object(members)
        default: break
        }
    }
}
