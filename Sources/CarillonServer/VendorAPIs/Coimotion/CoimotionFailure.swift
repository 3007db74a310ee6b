import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird
import NIOHTTP1

/// Why a call of COIMOTION's API fails.
///
/// As with the vendor, a negative code is about the platform, a positive one about the operation. Of the vendor's first
/// protocol few codes are known; the others are those of its successor.
struct CoimotionFailure: Error, Hashable {
    /// `errCode`.
    var code: Int
    /// The status that V1 would answer; the audit log has it.
    var status: Int
    var message: String
    /// After how many seconds the call may be sent again.
    var retryAfter: String?
    /// The `token` of the answer; empty when that of the call is invalid.
    var token: String?

    init(_ code: Int, _ status: Int, _ message: String, retryAfter: String? = nil, token: String? = nil) {
        self.code = code
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
        self.token = token
    }

    /// The problem that the audit log records the status of.
    var recorded: Problem { Problem(code: "vendor-api", title: message, status: status) }
}

extension CoimotionFailure {
    /// Codes by their meaning.
    enum Code {
        static let noSuchEntity = 1
        static let wrongParameter = 2
        /// There are as many attachments as there may be.
        static let full = 3
        /// Not now: too many calls, or the database does not answer.
        static let unavailable = -1
        static let nameTaken = -4
        static let notReferenced = -10
        static let unknownRepository = -11
        static let unknownApp = -12
        static let unknownResource = -13
        static let unknownOperation = -14
        static let malformed = -16
        static let noPermission = -20
        static let internalError = -100
        /// Somebody has to be signed in; the vendor's clients delete the token then.
        static let accessDenied = -1_000
    }

    static let internalError = Self(Code.internalError, 500, "The server failed. Try again later.")
    static let unavailable = Self(Code.unavailable, 503, "The server is busy. Try again later.", retryAfter: "1")
    static let tooSlow = Self(Code.unavailable, 408, "The files came too slowly. Send them again.", retryAfter: "1")
    static let unknownApp = Self(Code.unknownApp, 401, "There is no App with this app code.")
    static let wrongKey = Self(Code.noPermission, 401, "_key is missing, or is not the key of the App.")
    static let unknownRepository = Self(Code.unknownRepository, 404, "There is no such repository.")
    static let unknownResource = Self(Code.unknownResource, 404, "The repository has no such resource.")
    static let unknownOperation = Self(
        Code.unknownOperation,
        404,
        "The resource has no such operation, or none by this method, or none without an id."
    )
    static let noSuchEntity = Self(Code.noSuchEntity, 404, "There is no such entity.")

    /// A repository or module that the App has not turned on.
    static func notReferenced(_ name: String) -> Self {
        Self(Code.notReferenced, 403, "The App does not reference \(name).")
    }

    /// A wrong parameter of an operation.
    static func wrong(_ name: String, _ problem: String) -> Self {
        Self(Code.wrongParameter, 422, "\(name) \(problem).")
    }

    /// A body that is not of the vendor's form.
    static func malformed(_ status: Int, _ message: String) -> Self { Self(Code.malformed, status, message) }
}

// MARK: - Errors of the server in the vendor's form

extension CoimotionFailure {
    /// Maps any error; the message never has internals of the server.
    init(any error: any Error) {
        switch error {
        case let failure as CoimotionFailure: self = failure
        case let error as EngineError: self.init(error)
        case let problem as Problem: self.init(problem)
        case let answer as ProblemAnswer:
            self.init(answer.problem)
            retryAfter = answer.headers[.retryAfter]
        case let failure as PHPForm.Failure: self = .malformed(400, "The form \(failure.problem).")
        case is HTTPParserError: self = .malformed(400, "The body ends early, or is not framed as HTTP.")
        case is CancellationError: self = .unavailable
        default: self = .internalError
        }
    }

    private init(_ error: EngineError) {
        switch error {
        case .notFound(.contentSet): self = .notReferenced("a content set that has this table")
        case .notFound: self = .noSuchEntity
        case .account(let refusal): self.init(refusal, headers: error.headers)
        case .invalid, .invalidFields:
            let first = error.fieldErrors.first
            self = .wrong(Self.name(of: first?.field), first?.problem ?? "is wrong")
        case .conflict(let detail): self.init(Code.wrongParameter, 409, detail)
        case .refused, .operators: self.init(Code.noPermission, 403, "This is not allowed.")
        case .store(.unavailable): self = .unavailable
        case .store: self = .internalError
        }
    }

    /// The vendor's name of a part of a query.
    private static func name(of field: String?) -> String {
        switch field {
        case "page": "_pn"
        case "limit": "_ps"
        case "radius": "r"
        case "kind": "nType"
        case "files": "Files, att0 through att2,"
        // An operator's content set has other fields than the presets.
        case "where", "time", "near", "table": "A field of the content set"
        default: field ?? "The request"
        }
    }

    private init(_ refusal: AccountRefusal, headers: HTTPFields) {
        switch refusal {
        case .off: self = .notReferenced("the module core: it has no accounts")
        case .signUpOff, .guestsOff:
            self.init(Code.noPermission, 403, "People do not sign up by themselves in this App.")
        case .insecure: self.init(Code.noPermission, 403, "The App takes passwords and tokens only over TLS.")
        case .wrongNameOrPassword: self.init(3, 403, "accName or passwd is wrong.")
        case .blocked: self.init(3, 403, "The account is blocked.")
        case .wrongToken: self.init(Code.accessDenied, 401, "Nobody is signed in with this token.")
        case .wrongActivation: self = .noSuchEntity
        case .userErased: self.init(Code.noPermission, 409, "The data of the account are being erased.")
        case .nameTaken, .userTaken: self.init(Code.nameTaken, 409, "Another account has this accName.")
        case .guest, .notGuest: self.init(5, 409, "The account does not allow this.")
        case .tooMany:
            self.init(
                Code.unavailable,
                429,
                "Too many attempts with this accName or from this address. Try again later.",
                retryAfter: headers[.retryAfter]
            )
        case .busy: self = .unavailable
        }
    }

    private init(_ problem: Problem) {
        switch problem.status {
        case 400, 413, 415: self = .malformed(problem.status, problem.detail ?? problem.title)
        case 422:
            let first = problem.errors?.first
            self = .wrong(first?.field ?? "The request", first?.problem ?? "is wrong")
        case 429, 503:
            self.init(Code.unavailable, problem.status, problem.detail ?? problem.title, retryAfter: "1")
        case 500...: self = .internalError
        default: self.init(Code.noPermission, problem.status, problem.detail ?? problem.title)
        }
    }
}
