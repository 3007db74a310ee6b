import CarillonModel
import CarillonOperatorModel

extension Home {
    /// What the template shows.
    struct View: PageView {
        struct Card: Sendable {
            let path: String
            let name: String
            let bundleID: String
            let created: TimeView
            let needsKey: Bool
        }

        static let template = "home"

        let heading: String
        let isEmpty: Bool
        /// Whether the Operator may make an App.
        let mayCreate: Bool
        let cards: [Card]
        let more: String?

        init(_ model: Model, mayCreate: Bool, _ look: Look) {
            heading = look.texts("home.title")
            isEmpty = model.apps.isEmpty
            self.mayCreate = mayCreate
            cards = model.apps.map { app in
                Card(
                    path: ConsolePath.app(app.id),
                    name: app.name,
                    bundleID: app.bundleID,
                    created: look.times.table(app.createdAt),
                    needsKey: !app.hasPushKey
                )
            }
            more = model.next.map { ConsolePath.home + "?after=" + FormFields.escaped($0) }
        }
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page("/", .anywhere(.viewer)) { visit in
            let after = visit.query["after"].flatMap { AppID($0) }
            let model = try await read(visit.engine, visit.person.roles, after: after)
            return .page(View(model, mayCreate: visit.person.role == .admin, visit.look))
        }
    }
}
