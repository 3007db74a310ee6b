package import CarillonContentJobs
package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel
import HTTPTypes
package import Hummingbird
package import Logging
import NIOConcurrencyHelpers

/// The operators' console: pages for people, complete HTML from the server, that work without JavaScript.
///
/// It answers the paths below `/console`. A route declares who may open it; a page is read by its `Query`, held by its
/// `Model`, and shown by its `View` and a template.
package struct Console: Sendable {
    /// How the console is served.
    package struct Configuration: Sendable {
        /// The address under which browsers reach it, without a path: `https://push.example.org`; `nil` for the one that
        /// they ask.
        package var publicURL: String?
        /// Whether it may be used over plain HTTP from other machines; each page warns then.
        package var allowsPlainHTTP = false
        /// Whether browsers are told that all names below its host have TLS too.
        package var includesSubdomains = true
        /// Whether everything is sent to another place than Apple's: pages are marked as a sandbox.
        package var isSandbox = false
        /// How long a page waits for the answer to a test notification.
        package var answerTime = Duration.seconds(5)
        /// Whether the pseudo-language can be chosen by `?language=en-XA`: for tests.
        package var offersPseudoLanguage = false
        /// What the node says about itself, for the page of the server.
        package var report: @Sendable () async -> NodeReport = { NodeReport() }
        /// Fetches an image of a message, of at most so many bytes, never from the server's own networks.
        package var fetchImage: @Sendable (_ url: String, _ app: AppID, _ limit: Int) async -> FetchedImage =
            { _, _, _ in .unreachable }

        /// Links that open a session once; `nil` for none.
        package var oneTimeSessions: OneTimeSessions?
        /// The services of content sets; `nil` leaves their pages out.
        package var content: ContentServices?
        /// Who vouches for Operators, beside their passwords and passkeys.
        package var outside = OutsideSources()

        package init() {}
    }

    /// A response, and the route that gave it.
    package struct Answer: Sendable {
        package let response: Response
        /// The route's path with parameters in braces, for logs and metrics; `nil` for an unknown path.
        package let route: String?
    }

    /// The prefix of its paths.
    package static let prefix = "/console"

    let configuration: Configuration
    let engine: Engine
    let routes: ConsoleRoutes
    let renderer: PageRenderer
    let assets: Assets
    let texts: [Language: Texts]
    let logger: Logger
    let strangers = StrangerLimiter()
    /// Whether a header field of elsewhere than the proxy was noted.
    let strayHeader = NIOLockedValueBox(false)
    /// A browser has six connections of a host, so that more streams would stand in the way of its pages.
    let streams = Places<OperatorSessionID>(total: 1_000, perKey: 6)
    let images: ImagePreviews
    /// Forms with files are in memory while they are read.
    let files = Places<OperatorSessionID>(total: 2, perKey: 1)

    /// Reads templates, texts and assets.
    ///
    /// - Parameters:
    ///   - configuration: How it is served.
    ///   - engine: The services that it calls.
    ///   - logger: The log.
    /// - Throws: When a file cannot be read or parsed.
    package init(_ configuration: Configuration = Configuration(), engine: Engine, logger: Logger) throws {
        try self.init(configuration, engine: engine, logger: logger) { _ in }
    }

    /// The same with further routes.
    init(
        _ configuration: Configuration,
        engine: Engine,
        logger: Logger,
        declare: (inout ConsoleRoutes) -> Void
    ) throws {
        self.configuration = configuration
        self.engine = engine
        self.logger = logger
        images = ImagePreviews(configuration.fetchImage)
        var routes = Self.declareRoutes(configuration)
        declare(&routes)
        self.routes = routes
        // What `script/attack-console` tries: no list by hand stays complete.
        for route in routes.all.map(\.declared) { logger.debug("The console has a route.", metadata: route.metadata) }
        renderer = try PageRenderer()
        assets = try Assets()
        texts = try Self.readTexts()
    }

    /// The routes, each with who may open it.
    var declaredRoutes: [DeclaredConsoleRoute] { routes.all.map(\.declared) }

    /// Whether a path is one of the console's.
    package static func isOne(_ path: String) -> Bool {
        path.hasPrefix(prefix)
            && (path.utf8.count == prefix.utf8.count || "/?".contains(path.dropFirst(prefix.count).first ?? " "))
    }

    /// The texts of all languages, the pseudo-language too.
    static func readTexts() throws -> [Language: Texts] {
        var texts: [Language: Texts] = [:]
        for language in Language.offered {
            texts[language] = Texts(language, try Catalogue(of: language))
        }
        let english = try Catalogue(of: .english)
        texts[.pseudo] = Texts(.pseudo, english.pseudo)
        return texts
    }
}
