import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import CarillonWebhooks
import Foundation
import Logging
import TestStores
import Testing

/// An App with content sets on an empty database.
struct JobWorld: Sendable {
    let database: any Database
    let stores: Stores
    let engine: Engine
    let services: ContentServices
    let fetcher: HTTPContentFetcher
    /// Those of the fetcher: loopback is no network of the server's own.
    static var fetcherOptions: HTTPWebhookClient.Options {
        var options = HTTPWebhookClient.Options()
        options.allowsLocal = true
        return options
    }
    /// What the test moves.
    let time = JobTime()
    let app: AppID

    init() async throws {
        database = try await TestDatabase()
        stores = try await Stores(migrating: database, now: time.wall)
        let vault = try #require(Vault(masterKey: [UInt8](repeating: 7, count: 32)))
        let context = EngineContext(vault: vault, clock: time, logger: Self.logger)
        engine = Engine(
            stores: stores,
            context: context,
            apps: context.apps(stores),
            sender: SilentSender(),
            webhookClient: NoWebhooks()
        )
        fetcher = HTTPContentFetcher(options: Self.fetcherOptions, wholeTime: .seconds(30))
        services = ContentServices(stores, engine, fetcher)
        app = try await engine.apps.create(AppRequest(name: "A", bundleID: "org.example.a")).app.id
    }

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A node that fetches; several of them share the store.
    func node(_ store: (any ContentSourceStore)? = nil) -> ContentImports {
        var options = ContentImports.Options()
        options.random = { 0 }
        let reader = ContentSourceReader(
            sets: services.sets,
            fetcher: fetcher,
            vault: engine.context.vault,
            clock: time,
            timer: time
        )
        return ContentImports(
            options: options,
            store: store ?? stores.contentSources,
            reader: reader,
            clock: time,
            timer: time,
            figures: services.figures,
            logger: Self.logger
        )
    }

    /// A set of places with a name and a city.
    func definePlaces() async throws {
        let fields = [
            ContentField("id", .text), ContentField("name", .text, isSearchable: true),
            ContentField("city", .text, isIndexed: true), ContentField("tags", .list, isIndexed: true),
            ContentField("at", .position),
        ]
        let definition = ContentSetDefinition(title: "P", tables: [ContentTable("places", key: "id", fields)])
        _ = try await services.sets.put("places", definition, app: app)
    }

    /// Saves a source of the set `places`.
    @discardableResult
    func put(_ url: String, _ change: (inout ContentSourceRequest) -> Void = { _ in }) async throws -> ContentSource {
        var request = ContentSourceRequest(.csv, url: url)
        request.interval = 600
        change(&request)
        return try await services.sources.put("feed", of: "places", app: app, request)
    }

    func source(of set: String = "places") async throws -> ContentSource {
        try await services.sources.source("feed", of: set, app: app)
    }

    func rows(of set: String = "places", table: String? = nil) async throws -> [String] {
        try await services.sets.page(ContentQuery(), table: table, of: set, app: app).items.map(\.document)
    }

    func runs() async throws -> [ContentImportRun] {
        try await services.sets.runs(of: "places", app: app, before: nil, limit: 50).items
    }
}

/// Renders a message as its texts; it never sends.
private struct SilentSender: Sender {
    func render(_ draft: NotificationDraft) throws(RenderingError) -> Rendering {
        let content = draft.language.flatMap { draft.message.content[$0] }
        let bytes = Array(((content?.title ?? "") + (content?.body ?? "")).utf8) + [UInt8](repeating: 0x30, count: 24)
        return Rendering(bytes: bytes, receiptOffset: bytes.count - 24, limit: 4_096)
    }

    func blamesToken(_ reason: FailureReason) -> Bool { false }

    func send(_ batch: NotificationBatch, until deadline: ContinuousClock.Instant) async -> [Consequence] {
        Issue.record("Nothing is sent here.")
        return []
    }
}

/// Posts nothing.
private struct NoWebhooks: WebhookClient {
    func objection(to url: String) -> String? { "be no webhook" }

    func post(_ post: WebhookPost) async -> WebhookAnswer {
        Issue.record("Nothing is posted here.")
        return .failed("")
    }
}
