import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension PhonePage {
    private static let base = "/apps/{app}/phones"

    static func path(_ id: DeviceID, of app: AppID) -> String { ConsolePath.app(app, "phones/\(id)") }

    /// - Parameters:
    ///   - routes: Where they are declared.
    ///   - time: How long a page waits for the answer to a test.
    static func declare(_ routes: inout ConsoleRoutes, waitingFor time: Duration) {
        // A key of Apple's is a secret, and this one stands in its place.
        routes.action("/apps/{app}/simulator", .app(.admin), fresh: true, on: home) { visit in
            let app = try visit.app
            visit.audit.note(object: app.id.description)
            let after = try await visit.engine.apps.useSimulator(app.id)
            visit.audit.note(
                object: app.id.description,
                change: "usesSimulator \(app.usesSimulator) → \(after.usesSimulator)"
            )
            return .redirect(home(visit), Notice("phone.simulatorOn"))
        }
        routes.action(base, .app(.editor), on: home) { visit in try await add(visit) }
        routes.page(base + "/{device}", .app(.viewer)) { visit in
            let model = try await read(try wanted(visit), of: try visit.app, visit.engine)
            return .page(SimulatedPhoneView(model, mayTest: visit.may(.editor), visit.look))
        }
        routes.action(base + "/{device}/test", .app(.editor), on: page) { visit in try await test(visit, time) }
        routes.action(base + "/{device}/open", .app(.editor), on: page) { visit in try await open(visit) }
    }

    // MARK: - Private

    private static func wanted(_ visit: Visit) throws -> DeviceID { try visit.parameter("device") { DeviceID($0) } }

    private static func home(_ visit: Visit) -> String {
        visit.pathApp.map { ConsolePath.app($0.id) } ?? ConsolePath.home
    }

    private static func page(_ visit: Visit) -> String {
        guard let app = visit.pathApp?.id, let id = visit.parameters["device"].flatMap({ DeviceID($0) }) else {
            return home(visit)
        }
        return path(id, of: app)
    }

    private static func add(_ visit: Visit) async throws -> Outcome {
        let app = try visit.app.id
        visit.audit.note(object: app.description)
        let device = try await visit.engine.simulatedPhones.add(
            to: app,
            language: visit.look.language.rawValue,
            timeZone: visit.times.zoneName
        )
        visit.audit.note(object: device.device.description, change: "simulated phone: none → added")
        return .redirect(path(device.device, of: app), Notice("phone.added"))
    }

    private static func test(_ visit: Visit, _ time: Duration) async throws -> Outcome {
        let (app, id) = (try visit.app, try wanted(visit))
        visit.audit.note(object: id.description)
        _ = try await read(id, of: app, visit.engine)
        let content = LocalizedContent(
            title: visit.texts("phone.test.title"),
            body: visit.texts("phone.test.body", ["app": app.name])
        )
        let campaign = try await sendTest(content, to: id, of: app.id, waitingFor: time, visit.engine)
        visit.audit.note(object: id.description, change: "test send: none → \(campaign.id)")
        return .redirect(path(id, of: app.id), Notice("phone.sent"))
    }

    private static func open(_ visit: Visit) async throws -> Outcome {
        let (app, id) = (try visit.app, try wanted(visit))
        visit.audit.note(object: id.description)
        guard let occurrence = OccurrenceID(visit.form.text("occurrence")) else { throw ConsoleProblem.notFound }
        try await visit.engine.simulatedPhones.open(occurrence, on: id, of: app.id)
        visit.audit.note(object: id.description, change: "opened: none → \(occurrence)")
        return .redirect(path(id, of: app.id), Notice("phone.opened"))
    }
}
