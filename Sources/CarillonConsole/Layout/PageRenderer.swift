import Foundation
import Mustache

/// What every page has around its own part.
struct Document {
    /// A link of the navigation.
    struct Link {
        let title: String
        let path: String
        let isCurrent: Bool
    }

    /// An App of the switcher, or that of the page.
    struct AppLink {
        let name: String
        let path: String
        let isCurrent: Bool
    }

    /// A Campaign that waits for an Operator.
    struct Alarm {
        let alarmPath: String
        let alarmTitle: String
        let alarmName: String
    }

    /// Who is signed in.
    struct Person {
        let name: String
        let address: String
    }

    /// The end of the session, which the script tells two minutes before.
    struct SessionEnd {
        /// In how many seconds it is.
        let left: Int64
        /// Whether using the session does not put it off.
        let isFinal: Bool
    }

    /// What the layout shows.
    struct Page {
        let language: String
        let theme: String
        let title: String
        let heading: String
        let style: String
        let script: String
        let icon: String
        let csrf: String
        /// The page's path, for the link that skips the navigation and for forms that come back here.
        let path: String
        let hasProblems: Bool
        let notice: String?
        let app: AppLink?
        let hasApps: Bool
        let apps: [AppLink]
        /// Where the search of the page leads; `nil` for who is not signed in.
        let searchPath: String?
        /// The path of the App, for the script; `nil` without one.
        let appPath: String?
        /// Tells that all sending of the App is paused.
        let paused: PausedBanner?
        /// Where all sending of the App is paused; `nil` for who may not, and while it is.
        let pausePath: String?
        /// Campaigns of the App that an alarm has paused.
        let alarms: [Alarm]
        /// `production` or `sandbox`, and its word; without an App there is none.
        let environment: String?
        let environmentText: String?
        /// What the most important button of a page says too where nothing reaches Apple; `nil` elsewhere.
        let sandboxWord: String?
        let hasNavigation: Bool
        let links: [Link]
        let serverLinks: [Link]
        let person: Person?
        /// `nil` for who is not signed in.
        let sessionEnd: SessionEnd?
        let zone: String
        /// Whether it is served over plain HTTP to another machine.
        let isPlain: Bool
    }

    let page: Page
    let texts: Texts
    /// The page's own part.
    let content: Any
}

/// Renders pages with Mustache's templates.
struct PageRenderer: Sendable {
    private let library: MustacheLibrary

    /// Reads the templates.
    ///
    /// - Throws: When a template cannot be parsed.
    init() throws {
        HTMLScalars.register()
        var library = MustacheLibrary()
        for (name, text) in try Resources.files(in: "templates", type: "mustache") {
            try library.register(HTMLScalars.pragma + text, named: name)
        }
        self.library = library
    }

    /// Renders a page; `nil` when there is no such template.
    func render(_ page: Document.Page, _ texts: Texts, _ view: any PageView) -> String? {
        let document = Document(page: page, texts: texts, content: view)
        return library.render(document, withTemplate: type(of: view).template)
    }
}

/// The files beside the program.
enum Resources {
    private static var folder: URL { Bundle.module.bundleURL.appendingPathComponent("Resources", isDirectory: true) }

    /// The files of a folder, by name without the type.
    static func files(in folder: String, type: String) throws -> [String: String] {
        let folder = Self.folder.appendingPathComponent(folder, isDirectory: true)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == type }
        let named = try files.map { file in
            (file.deletingPathExtension().lastPathComponent, try String(contentsOf: file, encoding: .utf8))
        }
        return Dictionary(uniqueKeysWithValues: named)
    }

    /// The files of a folder as one text: `base` first, the others by name, so that each part of the console has its own.
    static func joined(_ folder: String, type: String) throws -> String {
        let files = try files(in: folder, type: type)
        let names = files.keys.sorted { ($0 == "base" ? "" : $0) < ($1 == "base" ? "" : $1) }
        return names.compactMap { files[$0] }.joined(separator: "\n")
    }

    /// A file's text.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }
}
