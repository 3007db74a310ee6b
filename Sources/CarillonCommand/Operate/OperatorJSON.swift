import ArgumentParser
import CarillonModel
import Foundation

/// JSON that an operator has in files.
enum OperatorInput {
    /// Reads a value strictly, as the server would.
    ///
    /// - Throws: `ValidationError` naming the field that is wrong.
    static func decode<Value: Decodable>(_ type: Value.Type, from file: String) throws -> Value {
        let data = Data(try InputFile.contents(of: file))
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as FieldError {
            throw ValidationError("\(file): \(error.field) \(error.problem)")
        } catch let error as DecodingError {
            let error = FieldError(error)
            throw ValidationError("\(file): \(error.field) \(error.problem)")
        }
    }
}

/// The server's answers as JSON for other programs.
enum OperatorOutput {
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
