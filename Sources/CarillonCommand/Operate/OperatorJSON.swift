import ArgumentParser
import CarillonModel
import Foundation

/// JSON files of an operator.
enum OperatorInput {
    /// The object in a file, or of standard input for the path `-`; the server checks its fields.
    ///
    /// - Throws: `CommandFailure` when it is not an object of JSON.
    static func object(from file: String) throws -> [String: JSONValue] {
        let data = Data(try InputFile.contents(of: file))
        let value: JSONValue
        do {
            value = try JSONValue(json: data)
        } catch {
            throw CommandFailure(.data, "\(file) is not JSON: \(words(error))")
        }
        guard let object = value.object else { throw CommandFailure(.data, "\(file) must be an object of JSON.") }
        return object
    }

    /// The value of an option with JSON, such as `{"line": 5}`; `@FILE` reads a file.
    static func json(_ text: String, option: String) throws -> JSONValue {
        if text.hasPrefix("@") { return .object(try object(from: String(text.dropFirst()))) }
        do {
            return try JSONValue(json: Data(text.utf8))
        } catch {
            throw ValidationError("\(option) is not JSON: \(words(error))")
        }
    }

    private static func words(_ error: any Error) -> String {
        let error = error as NSError
        let text = error.userInfo["NSDebugDescription"] as? String ?? error.localizedDescription
        return text.hasSuffix(".") ? text : text + "."
    }
}

/// The server's responses as JSON for other programs.
enum OperatorOutput {
    static func print(_ value: some Encodable) throws {
        Swift.print(try text(value))
    }

    /// Indented JSON; characters that a terminal would obey are escaped.
    static func text(_ value: some Encodable) throws -> String {
        let data = try JSONEncoder.sorted(.prettyPrinted).encode(value)
        return Terminal.escaped(String(decoding: data, as: UTF8.self), keepsLines: true)
    }
}
