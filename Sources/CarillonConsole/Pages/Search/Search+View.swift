import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What was found, as the template shows it.
struct SearchView: PageView {
    static let template = "search"

    /// Something that was found.
    struct Hit: Hashable, Sendable {
        let hitTitle: String
        let hitPath: String
        let hitHint: String
    }

    /// The hits of one kind.
    struct Group: Hashable, Sendable {
        let groupTitle: String
        let hits: [Hit]
        /// The list with all of them; `nil` where there is none.
        let allPath: String?
    }

    let heading: String
    let query: String
    let hasQuery: Bool
    let groups: [Group]
    let isNothing: Bool
    let actionPath: String

    init(_ model: SearchPage.Model, of app: App?, _ look: Look) {
        let texts = look.texts
        heading = texts("search.heading")
        query = model.text
        hasQuery = !model.text.isEmpty
        let words = CampaignText(look: look)
        let fields = FormFields().setting(["q": model.text])
        var groups: [Group] = []
        func add(_ title: String, _ hits: [Hit], _ list: String? = nil) {
            guard !hits.isEmpty else { return }
            let path = list.flatMap { list in app.map { fields.appended(to: ConsolePath.app($0.id, list)) } }
            groups.append(Group(groupTitle: title, hits: hits, allPath: path))
        }
        if let app {
            let paths = AppPath(app: app.id)
            let users = model.users.map { Hit(hitTitle: $0.user.rawValue, hitPath: paths.user($0.user), hitHint: "") }
            add(texts("nav.users"), users, "users")
            let devices = model.devices.map { device in
                let user = device.user?.rawValue ?? ""
                return Hit(hitTitle: "\(device.device)", hitPath: paths.device(device.device), hitHint: user)
            }
            add(texts("nav.devices"), devices, "devices")
            let campaigns = model.campaigns.map { campaign in
                let state = words.state(campaign).words
                return Hit(hitTitle: words.name(campaign), hitPath: paths.campaign(campaign.id), hitHint: state)
            }
            add(texts("nav.campaigns"), campaigns, "campaigns")
        }
        add(texts("nav.home"), model.apps.map { Hit(hitTitle: $0.name, hitPath: ConsolePath.app($0.id), hitHint: "") })
        add(texts("layout.navigation"), model.places.map { Hit(hitTitle: $0.title, hitPath: $0.path, hitHint: "") })
        self.groups = groups
        isNothing = hasQuery && groups.isEmpty
        actionPath = app.map { ConsolePath.app($0.id, "search") } ?? ConsolePath.root + "/search"
    }
}

extension SearchPage {
    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page("/search", .anywhere(.viewer)) { visit in
            let model = try await read(text(visit.query), for: visit.session, visit.texts, visit.engine)
            return .page(SearchView(model, of: nil, visit.look))
        }
        routes.page("/apps/{app}/search", .app(.viewer)) { visit in
            let app = try visit.app
            let model = try await read(
                text(visit.query),
                of: app.id,
                as: visit.role ?? .viewer,
                visit.texts,
                visit.engine
            )
            return .page(SearchView(model, of: app, visit.look))
        }
    }
}
