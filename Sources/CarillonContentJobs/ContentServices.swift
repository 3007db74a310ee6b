package import CarillonContentSets
package import CarillonEngine
import CarillonOperatorModel
package import ServiceLifecycle

/// The services of content sets, on one set of stores and the engine's clocks and keys.
package struct ContentServices: Sendable {
    package let sets: ContentSets
    package let sources: ContentSources
    package let arrivals: ContentArrivals
    package let imports: ContentImports
    package let follows: ContentFollows
    package let alerts: ContentAlerts
    package let attachments: ContentAttachments
    /// Counts of fetches and of what they led to.
    package let figures: ContentImportMetrics

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - stores: Their stores.
    ///   - engine: Its clock, ids and vault are used.
    ///   - fetcher: Fetches sources.
    package init(_ stores: any ContentStores, _ engine: Engine, _ fetcher: any ContentFetcher) {
        let context = engine.context
        let (ids, clock) = (context.ids, context.clock)
        sets = ContentSets(
            store: stores.contentSets,
            nextID: { ids.next(as: TemplateID.self).rawValue },
            now: { clock.now() }
        )
        sources = ContentSources(
            store: stores.contentSources,
            sets: sets,
            fetcher: fetcher,
            vault: context.vault,
            clock: clock
        )
        arrivals = ContentArrivals(sets: sets, store: stores.contentSources, now: { clock.now() })
        figures = ContentImportMetrics()
        imports = ContentImports(
            store: stores.contentSources,
            reader: ContentSourceReader(sets: sets, fetcher: fetcher, vault: context.vault, clock: clock),
            clock: clock,
            figures: figures,
            logger: context.logger
        )
        follows = ContentFollows(
            store: stores.contentFollows,
            sets: sets,
            campaigns: engine.campaigns,
            apps: engine.apps,
            ids: ids,
            clock: clock
        )
        attachments = ContentAttachments(
            store: stores.contentAttachments,
            sets: sets,
            nextID: { ids.next(as: TemplateID.self).rawValue },
            now: { clock.now() }
        )
        alerts = ContentAlerts(
            store: stores.contentFollows,
            sets: sets,
            campaigns: engine.campaigns,
            clock: clock,
            figures: figures,
            logger: context.logger
        )
    }

    /// What runs beside the API.
    package var jobs: [any Service] { [imports, alerts] }
}
