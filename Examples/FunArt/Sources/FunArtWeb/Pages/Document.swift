import Foundation
import Mustache

/// What every page has around its own part.
struct Document {
    /// A link of the navigation.
    struct Tab {
        let title: String
        let path: String
        let isCurrent: Bool
    }

    /// A notification on the phone's screen.
    struct Notification: Hashable, Sendable {
        let id: String
        let title: String
        let body: String
    }

    let texts: Texts
    let title: String
    /// Where the link back leads.
    let back: String?
    let tabs: [Tab]
    let hasTabs: Bool
    let notifications: [Notification]
    /// The page's own part.
    let content: Any
}

/// What a page is made for: the browser's request, and the phone behind it.
struct Visit: Sendable {
    let language: Language
    /// The request's path.
    let path: String
    let query: [String: String]
    let notifications: [Document.Notification]

    var texts: Texts { language.texts }
}

/// What a request leads to.
enum Outcome: Sendable {
    case page(String)
    case missing(String)
    case redirect(String)
}

/// Renders pages with Mustache's templates.
struct PageRenderer: Sendable {
    private let library: MustacheLibrary

    /// Reads the templates.
    ///
    /// - Throws: When a template cannot be read.
    init() async throws { library = try await MustacheLibrary(directory: Resources.templates) }

    /// Renders a page.
    ///
    /// - Parameters:
    ///   - template: The template's name.
    ///   - title: The page's title.
    ///   - visit: What it is made for.
    ///   - back: Where the link back leads.
    ///   - hasTabs: Whether it has the navigation.
    ///   - content: The page's own part.
    /// - Returns: The document.
    func page(
        _ template: String,
        _ title: String,
        _ visit: Visit,
        back: String? = nil,
        hasTabs: Bool = true,
        _ content: Any
    ) -> String {
        let texts = visit.texts
        let tabs = [(texts.kinds, "/kinds"), (texts.follows, "/follows"), (texts.aboutShort, "/about")]
        let document = Document(
            texts: texts,
            title: title,
            back: back,
            tabs: tabs.map { Document.Tab(title: $0.0, path: $0.1, isCurrent: visit.path == $0.1) },
            hasTabs: hasTabs,
            notifications: visit.notifications,
            content: content
        )
        return library.render(document, withTemplate: template) ?? ""
    }

    /// Renders a part of a page, which the browser puts in place of the one that it has.
    func part(_ template: String, _ content: Any) -> String { library.render(content, withTemplate: template) ?? "" }

    /// Renders the notifications on the phone's screen.
    func notifications(_ visit: Visit) -> String {
        struct Content {
            let texts: Texts
            let notifications: [Document.Notification]
        }
        return part("notifications", Content(texts: visit.texts, notifications: visit.notifications))
    }
}
