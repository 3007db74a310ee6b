import CarillonOperatorModel

/// Collects the console's routes.
struct ConsoleRoutes: Sendable {
    /// What a path leads to.
    enum Match {
        case route(ConsoleRoute, parameters: [String: String])
        /// There is the path, but not for the method.
        case otherMethod
        case none
    }

    private(set) var all: [ConsoleRoute] = []

    /// Declares a page, which a GET reads and which changes nothing.
    ///
    /// - Parameters:
    ///   - path: The path below `/console`; parts in braces are parameters.
    ///   - access: Who may open it.
    ///   - fresh: Whether the last password or code must be recent.
    ///   - handler: Makes the page.
    mutating func page(
        _ path: String,
        _ access: ConsoleAccess,
        fresh: Bool = false,
        _ handler: @escaping @Sendable (Visit) async throws -> Outcome
    ) {
        add("GET", path, access, fresh, .page(handler))
    }

    /// Declares a form, which a POST submits; its CSRF token is checked before the handler runs.
    ///
    /// - Parameters:
    ///   - path: The path below `/console`; parts in braces are parameters.
    ///   - access: Who may submit it.
    ///   - fresh: Whether the last password or code must be recent; the form continues after they were asked for.
    ///   - bodyLimit: Maximum size of the body in bytes.
    ///   - show: The page of the form, with what was typed. It is shown with status 422 when `submit` throws
    ///     ``FormProblems`` or the engine's errors of fields, and when somebody had to sign in first.
    ///   - submit: Does what the form says, and redirects.
    mutating func form(
        _ path: String,
        _ access: ConsoleAccess,
        fresh: Bool = false,
        bodyLimit: Int = 64 * 1_024,
        show: @escaping @Sendable (Visit, FormState) async throws -> any PageView,
        submit: @escaping @Sendable (Visit) async throws -> Outcome
    ) {
        let handler = ConsoleRoute.FormHandler(
            show: { visit, state in
                let view = try await show(visit, state)
                return state.problems.isEmpty ? .page(view) : .problems(view)
            },
            submit: submit
        )
        add("POST", path, access, fresh, bodyLimit: bodyLimit, .form(handler))
    }

    /// Declares a button, which a POST presses.
    ///
    /// - Parameters:
    ///   - path: The path below `/console`; parts in braces are parameters.
    ///   - access: Who may press it.
    ///   - fresh: Whether the last password or code must be recent; the action continues after they were asked for.
    ///   - page: The path of the page that has the button, for who had to sign in first.
    ///   - handler: Does it, and redirects.
    mutating func action(
        _ path: String,
        _ access: ConsoleAccess,
        fresh: Bool = false,
        on page: @escaping @Sendable (Visit) -> String,
        _ handler: @escaping @Sendable (Visit) async throws -> Outcome
    ) {
        let handler = ConsoleRoute.FormHandler(show: { visit, _ in .redirect(page(visit)) }, submit: handler)
        add("POST", path, access, fresh, .form(handler))
    }

    /// Declares a page or a form for visitors who are not signed in.
    mutating func entry(
        _ method: String,
        _ path: String,
        _ handler: @escaping @Sendable (EntryVisit) async throws -> Outcome
    ) {
        add(method, path, .open, false, bodyLimit: FormCheck.closedLimit, .entry(handler))
    }

    /// Finds the route of a path.
    func match(_ method: String, _ path: String) -> Match {
        let parts = Self.parts(path)
        var hasPath = false
        // A path without parameters is declared before one that has them.
        for route in all {
            guard let parameters = route.parameters(of: parts) else { continue }
            if route.declared.method == method { return .route(route, parameters: parameters) }
            hasPath = true
        }
        return hasPath ? .otherMethod : .none
    }

    static func parts(_ path: String) -> [Substring] { path.split(separator: "/") }

    // MARK: - Private

    private mutating func add(
        _ method: String,
        _ path: String,
        _ access: ConsoleAccess,
        _ fresh: Bool,
        bodyLimit: Int = 64 * 1_024,
        _ handler: ConsoleRoute.Handler
    ) {
        let declared = DeclaredConsoleRoute(
            method: method,
            path: path,
            access: access,
            needsFreshAuthentication: fresh
        )
        all.append(ConsoleRoute(declared, bodyLimit: bodyLimit, handler))
    }
}
