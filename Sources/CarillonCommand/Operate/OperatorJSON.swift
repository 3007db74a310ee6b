import ArgumentParser
import CarillonModel
import Foundation

/// JSON files of an operator.
enum OperatorInput {
    /// Decodes a value strictly, as the server does.
    ///
    /// - Throws: `ValidationError` naming the invalid field.
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

/// The server's responses as JSON for other programs.
enum OperatorOutput {
    static func print(_ value: some Encodable) throws {
        Swift.print(String(decoding: try JSONEncoder.sorted(.prettyPrinted).encode(value), as: UTF8.self))
    }
}
