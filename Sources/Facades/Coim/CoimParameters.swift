import Foundation

/// The parameters of a call, checked and ready for JSON.
struct CoimParameters {
    private(set) var values: [String: Any] = [:]

    /// Reads what the app passes.
    ///
    /// An array travels as a text that has its JSON, as with the vendor's SDKs.
    ///
    /// - Parameter parameters: `nil` for none.
    /// - Throws: ``CoimError`` when a name is no text, or a value has no JSON.
    init(_ parameters: [AnyHashable: Any]?) throws {
        for (name, value) in parameters ?? [:] {
            guard let name = name.base as? String else { throw CoimError.wrongParameters("a name is no text") }
            values[name] = try Self.flat(value, name)
        }
        guard JSONSerialization.isValidJSONObject(values) else {
            throw CoimError.wrongParameters("a value is no text, number, flag, array or dictionary")
        }
    }

    subscript(name: String) -> Any? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// A text that is there and not empty.
    ///
    /// - Throws: ``CoimError`` when it is not.
    func text(_ name: String) throws -> String {
        guard let text = values[name] as? String, !text.isEmpty else {
            throw CoimError.wrongParameters("\(name) cannot be empty")
        }
        return text
    }

    /// A text or a number as text; `nil` when it is neither, or empty.
    func plain(_ name: String) -> String? { Self.plain(values[name]) }

    static func plain(_ value: Any?) -> String? {
        let text = value as? String ?? (value as? NSNumber)?.stringValue
        return text?.isEmpty == true ? nil : text
    }

    /// Transforms passwords.
    ///
    /// - Throws: ``CoimError`` when one of them is missing or empty.
    mutating func salt(_ names: [String], account: String) throws {
        for name in names { values[name] = SaltedPassword.transform(try text(name), account: account) }
    }

    /// One flat JSON object.
    func json() throws -> Data { try JSONSerialization.data(withJSONObject: values, options: .withoutEscapingSlashes) }

    private static func flat(_ value: Any, _ name: String) throws -> Any {
        guard let array = value as? [Any] else { return value }
        guard JSONSerialization.isValidJSONObject(array) else {
            throw CoimError.wrongParameters("an element of \(name) has no JSON")
        }
        let data = try JSONSerialization.data(withJSONObject: array, options: .withoutEscapingSlashes)
        return String(decoding: data, as: UTF8.self)
    }
}
