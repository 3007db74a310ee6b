import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page of the server.
enum SystemPage {
    /// An App with Campaigns that wait for an Operator.
    struct Halted: Hashable, Sendable {
        var app: App
        var campaigns: [Campaign]
    }

    /// What the page shows.
    struct Model: Sendable {
        var report: NodeReport
        /// Campaigns of all Apps that an alarm has paused, at most 1,001; `nil` while the store fails.
        var haltedCount: Int?
        var halted: [Halted]
        /// What webhooks have not delivered; `nil` while the store fails.
        var backlog: WebhookBacklog?
        var oldestWait: Duration
        var readAt: Timestamp
        /// All nodes; empty while the store fails.
        var nodes: [Node] = []
        var work: WorkFigures?
        var store: StoreFigures?
        /// The names of the Apps of lanes.
        var appNames: [AppID: String] = [:]
        /// The node that answers.
        var own: NodeID?
    }

    /// How many Apps are looked at.
    static let appCount = 100
    /// How many halted Campaigns of an App are listed.
    static let campaignCount = 5

    /// Reads what the page shows.
    ///
    /// - Parameters:
    ///   - report: What the node says about itself.
    ///   - engine: The services.
    /// - Returns: The page's values.
    /// - Throws: ``EngineError``.
    static func read(_ report: NodeReport, _ engine: Engine) async throws -> Model {
        let count = await engine.campaigns.haltedCount()
        var halted: [Halted] = []
        if count != 0 {
            for app in try await engine.apps.list(after: nil, limit: appCount).items {
                let campaigns = try await engine.campaigns.halted(app: app.id, limit: campaignCount)
                if !campaigns.isEmpty { halted.append(Halted(app: app, campaigns: campaigns)) }
            }
        }
        let waiting = await engine.webhooks.backlog()
        var model = Model(
            report: report,
            haltedCount: count,
            halted: halted,
            backlog: waiting?.backlog,
            oldestWait: waiting?.age ?? .zero,
            readAt: engine.context.clock.now()
        )
        (model.nodes, model.own) = ((try? await engine.nodes.list()) ?? [], engine.nodes.own)
        (model.work, model.store) = (try? await engine.nodes.work(), try? await engine.nodes.storeFigures())
        for app in Set(model.nodes.flatMap(\.lanes).flatMap(\.apps)).sorted().prefix(appCount) {
            model.appNames[app] = try? await engine.apps.app(app).name
        }
        return model
    }
}
