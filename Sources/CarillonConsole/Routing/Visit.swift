import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Logging

/// How pages look for a visitor.
struct Look: Sendable {
    let texts: Texts
    let numbers: NumberText
    let times: TimeText
    let theme: Operator.Theme
    /// Whether what is sent goes elsewhere than to Apple, of the server or of the App; important buttons say so.
    var isSandbox = false

    var language: Language { texts.language }

    init(_ texts: Texts, zone: String, theme: Operator.Theme) {
        self.texts = texts
        numbers = NumberText(texts.language)
        times = TimeText(texts, zone: zone)
        self.theme = theme
    }
}

/// A request of an Operator who is signed in and may make it.
struct Visit: Sendable {
    let request: ConsoleRequest
    /// The parameters of the path, by name.
    let parameters: [String: String]
    let session: OperatorSession
    /// The secret value of the session's cookie.
    let sessionValue: String
    let engine: Engine
    /// The App of the path's `{app}`.
    let pathApp: App?
    let look: Look
    /// What the audit log is told.
    let audit: ConsoleAudit
    /// The places of open streams, of which a session has few.
    let streams: Places<OperatorSessionID>
    /// Images of messages.
    let images: ImagePreviews
    /// Who vouches for Operators.
    let outside: OutsideSources
    let logger: Logger

    var texts: Texts { look.texts }
    var numbers: NumberText { look.numbers }
    var times: TimeText { look.times }
    var query: FormFields { request.query }
    var form: FormFields { request.form }
    var now: Timestamp { engine.context.clock.now() }
    /// Who is signed in.
    var person: Operator { session.owner }

    /// The App of the path.
    ///
    /// - Throws: 404 on a path without one.
    var app: App {
        get throws {
            guard let pathApp else { throw EngineError.notFound(.app) }
            return pathApp
        }
    }

    /// The Operator's role in the App of the path, or everywhere; at least what the route declares.
    var role: OperatorRole? { session.role(in: pathApp?.id) }

    /// Whether the Operator may do what needs a role: what others cannot do is not offered to them.
    func may(_ role: OperatorRole) -> Bool { self.role.map { $0 >= role } ?? false }

    /// A parameter of the path, decoded.
    ///
    /// - Throws: 404 when it does not parse.
    func parameter<Value>(_ name: String, _ read: (String) -> Value?) throws -> Value {
        guard let value = parameters[name].flatMap(read) else { throw ConsoleProblem.notFound }
        return value
    }
}

/// A request of a visitor who need not be signed in.
struct EntryVisit: Sendable {
    let request: ConsoleRequest
    let parameters: [String: String]
    /// The value of the session's cookie, which may be of no session.
    let cookie: String?
    /// The value that the browser has when it sends the page's form.
    let browser: String
    /// The session, however far signing in has come.
    let session: OperatorSession?
    let engine: Engine
    let look: Look
    /// What the audit log is told.
    let audit: ConsoleAudit
    /// Who vouches for Operators.
    let outside: OutsideSources
    let logger: Logger

    var texts: Texts { look.texts }
    var form: FormFields { request.form }
    var query: FormFields { request.query }
    var now: Timestamp { engine.context.clock.now() }

    /// Does what a form says; what is wrong with its fields shows it again.
    ///
    /// - Parameters:
    ///   - show: The page of the form.
    ///   - body: Does it.
    /// - Returns: What it leads to.
    /// - Throws: What the body throws, unless it is about fields.
    func submit(_ show: (FormState) -> any PageView, _ body: () async throws -> Outcome) async throws -> Outcome {
        do {
            return try await body()
        } catch let problems as FormProblems {
            return .problems(show(FormState(values: form, problems: problems.all)))
        } catch let error as EngineError where !error.fieldErrors.isEmpty {
            let problems = error.fieldErrors.map { FieldProblem($0.field, texts.problem($0)) }
            return .problems(show(FormState(values: form, problems: problems)))
        }
    }
}

/// Why a page is not shown, beside the engine's reasons.
enum ConsoleProblem: Error, Hashable, Sendable {
    case notFound
    case methodNotAllowed
    /// The form's token is missing or of another session, or another site sent it.
    case foreignForm
    case malformedForm
    case formTooLarge(limit: Int)
    /// Plain HTTP beyond the caller's own machine.
    case plainHTTP
    /// The session has as many open streams as it may.
    case tooManyStreams
    /// Others send files at this moment.
    case tooManyFiles
}
