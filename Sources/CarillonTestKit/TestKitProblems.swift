package import Carillon
package import CarillonModel
import Foundation

/// What the server refuses a request with: status and code of its problems.
extension Problem {
    static let missingCredentials = Problem(code: "missing-credentials", title: "Credentials are missing.", status: 401)
    static let wrongCredentials = Problem(
        code: "wrong-credentials",
        title: "The credentials are unknown, revoked or expired.",
        status: 401
    )
    static let wrongDeviceSecret = Problem(
        code: "wrong-device-secret",
        title: "The Device exists with another secret.",
        status: 403
    )
    static let userMessagesOff = Problem(
        code: "user-messages-off",
        title: "Users of the App do not send to each other.",
        status: 403
    )
    static let unknownPath = Problem(code: "unknown-path", title: "There is nothing at this path.", status: 404)
    static let unknownDevice = Problem(code: "unknown-device", title: "There is no such Device.", status: 404)
    static let unknownTestPairing = Problem(
        code: "unknown-test-pairing",
        title: "There is no such code, or it is used or over.",
        status: 404
    )
    static let unknownVoIPToken = Problem(
        code: "unknown-voip-token",
        title: "There is no such token for calls.",
        status: 404
    )
    static let methodNotAllowed = Problem(
        code: "method-not-allowed",
        title: "The path does not support this method.",
        status: 405
    )
    static let userRequired = Problem(code: "user-required", title: "The Device has no User.", status: 409)
    static let bodyTooLarge = Problem(code: "body-too-large", title: "The body is too large.", status: 413)
    static let unsupportedMediaType = Problem(
        code: "unsupported-media-type",
        title: "The body must be JSON.",
        status: 415
    )
    static let malformedJSON = Problem(code: "malformed-json", title: "The body is not valid JSON.", status: 400)
    static let malformedURL = Problem(code: "malformed-url", title: "The URL is not encoded correctly.", status: 400)
    static func unknownTag(_ tag: TagID) -> Problem {
        invalidField("tags", "must be ids of the App's tags, which has no \(tag)")
    }

    static func invalidField(_ error: FieldError) -> Problem {
        Problem(code: "invalid-field", title: "A field of the request is not valid.", status: 422, errors: [error])
    }

    static func invalidField(_ field: String, _ problem: String) -> Problem {
        invalidField(FieldError(field: field, problem: problem))
    }
}

extension TransportAnswer {
    package static func problem(_ problem: Problem) -> TransportAnswer { json(problem, status: problem.status) }

    package static func problem(_ status: Int, _ code: String) -> TransportAnswer {
        problem(Problem(code: code, title: code, status: status))
    }

    package static func json(_ value: some Encodable, status: Int = 200) -> TransportAnswer {
        TransportAnswer(status: status, body: (try? JSONEncoder().encode(value)) ?? Data())
    }
}
