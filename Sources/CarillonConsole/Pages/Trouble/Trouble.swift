import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird
import Logging
import StoreErrors

/// Why a page is not shown.
struct Trouble: Sendable {
    let status: HTTPResponse.Status
    /// The group of texts: `trouble.notFound.title` and `.text`.
    let key: String
    var parameters: [String: String] = [:]
    /// After which time another attempt is possible.
    var retryAfter: Duration?
    /// The role that would have been needed; `nil` when it is not about roles.
    var role: OperatorRole?

    /// The trouble of an error.
    ///
    /// - Parameters:
    ///   - error: Any error of a handler.
    ///   - texts: The page's texts.
    init(_ error: any Error, _ texts: Texts) {
        switch error {
        case let problem as ConsoleProblem: self.init(problem, texts)
        case let error as EngineError: self.init(error, texts)
        case is CancellationError: self.init(.serviceUnavailable, "unavailable")
        default: self.init(.internalServerError, "fault")
        }
    }

    private init(
        _ status: HTTPResponse.Status,
        _ key: String,
        _ parameters: [String: String] = [:],
        retryAfter: Duration? = nil
    ) {
        self.status = status
        self.key = key
        self.parameters = parameters
        self.retryAfter = retryAfter
    }

    private init(_ problem: ConsoleProblem, _ texts: Texts) {
        switch problem {
        case .notFound: self.init(.notFound, "notFound")
        case .methodNotAllowed: self.init(.methodNotAllowed, "notFound")
        case .foreignForm: self.init(.forbidden, "foreignForm")
        case .malformedForm: self.init(.badRequest, "malformedForm")
        case .formTooLarge(let limit):
            self.init(.contentTooLarge, "tooLarge", ["size": NumberText(texts.language).bytes(limit)])
        case .plainHTTP: self.init(.forbidden, "plainHTTP")
        case .tooManyFiles: self.init(.tooManyRequests, "tooManyFiles", retryAfter: .seconds(10))
        case .tooManyStreams: self.init(.tooManyRequests, "tooManyStreams", retryAfter: .seconds(5))
        }
    }

    private init(_ error: EngineError, _ texts: Texts) {
        switch error {
        case .notFound: self.init(.notFound, "notFound")
        case .operators(let refusal): self.init(refusal, texts)
        case .conflict: self.init(.conflict, "conflict")
        case .invalid, .invalidFields: self.init(.unprocessableContent, "malformedForm")
        case .refused, .account: self.init(.forbidden, "refused")
        case .store(.unavailable): self.init(.serviceUnavailable, "unavailable")
        case .store: self.init(.internalServerError, "fault")
        }
    }

    private init(_ refusal: OperatorRefusal, _ texts: Texts) {
        switch refusal {
        case .roleRequired(let role):
            self.init(.forbidden, "roleRequired", ["role": texts.word("role", role.rawValue)])
            self.role = role
        case .linkGone: self.init(.gone, "linkGone")
        case .lastAdmin: self.init(.conflict, "lastAdmin")
        case .tooMany(let time): self.init(.tooManyRequests, "tooMany", retryAfter: time)
        case .busy: self.init(.serviceUnavailable, "busy")
        case .secondFactorRequired: self.init(.forbidden, "secondFactorRequired")
        case .addressTaken: self.init(.conflict, "conflict")
        case .wrongCredentials, .noSession, .incomplete, .freshAuthenticationRequired:
            self.init(.forbidden, "refused")
        }
    }

    /// The page.
    struct View: PageView {
        static let template = "trouble"

        let heading: String
        let message: String
        /// What the log has of it.
        let reference: String?
        /// What was refused, and who may do it.
        let facts: [FactView]
        let hasFacts: Bool

        init(_ trouble: Trouble, _ texts: Texts, requestID: String, facts: [FactView] = []) {
            self.facts = facts
            hasFacts = !facts.isEmpty
            heading = texts.word("trouble", trouble.key + ".title")
            message = texts("trouble.\(trouble.key).text", trouble.parameters)
            let isFault = trouble.status.code >= 500
            reference = isFault ? texts("trouble.reference", ["number": requestID]) : nil
        }
    }
}

extension Console {
    /// The page of an error; the log has what cannot be told.
    func problemResponse(_ error: any Error, _ call: ConsoleCall) async -> Response {
        let look = look(call)
        let trouble = Trouble(error, look.texts)
        if trouble.status.code >= 500 { report(error, call) }
        let view = Trouble.View(
            trouble,
            look.texts,
            requestID: call.request.caller.requestID,
            facts: await trouble.facts(call, look, engine.operators)
        )
        var response: Response
        do {
            response = try await self.response(.other(trouble.status, view), call)
        } catch {
            // The store is away, and with it the list of Apps.
            var bare = call
            (bare.session, bare.app) = (nil, nil)
            let fallback = try? await self.response(.other(trouble.status, view), bare)
            response = fallback ?? Response(status: trouble.status)
        }
        if let time = trouble.retryAfter {
            response.headers[.retryAfter] = String(
                max(1, time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0))
            )
        }
        return response
    }

    private func report(_ error: any Error, _ call: ConsoleCall) {
        var facts: Logger.Metadata = [
            "carillon.request": "\(call.request.caller.requestID)",
            "carillon.error": "\(String(reflecting: type(of: error)))",
        ]
        if case .store(let fault)? = error as? EngineError {
            switch fault {
            case .unavailable(let reason), .failed(let reason): facts["carillon.reason"] = "\(reason)"
            case .full, .staleMasterKey, .repeated: facts["carillon.reason"] = "\(fault)"
            }
        }
        logger.error("A page of the console failed", metadata: facts)
    }
}
