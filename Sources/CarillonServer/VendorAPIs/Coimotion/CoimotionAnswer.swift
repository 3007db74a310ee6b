import CarillonModel
import HTTPTypes
import Hummingbird

/// Answers in the vendor's form: always status 200, `errCode` and `message`, mostly `value`, at times `token`.
enum CoimotionAnswer {
    /// The answer of a call that succeeded.
    ///
    /// - Parameters:
    ///   - value: The call's value; `nil` for none.
    ///   - token: A new token; empty when the call's is invalid, `nil` when nothing has become of it.
    ///   - message: The text of `message`.
    /// - Returns: The answer.
    /// - Throws: When a value has no JSON.
    static func success(
        _ value: [String: JSONValue]? = nil,
        token: String? = nil,
        message: String = "Ok"
    ) throws -> Response {
        var body: [String: JSONValue] = ["errCode": .integer(0), "message": .string(message)]
        body["value"] = value.map(JSONValue.object)
        body["token"] = token.map(JSONValue.string)
        return try Response(JSONValue.object(body))
    }

    /// The answer to an error on a path of the vendor's.
    static func failure(_ error: any Error) -> Response {
        let failure = CoimotionFailure(any: error)
        var fields = HTTPFields()
        fields[.retryAfter] = failure.retryAfter
        var body: [String: JSONValue] = [
            "errCode": .integer(Int64(failure.code)), "message": .string(failure.message),
        ]
        body["token"] = failure.token.map(JSONValue.string)
        // Texts and a number are always encodable.
        return (try? Response(JSONValue.object(body), headers: fields)) ?? Response(status: .internalServerError)
    }
}
