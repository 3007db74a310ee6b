import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// Where a call with an API key names its App.
///
/// Each kind is a type of its own, and ``KeyCall`` has only the methods that fit it: a handler cannot look elsewhere
/// than its route declares.
protocol AppBinding: Sendable {
    /// A description for the route table.
    static var text: String { get }

    /// Whether the query has an `app`.
    static var isInQuery: Bool { get }

    /// Checks what depends on the key alone.
    static func check(_ principal: Principal) throws

    /// The App that a request names, whether the caller may access it or not; `nil` when it names none or a malformed one.
    static func named(_ request: Request, _ context: ServerContext) -> AppID?
}

extension AppBinding {
    static var isInQuery: Bool { false }

    static func check(_ principal: Principal) throws {}

    static func named(_ request: Request, _ context: ServerContext) -> AppID? { nil }
}

/// No App: the call requires a key of the server.
struct NoApp: AppBinding {
    static let text = "none, key of the server"

    static func check(_ principal: Principal) throws {
        guard principal.app == nil else { throw Problem.serverKeyRequired }
    }
}

/// The path's `{app}`, which must be the App of an App's key.
struct PathApp: AppBinding {
    static let text = "path"

    static func named(_ request: Request, _ context: ServerContext) -> AppID? { AppID(context.parameter("app")) }
}

/// The query's `app`, optional with a key of one App.
struct RequiredQueryApp: AppBinding {
    static let text = "query"
    static let isInQuery = true

    static func named(_ request: Request, _ context: ServerContext) -> AppID? { request.namedApp }
}

/// The query's `app`; without it a key of the server addresses all Apps.
struct OptionalQueryApp: AppBinding {
    static let text = "query, or all"
    static let isInQuery = true

    static func named(_ request: Request, _ context: ServerContext) -> AppID? { request.namedApp }
}

/// The same, for what outlives its App: it may have been deleted.
struct FormerQueryApp: AppBinding {
    static let text = "query, or all, deleted ones too"
    static let isInQuery = true
}

/// The key's own App, to which the object must belong.
struct KeyApp: AppBinding {
    static let text = "key"
}

extension AppBinding where Self == NoApp {
    static var none: NoApp { NoApp() }
}

extension AppBinding where Self == PathApp {
    static var path: PathApp { PathApp() }
}

extension AppBinding where Self == RequiredQueryApp {
    static var query: RequiredQueryApp { RequiredQueryApp() }
}

extension AppBinding where Self == OptionalQueryApp {
    static var queryOrAll: OptionalQueryApp { OptionalQueryApp() }
}

extension AppBinding where Self == FormerQueryApp {
    static var queryOrAllWithFormer: FormerQueryApp { FormerQueryApp() }
}

extension AppBinding where Self == KeyApp {
    static var key: KeyApp { KeyApp() }
}

// MARK: - What a call has of each way

extension KeyCall where Binding == PathApp {
    /// The App in the path.
    ///
    /// - Throws: 404 unless the caller may access it.
    func app() throws -> AppID {
        let id = try self[.app]
        try principal.check(id)
        return id
    }
}

extension KeyCall where Binding == RequiredQueryApp {
    /// The App in the query, or the key's own.
    ///
    /// - Throws: 422 when there is none, 404 when the caller may not access it.
    func app() throws -> AppID { try principal.app(named: try query.app()) }
}

extension KeyCall where Binding == OptionalQueryApp {
    /// The App in the query, or the key's own; `nil` is all Apps.
    ///
    /// - Throws: 404 when the caller may not access it.
    func app() throws -> AppID? {
        let named = try query.app()
        return principal.app == nil ? named : try principal.app(named: named)
    }
}

extension KeyCall where Binding == FormerQueryApp {
    /// The App in the query, or the key's own; `nil` is all Apps.
    ///
    /// - Throws: 404 when the caller may not access it.
    func app() throws -> AppID? {
        let named = try query.app()
        return principal.app == nil ? named : try principal.app(named: named)
    }
}

extension Request {
    /// The App in the query; `nil` when it is missing or malformed.
    fileprivate var namedApp: AppID? { uri.queryParameters["app"].flatMap { AppID(String($0)) } }
}

extension KeyCall where Binding == KeyApp {
    /// The App to which the object must belong; `nil` is any.
    var within: AppID? { principal.app }
}
