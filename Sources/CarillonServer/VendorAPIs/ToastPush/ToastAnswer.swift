import CarillonModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers in the vendor's form: always status 200, with a `header` that has the outcome.
enum ToastAnswer {
    /// The body of a success without values, which is the answer to most calls: encoded once.
    private static let plainSuccess = Result { () throws -> ByteBuffer in
        let body = JSONValue.object(["header": header(isSuccessful: true, 0, "success")])
        return ByteBuffer(bytes: try JSONEncoder.sorted().encode(body))
    }

    /// The answer of a call that succeeded, with the values that the call returns.
    static func success(_ values: [String: JSONValue] = [:]) throws -> Response {
        guard !values.isEmpty else { return Response(status: .ok, json: try plainSuccess.get()) }
        var body = values
        body["header"] = header(isSuccessful: true, 0, "success")
        return try Response(JSONValue.object(body))
    }

    /// The answer of a call that failed.
    static func failure(_ failure: ToastFailure, _ version: ToastVersion) -> Response {
        let header = header(isSuccessful: false, failure.kind.code(version), failure.message)
        var fields = HTTPFields()
        fields[.retryAfter] = failure.retryAfter
        // A header contains only texts and numbers, which are always encodable.
        return (try? Response(JSONValue.object(["header": header]), headers: fields))
            ?? Response(status: .internalServerError)
    }

    private static func header(isSuccessful: Bool, _ code: Int, _ message: String) -> JSONValue {
        .object([
            "isSuccessful": .bool(isSuccessful), "resultCode": .integer(Int64(code)), "resultMessage": .string(message),
        ])
    }
}

extension ToastFailure {
    /// The answer to an error on a path of the vendor's.
    static func response(to error: any Error, path: String) -> Response {
        ToastAnswer.failure(ToastFailure(any: error), ToastPath.version(of: path))
    }

    /// The answer to a path or method that there is not.
    static func noRoute(_ path: String) -> Response {
        let failure: ToastFailure =
            if ToastPath.isSupported(path) {
                ToastFailure(.notFound, problem: "there is no such call")
            } else {
                ToastFailure(
                    .unsupportedVersion,
                    "version",
                    path.split(separator: "/").dropFirst().first.map(String.init)
                )
            }
        return ToastAnswer.failure(failure, ToastPath.version(of: path))
    }
}
