import CarillonEngine
import HTTPTypes
import Hummingbird

/// The own part of a page: the values that its template shows.
///
/// A template reads stored properties alone, by their names. A property that is `nil` is looked up in what is around it, so
/// that names of optional properties must differ from `page`, `texts` and `content`.
protocol PageView: Sendable {
    /// The template's name: its file below `Resources/templates`, without `.mustache`.
    static var template: String { get }
    /// The text of the page's only `<h1>`, and of its title.
    var heading: String { get }
}

/// What a request leads to.
enum Outcome: Sendable {
    /// A page.
    case page(any PageView)
    /// The page of a form that has problems: status 422, its title says so.
    case problems(any PageView)
    /// Another status than 200.
    case other(HTTPResponse.Status, any PageView)
    /// 303 to a path below `/console`, where the notice is shown once.
    case redirect(String, Notice? = nil)
    /// What is no page: a download.
    case download(name: String, type: String, ResponseBody)
    /// Server-sent events.
    case stream(ResponseBody)
    /// 204: there is nothing, and a browser does not ask for a stream again.
    case nothing
    /// A session with a new value: what was begun before continues, unless a code is still missing.
    case opened(OpenedSession, Continuation, Notice? = nil)
    /// A page at a new value of the session.
    case openedPage(OpenedSession, any PageView)
    /// A page that leads to an address of the identity provider, with what the browser keeps until it comes back.
    case leaving(String, pending: PendingSignIn, any PageView)
    /// The session has ended; 303.
    case ended(redirect: String, Notice? = nil)
}

/// What happened, told once on the next page: a key of the catalogue, with the values of its parameters.
struct Notice: Hashable, Sendable, Codable {
    let key: String
    var parameters: [String: String] = [:]

    init(_ key: String, _ parameters: [String: String] = [:]) {
        self.key = key
        self.parameters = parameters
    }
}

/// What continues after somebody was asked who they are; pages of entry carry it.
struct Continuation: Hashable, Sendable {
    /// The path of a page of ours; `nil` for the first page.
    var next: String?
    /// A form that was submitted before, sealed.
    var held: String?

    init(next: String? = nil, held: String? = nil) { (self.next, self.held) = (next, held) }

    /// What a page of entry carries, in its form or its query.
    init(_ visit: EntryVisit) {
        next = ConsolePath.own(visit.form["next"] ?? visit.query["next"])
        held = visit.form["_held"]
    }
}
