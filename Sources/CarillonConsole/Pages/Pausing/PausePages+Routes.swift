import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Pausing and resuming all sending of an App.
enum PausePages {
    /// What is confirmed.
    enum Action: String, Hashable, Sendable, CaseIterable {
        case pause, resume

        /// The last part of the path.
        var page: String { rawValue + "-sending" }
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        for action in Action.allCases {
            routes.page("/apps/{app}/\(action.page)", .app(.sender)) { visit in
                .page(PauseView(action, try visit.app, try await underWay(try visit.app.id, visit.engine), visit.look))
            }
            routes.action("/apps/{app}/\(action.page)", .app(.sender), on: page(action)) { visit in
                try await perform(action, visit)
            }
        }
    }

    /// The page that has the button.
    private static func page(_ action: Action) -> @Sendable (Visit) -> String {
        { visit in visit.pathApp.map { ConsolePath.app($0.id, action.page) } ?? ConsolePath.home }
    }

    /// How many of the latest Campaigns are being sent.
    private static func underWay(_ app: AppID, _ engine: Engine) async throws -> Int {
        try await engine.campaigns.list(app: app, after: nil, limit: Overview.lookedAt).items
            .count { CampaignsQuery.Tab.sending.states.contains($0.state) }
    }

    private static func perform(_ action: Action, _ visit: Visit) async throws -> Outcome {
        let (app, apps) = (try visit.app, visit.engine.apps)
        // A refusal is recorded with the object as well.
        visit.audit.note(object: app.id.description)
        let after: App
        switch action {
        case .pause: after = try await apps.pauseSending(app.id, by: visit.person.id.description)
        case .resume: after = try await apps.resumeSending(app.id)
        }
        let words = [app, after].map { $0.sendingPausedAt == nil ? "sending" : "paused" }
        visit.audit.note(object: app.id.description, change: words.joined(separator: " → "))
        return .redirect(ConsolePath.app(app.id), Notice("pause.done.\(action.rawValue)"))
    }
}
