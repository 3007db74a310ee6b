import CarillonModel
import HTTPTypes
import Hummingbird

/// Answers in the vendor's form: always status 200, with a `header` that has the outcome.
enum ToastAnswer {
    /// The answer of a call that succeeded, with the values that the call returns.
    static func success(_ values: [String: JSONValue] = [:]) throws -> Response {
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
