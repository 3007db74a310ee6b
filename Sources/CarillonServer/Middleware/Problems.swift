import CarillonEngine
package import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import NIOHTTP1

/// The problems of the API: the only place that defines code, status and title of each kind.
extension Problem {
    // MARK: The request

    /// 400: the body is not JSON.
    static func malformedJSON(_ detail: String) -> Problem {
        Problem(code: "malformed-json", title: "The body is not valid JSON.", status: 400, detail: detail)
    }

    /// 400: the path or the query has a percent sign that encodes nothing.
    static func malformedURL(_ detail: String) -> Problem {
        Problem(code: "malformed-url", title: "The URL is not encoded correctly.", status: 400, detail: detail)
    }

    /// 422: a field is missing, unknown or out of range.
    package static func invalidField(_ error: FieldError) -> Problem { invalidFields([error]) }

    /// 422: several fields are missing, unknown or out of range.
    static func invalidFields(_ errors: [FieldError]) -> Problem {
        Problem(code: "invalid-field", title: "A field of the request is not valid.", status: 422, errors: errors)
    }

    /// 413: the body exceeds the limit of its path.
    static func bodyTooLarge(limit: Int) -> Problem {
        Problem(
            code: "body-too-large",
            title: "The body is too large.",
            status: 413,
            detail: "The body must have at most \(limit) bytes."
        )
    }

    /// 415: the body's content type is not JSON.
    static let unsupportedMediaType = Problem(
        code: "unsupported-media-type",
        title: "The body must be JSON.",
        status: 415,
        detail: "Content-Type must be application/json."
    )

    /// 404: the path is unknown.
    static let unknownPath = Problem(code: "unknown-path", title: "There is nothing at this path.", status: 404)

    /// 405: the path does not support the method.
    static let methodNotAllowed = Problem(
        code: "method-not-allowed",
        title: "The path does not support this method.",
        status: 405,
        detail: "The Allow field lists the supported methods."
    )

    // MARK: The caller

    /// 401: the credentials are missing.
    static func missingCredentials(_ detail: String) -> Problem {
        Problem(code: "missing-credentials", title: "Credentials are missing.", status: 401, detail: detail)
    }

    /// 401: the credentials are unknown, revoked or expired.
    static let wrongCredentials = Problem(
        code: "wrong-credentials",
        title: "The credentials are unknown, revoked or expired.",
        status: 401
    )

    /// 403: the API key lacks a scope.
    static func missingScope(_ scope: APIKeyScope) -> Problem {
        Problem(
            code: "missing-scope",
            title: "The API key may not do this.",
            status: 403,
            detail: "A key of scope \(scope.rawValue) is needed."
        )
    }

    /// 403: the call requires a key of the server.
    static let serverKeyRequired = Problem(
        code: "server-key-required",
        title: "Only a key of the server may do this.",
        status: 403,
        detail: "The API key belongs to one App."
    )

    /// 403: metrics are restricted to this machine and to keys of the server.
    static let metricsRefused = Problem(
        code: "metrics-refused",
        title: "Metrics are not shown to this address.",
        status: 403,
        detail: "Send the request from the machine itself, or with a key of the server that has scope read."
    )

    /// 401: the ticket is invalid.
    static let wrongTicket = Problem(
        code: "wrong-ticket",
        title: "The ticket is unknown, used or expired.",
        status: 401
    )

    // MARK: The moment

    /// 429: too many requests.
    static func tooManyRequests(_ detail: String) -> Problem {
        Problem(code: "too-many-requests", title: "Too many requests.", status: 429, detail: detail)
    }

    /// 422: the idempotency key was used with another request.
    static let idempotencyKeyReused = Problem(
        code: "idempotency-key-reused",
        title: "The Idempotency-Key was used with another request.",
        status: 422
    )

    /// 409: the response to the first request with the idempotency key cannot be read right now, or an earlier version
    /// stored none.
    static let idempotencyKeyInUse = Problem(
        code: "idempotency-key-in-use",
        title: "The response to the first request with this Idempotency-Key cannot be read now.",
        status: 409
    )

    /// 503: the store does not answer.
    static let storeUnavailable = Problem(
        code: "store-unavailable",
        title: "The store does not answer.",
        status: 503,
        detail: "Nothing was kept; try again."
    )

    /// 503: the request has a secret to store, and this node's master key is not the store's any more.
    static let staleMasterKey = Problem(
        code: "master-key-mismatch",
        title: "This node cannot store secrets.",
        status: 503,
        detail: "Nothing was kept. " + StoreError.staleMasterKeyAdvice
    )

    /// 507: the disk is full.
    static let storeFull = Problem(
        code: "store-full",
        title: "The store is full.",
        status: 507,
        detail: "Nothing was kept. What was accepted before is safe."
    )

    /// 500: an internal error; the log has its cause under the request's id.
    static let internalError = Problem(
        code: "internal-error",
        title: "Something went wrong in the server.",
        status: 500,
        detail: "The log has it under the id in X-Request-Id."
    )
}

