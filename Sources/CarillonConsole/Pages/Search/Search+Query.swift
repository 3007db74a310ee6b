import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The search that each page has.
enum SearchPage {
    /// A page that can be found by the words of its name.
    struct Place: Hashable, Sendable {
        let path: String
        let title: String
    }

    /// What was found in an App.
    struct Model: Sendable {
        var text: String
        var campaigns: [Campaign] = []
        var users: [ListedUser] = []
        var devices: [DeviceRecord] = []
        var places: [Place] = []
        /// Other Apps, on pages without an App.
        var apps: [App] = []
    }

    /// How many of each kind are shown.
    static let shown = 6
    /// The longest text that is looked for.
    private static let longest = 200

    /// The text of a query.
    static func text(_ query: FormFields) -> String { String(query.text("q").trimmed.prefix(longest)) }

    /// Finds a User by id or its beginning, a Device by id, token or User, a Campaign by id or a part of its texts, and pages
    /// by their words.
    ///
    /// - Parameters:
    ///   - text: What is looked for; for an empty one nothing is found.
    ///   - app: The App.
    ///   - role: Pages that need a greater one are left out.
    ///   - texts: The words of pages.
    ///   - engine: The services.
    /// - Returns: What was found.
    /// - Throws: ``EngineError``.
    static func read(
        _ text: String,
        of app: AppID,
        as role: OperatorRole,
        _ texts: Texts,
        _ engine: Engine
    ) async throws -> Model {
        var model = Model(text: text)
        guard !text.isEmpty else { return model }
        let fields = FormFields().setting(["q": text])
        let campaigns = try await CampaignsQuery(fields).read(of: app, engine).items
        model.campaigns = Array(campaigns.prefix(shown))
        let users = try await UserList.read(UserList.Query(fields), of: app, engine).items
        model.users = Array(users.prefix(shown))
        let devices = try await DeviceList.read(DeviceList.Query(fields), of: app, engine).devices.items
        model.devices = Array(devices.prefix(shown))
        model.places = places(of: app, as: role, texts).filter { contains($0.title, text) }
        return model
    }

    /// Finds Apps of the Operator and pages of the server by their words.
    static func read(
        _ text: String,
        for session: OperatorSession,
        _ texts: Texts,
        _ engine: Engine
    ) async throws -> Model {
        var model = Model(text: text)
        guard !text.isEmpty else { return model }
        let apps = try await Home.read(engine, session.owner.roles, after: nil).apps
        model.apps = apps.filter { contains($0.name, text) || $0.id.description == text }
        model.places = serverPlaces(session, texts).filter { contains($0.title, text) }
        return model
    }

    // MARK: - Private

    /// Whether a title has a text in it, whatever the case.
    private static func contains(_ title: String, _ text: String) -> Bool {
        title.lowercased().contains(text.lowercased())
    }

    /// The pages of an App that have no parameters.
    static func places(of app: AppID, as role: OperatorRole, _ texts: Texts) -> [Place] {
        let pages = ["campaigns", "audiences", "tags", "templates", "categories", "devices", "users", "statistics"]
        var places = pages.map { Place(path: ConsolePath.app(app, $0), title: texts.word("nav", $0)) }
        guard role >= .admin else { return places }
        let settings = texts("nav.settings")
        places += SettingsTab.allCases.map { tab in
            Place(path: ConsolePath.app(app, "settings/\(tab.rawValue)"), title: "\(settings): \(tab.title(texts))")
        }
        return places
    }

    private static func serverPlaces(_ session: OperatorSession, _ texts: Texts) -> [Place] {
        var places = [Place(path: ConsolePath.account, title: texts("layout.account"))]
        let role = session.role(in: nil)
        if role != nil { places.append(Place(path: ConsolePath.system, title: texts("nav.system"))) }
        guard role == .admin else { return places }
        places.append(Place(path: ConsolePath.operators, title: texts("nav.operators")))
        places.append(Place(path: ConsolePath.root + "/audit", title: texts("nav.audit")))
        return places
    }
}
