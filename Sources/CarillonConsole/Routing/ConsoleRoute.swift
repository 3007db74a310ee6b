import CarillonOperatorModel
import Foundation
import Logging

/// Who may open a route.
enum ConsoleAccess: Hashable, Sendable {
    /// Everybody, signed in or not.
    case open
    /// Every Operator who is signed in.
    case signedIn
    /// Operators with the role, or a greater one, in some App or everywhere.
    case anywhere(OperatorRole)
    /// Operators with the role, or a greater one, everywhere.
    case everywhere(OperatorRole)
    /// Operators with the role, or a greater one, in the App of the path's `{app}`; for those who have none in it the App
    /// does not exist.
    case app(OperatorRole)

    /// The least role; `nil` when none is needed.
    var role: OperatorRole? {
        switch self {
        case .open, .signedIn: nil
        case .anywhere(let role), .everywhere(let role), .app(let role): role
        }
    }

    /// Where the role is needed, in a word.
    var scope: String {
        switch self {
        case .open: "open"
        case .signedIn: "signed-in"
        case .anywhere: "anywhere"
        case .everywhere: "everywhere"
        case .app: "app"
        }
    }
}

/// A declared route, for tests that walk all of them.
struct DeclaredConsoleRoute: Hashable, Sendable {
    /// `GET` or `POST`.
    let method: String
    /// The path below `/console`, with parameters in braces.
    let path: String
    let access: ConsoleAccess
    /// Whether the last password or code must be recent.
    let needsFreshAuthentication: Bool

    /// The route for the log.
    var metadata: Logger.Metadata {
        [
            "carillon.method": "\(method)", "carillon.route": "\(path)", "carillon.scope": "\(access.scope)",
            "carillon.role": "\(access.role?.rawValue ?? "none")", "carillon.fresh": "\(needsFreshAuthentication)",
        ]
    }
}

/// A route with what answers it.
struct ConsoleRoute: Sendable {
    /// What answers a route.
    enum Handler: Sendable {
        case entry(@Sendable (EntryVisit) async throws -> Outcome)
        case page(@Sendable (Visit) async throws -> Outcome)
        case form(FormHandler)
    }

    /// What answers a form.
    struct FormHandler: Sendable {
        /// Shows the form again: with problems, or with what was typed before somebody had to sign in.
        let show: @Sendable (Visit, FormState) async throws -> Outcome
        /// Does what the form says.
        let submit: @Sendable (Visit) async throws -> Outcome
    }

    let declared: DeclaredConsoleRoute
    /// Maximum size of the body in bytes.
    let bodyLimit: Int
    let handler: Handler

    private let parts: [Substring]

    init(_ declared: DeclaredConsoleRoute, bodyLimit: Int = 64 * 1_024, _ handler: Handler) {
        self.declared = declared
        self.bodyLimit = bodyLimit
        self.handler = handler
        parts = ConsoleRoutes.parts(declared.path)
    }

    /// The parameters of a path; `nil` when the path is not of this route.
    func parameters(of path: [Substring]) -> [String: String]? {
        guard path.count == parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, given) in zip(parts, path) {
            if part.hasPrefix("{") {
                guard let value = given.removingPercentEncoding, !value.isEmpty else { return nil }
                parameters[String(part.dropFirst().dropLast())] = value
            } else if part != given {
                return nil
            }
        }
        return parameters
    }
}
