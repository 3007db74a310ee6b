import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// How the App is found that a call with an API key is about.
///
/// Each way is a type of its own, and ``KeyCall`` has of it only what fits: a handler cannot look elsewhere than its
/// route declares.
protocol AppBinding: Sendable {
    /// The way in words.
    static var text: String { get }

    /// Checks what the key alone tells.
    static func check(_ principal: Principal) throws
}

extension AppBinding {
    static func check(_ principal: Principal) throws {}
}

/// There is none: the call needs a key of the server.
struct NoApp: AppBinding {
    static let text = "none, key of the server"

    static func check(_ principal: Principal) throws {
        guard principal.app == nil else { throw Problem.serverKeyRequired }
    }
}

/// The path's `{app}`, which a key of one App must be of.
struct PathApp: AppBinding {
    static let text = "path"
}

/// The query's `app`, which a key of one App may leave out.
struct RequiredQueryApp: AppBinding {
    static let text = "query"
}

/// The query's `app`; without it a key of the server asks about all Apps.
struct OptionalQueryApp: AppBinding {
    static let text = "query, or all"
}

/// The body's `app`, which a key of one App may leave out.
struct RequiredBodyApp: AppBinding {
    static let text = "body"
}

/// The body's `app`; without it a key of the server asks about none.
struct OptionalBodyApp: AppBinding {
    static let text = "body, or all"
}

/// The key's own App, which what is found must be of.
struct KeyApp: AppBinding {
    static let text = "key"
}

/// The key's own App, or what the body names, which what is found must be of.
struct KeyOrBodyApp: AppBinding {
    static let text = "key, or body"
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

extension AppBinding where Self == RequiredBodyApp {
    static var body: RequiredBodyApp { RequiredBodyApp() }
}

extension AppBinding where Self == OptionalBodyApp {
    static var bodyOrAll: OptionalBodyApp { OptionalBodyApp() }
}

extension AppBinding where Self == KeyApp {
    static var key: KeyApp { KeyApp() }
}

extension AppBinding where Self == KeyOrBodyApp {
    static var keyOrBody: KeyOrBodyApp { KeyOrBodyApp() }
}

// MARK: - What a call has of each way

extension KeyCall where Binding == PathApp {
    /// The App that the path names.
    ///
    /// - Throws: 404 unless it is an App of the caller's.
    func app() throws -> AppID {
        let id = try self[.app]
        try principal.check(id)
        return id
    }
}

extension KeyCall where Binding == RequiredQueryApp {
    /// The App that the query names, or the key's own.
    ///
    /// - Throws: 422 when there is none, 404 when it is not the caller's.
    func app(_ query: Query) throws -> AppID { try principal.app(named: try query.app()) }

    /// The App of a request whose query has nothing else.
    func app() throws -> AppID { try app(try query("app")) }
}

extension KeyCall where Binding == OptionalQueryApp {
    /// The App that the query names, or the key's own; `nil` is all Apps.
    ///
    /// - Throws: 404 when it is not the caller's.
    func app(_ query: Query) throws -> AppID? {
        let named = try query.app()
        return principal.app == nil ? named : try principal.app(named: named)
    }
}

extension KeyCall where Binding == RequiredBodyApp {
    /// The App that the body names, or the key's own.
    ///
    /// - Throws: 422 when there is none, 404 when it is not the caller's.
    func app(named: AppID?) throws -> AppID { try principal.app(named: named) }
}

extension KeyCall where Binding == OptionalBodyApp {
    /// The App that the body names, or the key's own; `nil` is none.
    ///
    /// - Throws: 404 when it is not the caller's.
    func app(named: AppID?) throws -> AppID? {
        principal.app == nil ? named : try principal.app(named: named)
    }
}

extension KeyCall where Binding == KeyApp {
    /// The App that what is found must be of; `nil` is any.
    var within: AppID? { principal.app }
}

extension KeyCall where Binding == KeyOrBodyApp {
    /// The App that what is found must be of; `nil` is any.
    ///
    /// - Throws: 404 when the body's is not the caller's.
    func within(named: AppID?) throws -> AppID? { named == nil ? principal.app : try principal.app(named: named) }
}
