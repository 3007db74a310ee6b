import CarillonEngine
import CarillonModel
import Hummingbird
import NIOHTTP1

/// Why a call of TOAST Push's API fails.
struct ToastFailure: Error, Hashable {
    /// The kinds of the vendor's table of codes.
    enum Kind: Hashable, CaseIterable {
        case invalid, malformed, empty, registered, maximumExceeded, completed, tooManyResults, unsupportedVersion
        case noRemoveGuide, noContact, malformedContact, accessRefused, unknownKey, notFound, noCertificate
        case internalError
    }

    var kind: Kind
    /// The field, and its value as it was sent; cut in the message.
    var field: String?
    var value: String?
    /// What the field must be, where the sentence of the kind does not say it.
    var problem: String?
    /// After how many seconds the call may be sent again.
    var retryAfter: String?

    init(_ kind: Kind, _ field: String? = nil, _ value: String? = nil, problem: String? = nil) {
        self.kind = kind
        self.field = field
        self.value = value
        self.problem = problem
    }

    /// The sentence of the kind, then the field with its value: `Not found. messageId<5>`.
    var message: String {
        let value = String((value ?? "").prefix(100))
        let sentence = field == nil && problem != nil ? String(kind.sentence.dropLast()) : kind.sentence
        let cause = field.map { " \($0)<\(value)>" } ?? ""
        return sentence + cause + (problem.map { ": " + $0 } ?? "")
    }
}

extension ToastFailure.Kind {
    /// The code of a version: up to v2.2 the table had other numbers.
    func code(_ version: ToastVersion) -> Int {
        let isOld = version <= .v22
        return switch self {
        case .invalid: 40001
        case .malformed: 40002
        case .empty: 40003
        case .registered: isOld ? 40006 : 40007
        case .maximumExceeded: isOld ? 40007 : 40008
        case .completed: isOld ? 40008 : 40009
        case .tooManyResults: 40010
        case .unsupportedVersion: 40011
        case .noRemoveGuide: isOld ? 40003 : 40012
        case .noContact: isOld ? 40003 : 40013
        case .malformedContact: isOld ? 40002 : 40014
        case .accessRefused: 40101
        case .unknownKey: 40102
        case .notFound: 40401
        case .noCertificate: isOld ? 40401 : 40402
        case .internalError: 50001
        }
    }

    var sentence: String {
        switch self {
        case .invalid: "Client Error. The parameter is invalid."
        case .malformed: "Client Error. The parameter has an invalid format."
        case .empty: "Client Error. The parameter is empty."
        case .registered: "Client Error. It is registered already."
        case .maximumExceeded: "Client Error. The maximum is exceeded."
        case .completed: "Client Error. It is completed already."
        case .tooManyResults: "Client Error. There are too many results."
        case .unsupportedVersion: "Client Error. The version of the API is not supported."
        case .noRemoveGuide: "Client Error. The remove guide is empty."
        case .noContact: "Client Error. The contact is empty."
        case .malformedContact: "Client Error. The contact has an invalid format."
        case .accessRefused: "Client Error. Access is not allowed."
        case .unknownKey: "Client Error. The key is not available."
        case .notFound: "Client Error. Not found."
        case .noCertificate: "Client Error. There is no certificate."
        case .internalError: "Internal Error."
        }
    }

    /// The status that V1 would answer; the audit log has it.
    fileprivate var status: Int {
        switch self {
        case .invalid, .malformed, .empty, .maximumExceeded, .tooManyResults, .noRemoveGuide, .noContact,
            .malformedContact, .noCertificate:
            422
        case .registered, .completed: 409
        case .unsupportedVersion, .notFound: 404
        case .accessRefused: 403
        case .unknownKey: 401
        case .internalError: 500
        }
    }
}

// MARK: - Errors of the server in the vendor's form

extension ToastFailure {
    /// Maps any error; the message never has internals of the server.
    init(any error: any Error) {
        switch error {
        case let failure as ToastFailure: self = failure
        case let error as EngineError: self.init(error)
        case let problem as Problem: self.init(problem)
        case let answer as ProblemAnswer:
            self.init(answer.problem)
            retryAfter = answer.headers[.retryAfter]
        case is HTTPParserError: self.init(.malformed, "body", problem: "it ends early, or is not framed as HTTP")
        default: self.init(Kind.internalError)
        }
    }

    private init(_ error: EngineError) {
        switch error {
        case .notFound(let subject): self.init(.notFound, subject.rawValue)
        case .refused(let refusal): self.init(refusal)
        case .account, .operators: self.init(.accessRefused)
        case .invalid, .invalidFields:
            let first = error.fieldErrors.first
            self.init(.invalid, first?.field, problem: first?.problem)
        case .conflict(let detail): self.init(.completed, problem: detail)
        case .store: self.init(Kind.internalError)
        }
    }

    private init(_ refusal: EngineError.Refusal) {
        switch refusal {
        case .wrongDeviceSecret:
            self.init(.accessRefused, "token", problem: "the app registered this device itself")
        case .userProofRequired, .wrongUserProof, .userProofTooLong:
            self.init(.accessRefused, "uid", problem: "the App's identity is signed: send the secret key as well")
        case .tooManyDevicesOfUser, .tooManyNewDevices: self.init(.maximumExceeded, "token")
        case .userRequired: self.init(.empty, "uid")
        case .unknownTag: self.init(.notFound, "tagIds")
        case .tooManyRecipients(let refusal): self.init(.accessRefused, problem: refusal.sentence)
        case .userMessagesOff, .userMessageRefused, .ownApproval: self.init(.accessRefused)
        }
    }

    private init(_ problem: Problem) {
        switch problem.status {
        case 400, 415: self.init(.malformed, "body", problem: problem.detail ?? problem.title)
        case 401: self.init(.unknownKey)
        case 403: self.init(.accessRefused)
        case 404, 405: self.init(.notFound, problem: problem.title)
        case 413: self.init(.maximumExceeded, "body", problem: problem.detail)
        case 422: self.init(.invalid, problem.errors?.first?.field, problem: problem.errors?.first?.problem)
        case 429: self.init(.maximumExceeded, problem: problem.detail)
        default: self.init(Kind.internalError)
        }
    }

    /// The problem that the audit log records the status of.
    var recorded: Problem { Problem(code: "vendor-api", title: kind.sentence, status: kind.status) }

    /// Runs a part of a call whose object a field names.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - value: Its value.
    ///   - body: The part.
    /// - Returns: What the part returns.
    /// - Throws: A failure that names the field when there is no such object.
    static func naming<Value>(_ field: String, _ value: String, _ body: () async throws -> Value) async throws -> Value
    {
        do {
            return try await body()
        } catch EngineError.notFound {
            throw ToastFailure(.notFound, field, value)
        }
    }
}
