import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Phones of the team, which get test messages.
enum TestDevicePages {
    private static let path = "/apps/{app}/settings/test-devices"

    /// What the page shows.
    struct Model: Sendable {
        var devices: [TestDevice]
        /// The Devices of the User that somebody looks for; `nil` when nobody does.
        var found: [DeviceRecord]?
    }

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page(path, .app(.admin)) { visit in .page(try await page(visit, .empty)) }
        routes.form(path, .app(.admin)) { visit, state in
            try await page(visit, state)
        } submit: { visit in
            try await add(visit)
        }
        routes.form(path + "/pairing", .app(.admin)) { visit, state in
            try await page(visit, state)
        } submit: { visit in
            let app = try visit.app
            let (name, owner) = try label(visit)
            let pairing = try await visit.engine.testDevices.makePairing(
                TestPairingRequest(name: name, owner: owner),
                app: app.id
            )
            visit.audit.note(object: name, change: "code for a test Device")
            return .page(PairingView(pairing, name: name, of: app.id, visit.look))
        }
        routes.action(path + "/remove", .app(.admin), on: home) { visit in
            guard let device = DeviceID(visit.form.text("device")) else { throw EngineError.notFound(.testDevice) }
            visit.audit.note(object: device.description, change: "no test Device any more")
            try await visit.engine.testDevices.remove(device, app: try visit.app.id)
            return .redirect(home(visit), Notice("testDevices.removed"))
        }
    }

    // MARK: - Private

    private static func home(_ visit: Visit) -> String {
        visit.pathApp.map { AppPath(app: $0.id).testDevices } ?? ConsolePath.home
    }

    private static func add(_ visit: Visit) async throws -> Outcome {
        let (name, owner) = try label(visit)
        guard let device = DeviceID(visit.form.text("device").trimmed) else {
            throw FormProblems("device", visit.texts("testDevices.noID"))
        }
        do throws(EngineError) {
            let request = TestDeviceRequest(device: device, name: name, owner: owner)
            _ = try await visit.engine.testDevices.add(request, app: try visit.requiredApp)
        } catch {
            if error.isNotFound { throw FormProblems("device", visit.texts("testDevices.unknown")) }
            guard case .conflict = error else { throw error }
            throw FormProblems("device", visit.texts("testDevices.tooMany"))
        }
        visit.audit.note(object: device.description, change: "test Device: \(name)")
        return .redirect(home(visit), Notice("testDevices.added", ["name": name]))
    }

    private static func label(_ visit: Visit) throws -> (name: String, owner: String?) {
        let (name, owner) = (visit.form.text("name").trimmed, visit.form.text("owner").trimmed)
        let limits = ["least": "1", "most": "64"]
        guard (1...64).contains(name.count) else {
            throw FormProblems("name", visit.texts("problem.length", limits))
        }
        guard owner.count <= 64 else { throw FormProblems("owner", visit.texts("problem.length", limits)) }
        return (name, owner.isEmpty ? nil : owner)
    }

    private static func page(_ visit: Visit, _ state: FormState) async throws -> TestDevicesView {
        let app = try visit.app.id
        let devices = try await visit.engine.testDevices.list(app: app, limit: TestDevice.maximumCount).items
        var found: [DeviceRecord]?
        let text = visit.query.text("user").trimmed
        if let user = UserID(rawValue: text) {
            found = try await visit.engine.devices.list(app: app, user: user, cursor: nil, limit: 50).items
        }
        return TestDevicesView(Model(devices: devices, found: found), user: text, of: app, state, visit)
    }
}

extension Visit {
    /// The App of the path, for calls with the engine's errors.
    fileprivate var requiredApp: AppID {
        get throws(EngineError) {
            guard let pathApp else { throw .notFound(.app) }
            return pathApp.id
        }
    }
}

/// The page of test Devices.
struct TestDevicesView: PageView {
    static let template = "test-devices"

    struct Row: Hashable, Sendable {
        let rowDevice: String
        let rowPath: String
        let rowName: String
        let rowOwner: String
        let rowUser: String
        let rowLanguage: String
        let rowToken: PillView
        let rowAdded: TimeView
    }

    /// A Device of the User that somebody looks for.
    struct Found: Hashable, Sendable {
        let foundDevice: String
        let foundWords: String
    }

    let heading: String
    let settingsTabs: [TabView]
    let rows: [Row]
    let hasRows: Bool
    let pagePath: String
    let userField: FieldView
    let found: [Found]
    let hasFound: Bool
    let isSearched: Bool
    let deviceField: FieldView
    let labelFields: [FieldView]
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(_ model: TestDevicePages.Model, user: String, of app: AppID, _ state: FormState, _ visit: Visit) {
        let (look, paths) = (visit.look, AppPath(app: app))
        let texts = look.texts
        heading = texts("testDevices.heading")
        settingsTabs = SettingsTab.testDevices.tabs(of: app, look)
        rows = model.devices.map { device in
            Row(
                rowDevice: device.device.description,
                rowPath: paths.device(device.device),
                rowName: device.name,
                rowOwner: device.owner ?? "–",
                rowUser: device.user?.rawValue ?? "–",
                rowLanguage: device.language ?? "–",
                rowToken: PillView(
                    words: texts(device.hasToken ? "testDevices.hasToken" : "testDevices.noToken"),
                    colour: device.hasToken ? "good" : "warn"
                ),
                rowAdded: look.times.table(device.addedAt)
            )
        }
        hasRows = !rows.isEmpty
        pagePath = paths.testDevices
        userField = FormState.empty.field(
            "user",
            texts("testDevices.user"),
            hint: texts("testDevices.userHint"),
            standard: user
        )
        found = (model.found ?? []).map { device in
            Found(
                foundDevice: device.device.description,
                foundWords: [device.device.description, device.model, device.language].compactMap(\.self)
                    .joined(separator: " · ")
            )
        }
        hasFound = !found.isEmpty
        isSearched = !user.isEmpty
        deviceField = state.field("device", texts("testDevices.device"), hint: texts("testDevices.deviceHint"))
        labelFields = [
            state.field("name", texts("testDevices.name"), hint: texts("testDevices.nameHint")),
            state.field("owner", texts("testDevices.owner")),
        ]
        summary = state.summary
        hasSummary = !state.problems.isEmpty
    }
}

/// A code, shown once.
struct PairingView: PageView {
    static let template = "test-pairing"

    let heading: String
    let lead: String
    let code: String
    let backPath: String

    init(_ pairing: TestPairing, name: String, of app: AppID, _ look: Look) {
        heading = look.texts("testDevices.code")
        lead = look.texts(
            "testDevices.codeLead",
            ["name": name, "time": look.times.sentence(pairing.expiresAt).text]
        )
        code = "\(pairing.code.prefix(4)) \(pairing.code.suffix(4))"
        backPath = AppPath(app: app).testDevices
    }
}
