import CarillonEngine
import CarillonModel
import HTTPTypes
import Hummingbird
import NIOHTTP1

/// Why a call of CORE PUSH's API fails.
///
/// The vendor has no codes: `status` is `"1"`. A `message` says what is wrong, in the field's name as it was sent.
struct CorePushFailure: Error, Hashable {
    /// The status that V1 would answer; the audit log has it.
    var status: Int
    var message: String
    /// After how many seconds the call may be sent again.
    var retryAfter: String?

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }

    /// A wrong field.
    init(_ field: String, _ problem: String) { self.init(422, "\(field) \(problem).") }

    /// The problem that the audit log records the status of.
    var recorded: Problem { Problem(code: "vendor-api", title: message, status: status) }
}

extension CorePushFailure {
    /// Every failure that is not the caller's.
    static let internalError = CorePushFailure(500, "The server failed. Try again later.")

    /// Maps any error; the message never has internals of the server.
    init(any error: any Error) {
        switch error {
        case let failure as CorePushFailure: self = failure
        case let failure as PHPForm.Failure: self.init(failure.field ?? "The body", failure.problem)
        case let error as EngineError: self.init(error)
        case let problem as Problem: self.init(problem)
        case let answer as ProblemAnswer:
            self.init(answer.problem)
            retryAfter = answer.headers[.retryAfter]
        case is HTTPParserError: self.init(400, "The body ends early, or is not framed as HTTP.")
        default: self = .internalError
        }
    }

    private init(_ error: EngineError) {
        switch error {
        case .notFound(let subject): self.init(404, "There is no such \(subject.rawValue).")
        case .refused(let refusal): self.init(refusal)
        case .account, .operators: self.init(403, "This is not allowed.")
        case .invalid, .invalidFields:
            let first = error.fieldErrors.first
            // V1's own words name fields that the vendor does not have.
            let late = "must not be past: /iphone_push_request.php sends at once"
            let problem = first?.field == "sendAt" ? late : first?.problem
            self.init(CorePushName.of(first?.field ?? ""), problem ?? "is wrong")
        case .conflict(let detail): self.init(409, detail)
        case .store: self = .internalError
        }
    }

    private init(_ refusal: EngineError.Refusal) {
        switch refusal {
        case .wrongDeviceSecret: self.init(403, "device_token is of a device that the app registered itself.")
        case .userProofRequired, .wrongUserProof, .userProofTooLong:
            self.init(403, "app_user_id needs the secret: the App's identity is signed, so a back end has to send it.")
        case .tooManyDevicesOfUser: self.init(422, "app_user_id has the maximum number of devices.")
        case .tooManyNewDevices: self.init(429, "The App gets too many new devices.")
        case .tooManyRecipients(let refusal): self.init(403, refusal.sentence)
        case .userRequired, .unknownTag, .userMessagesOff, .userMessageRefused, .ownApproval:
            self.init(403, "This is not allowed.")
        }
    }

    private init(_ problem: Problem) {
        switch problem.status {
        case 401: self.init(401, "config_key or secret is wrong.")
        case 422:
            let first = problem.errors?.first
            self.init(CorePushName.of(first?.field ?? ""), first?.problem ?? problem.title)
        case 400..<500: self.init(problem.status, problem.detail ?? problem.title)
        default: self = .internalError
        }
    }
}

/// Answers in the vendor's form: always status 200, and `status` as a text.
enum CorePushAnswer {
    /// The answer of a call that succeeded, with the values that the call returns.
    static func success(_ values: [String: JSONValue] = [:]) throws -> Response {
        var body = values
        body["status"] = .string("0")
        return try Response(JSONValue.object(body))
    }

    /// The answer to an error on a path of the vendor's.
    static func failure(_ error: any Error) -> Response {
        let failure = CorePushFailure(any: error)
        var fields = HTTPFields()
        fields[.retryAfter] = failure.retryAfter
        let body: [String: JSONValue] = ["status": .string("1"), "message": .string(failure.message)]
        // Two texts are always encodable.
        return (try? Response(JSONValue.object(body), headers: fields)) ?? Response(status: .internalServerError)
    }

    /// The answer to a path that there is not, and to another method than POST.
    static func noRoute() -> Response {
        failure(CorePushFailure(404, "There is no such call: send POST to a path of the documentation."))
    }
}

/// Paths of the vendor's: all end in `.php`, and nothing else of the server's does.
enum CorePushPath {
    /// The path of the description, which is none of the vendor's.
    static let description = "/corepush/openapi.yaml"

    static func isOne(_ path: String) -> Bool { path.hasSuffix(".php") }
}

/// The vendor's names of V1's fields.
enum CorePushName {
    private static let names: [(v1: String, core: String)] = [
        ("message.content.default.body", "message"), ("message.content.default.title", "title"),
        ("message.content.default.link", "url"), ("message.content", "message"), ("message.data.", "custom_key."),
        ("message.data", "custom_key"), ("message.badge", "badge"), ("message.sound", "sound"),
        ("message.category", "category"), ("message.isSurvey", "CoreResearch"), ("audience", "app_user_id"),
        ("sendAt", "send_date"), ("pace.groups", "groups"), ("pace.every", "interval"), ("pace", "groups"),
        ("attributes", "attributes"), ("app", "The App of the config_key"),
    ]

    /// The name of a field, also within a list of recipients.
    static func of(_ field: String) -> String {
        let parts = field.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count >= 2, parts[0] == "recipients" {
            guard parts.count == 4, parts[2] == "values" else { return "request_data[\(parts[1])].app_user_id" }
            return "request_data[\(parts[1])].\(parts[3])"
        }
        guard let name = names.first(where: { field == $0.v1 || field.hasPrefix($0.v1) }) else {
            return field.isEmpty ? "The request" : field
        }
        return name.v1.hasSuffix(".") ? name.core + field.dropFirst(name.v1.count) : name.core
    }
}