extension Problem {
    /// Maps any error to a problem.
    init(any error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let answer as ProblemAnswer: self = answer.problem
        case let error as EngineError: self.init(error)
        case let failure as ToastFailure: self = failure.recorded
        case let failure as CorePushFailure: self = failure.recorded
        case let failure as CoimotionFailure: self = failure.recorded
        case let failure as PHPForm.Failure: self = CorePushFailure(any: failure).recorded
        case is CancellationError: self = .storeUnavailable
        // The client went away within its body, or sent no HTTP.
        case is HTTPParserError: self = .malformedJSON("The body ends early, or is not framed as HTTP.")
        default: self = .internalError
        }
    }

    /// Maps an error of the engine to a problem.
    init(_ error: EngineError) {
        switch error {
        case .notFound(let subject): self = .unknown(subject)
        case .refused(let refusal): self = .refused(refusal)
        case .account(let refusal): self = .account(refusal)
        case .operators(let refusal): self = .operators(refusal)
        case .invalid, .invalidFields: self = .invalidFields(error.fieldErrors)
        case .conflict(let detail):
            self.init(code: "conflict", title: "It is not in a state for this.", status: 409, detail: detail)
        case .store(.full): self = .storeFull
        case .store(.unavailable): self = .storeUnavailable
        case .store(.staleMasterKey): self = .staleMasterKey
        case .store(.repeated): self = .idempotencyKeyInUse
        case .store(.failed): self = .internalError
        }
    }

    private static func unknown(_ subject: EngineError.Subject) -> Problem {
        let name =
            switch subject {
            case .app: "App"
            case .device: "Device"
            case .campaign: "Campaign"
            case .occurrence: "Occurrence"
            case .key: "API key"
            case .tag: "tag"
            case .user: "User"
            case .category: "category"
            case .template: "template"
            case .pushKey: "key for Apple's push service"
            case .voIPToken: "token for calls"
            case .statisticsKey: "statistics id"
            case .audience: "audience"
            case .contentSet: "content set, or table of it"
            case .contentAlert: "alert of the table"
            case .contentRow: "row of the content set"
            case .contentSource: "source of the content set"
            case .contentFollow: "follow of the content set"
            case .contentAttachment: "attachment of the content set"
            case .webhook: "webhook"
            case .webhookMessage: "dead message"
            case .vendorAPI: "vendor API"
            case .account: "account"
            case .operator: "Operator"
            case .operatorSession: "session of the Operator"
            case .node: "node"
            case .operatorPasskey: "passkey of the Operator"
            case .operatorIdentity: "account of the Operator at an identity provider"
            case .testDevice: "test Device"
            case .testPairing: "code, or it is used or over"
            }
        return Problem(code: "unknown-\(subject.rawValue)", title: "There is no such \(name).", status: 404)
    }

    private static func refused(_ refusal: EngineError.Refusal) -> Problem {
        switch refusal {
        case .wrongDeviceSecret:
            Problem(code: "wrong-device-secret", title: "The Device exists with another secret.", status: 403)
        case .userProofRequired:
            Problem(
                code: "user-proof-required",
                title: "The App requires a proof of the User.",
                status: 403,
                detail: "Send userProof, created by your back end, or create the App with identity open."
            )
        case .wrongUserProof:
            Problem(
                code: "wrong-user-proof",
                title: "The proof is not of this App, User and time.",
                status: 403
            )
        case .userProofTooLong:
            Problem(
                code: "user-proof-too-long",
                title: "The proof's time ends later than in a day.",
                status: 403,
                detail: "Let your back end make proofs that expire within 24 hours."
            )
        case .tooManyDevicesOfUser:
            Problem(
                code: "too-many-devices-of-user",
                title: "The User has as many Devices as a User may.",
                status: 403,
                detail: "A User of an App with identity signed has at most \(Devices.maximumPerUser)."
            )
        case .userRequired:
            Problem(
                code: "user-required",
                title: "The Device has no User.",
                status: 409,
                detail: "Register the Device with a user first."
            )
        case .userMessagesOff:
            Problem(code: "user-messages-off", title: "Users of the App do not send to each other.", status: 403)
        case .userMessageRefused:
            Problem(code: "user-message-refused", title: "The App's back end did not allow the message.", status: 403)
        case .tooManyNewDevices: tooManyRequests("The App gets too many new Devices.")
        case .ownApproval:
            Problem(
                code: "own-approval",
                title: "Nobody approves what they wrote or asked for.",
                status: 403,
                detail: "Another Operator with the role sender or admin has to approve it."
            )
        case .tooManyRecipients(let refusal):
            Problem(
                code: "too-many-recipients",
                title: "The Campaign reaches more Devices than the API key may.",
                status: 403,
                detail: refusal.sentence + " Nothing was sent."
            )
        case .unknownTag(let tag):
            invalidField(FieldError(field: "tags", problem: "must be ids of the App's tags, which has no \(tag)"))
        }
    }
}
