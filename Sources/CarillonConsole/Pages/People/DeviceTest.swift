import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// A test message to one Device, which has to be a registered test Device.
enum DeviceTest {
    static func declare(_ routes: inout ConsoleRoutes) {
        let path = "/apps/{app}/devices/{device}/test"
        routes.page(path, .app(.editor)) { visit in .page(try await page(visit, .empty)) }
        routes.form(path, .app(.editor)) { visit, state in
            try await page(visit, state)
        } submit: { visit in
            try await send(visit)
        }
    }

    private static func page(_ visit: Visit, _ state: FormState) async throws -> DeviceTestView {
        let (app, id) = (try visit.app.id, try PeopleActions.wantedDevice(visit))
        _ = try await visit.engine.devices.device(app: app, device: id, secret: nil)
        let known = try await visit.engine.testDevices.list(app: app, limit: TestDevice.maximumCount).items
        let isKnown = known.contains { $0.device == id }
        return DeviceTestView(id, of: app, isTestDevice: isKnown, mayPair: visit.may(.admin), state, visit.look)
    }

    private static func send(_ visit: Visit) async throws -> Outcome {
        let (app, id) = (try visit.app.id, try PeopleActions.wantedDevice(visit))
        _ = try await visit.engine.devices.device(app: app, device: id, secret: nil)
        try await PeopleActions.note(visit, "device", id.description)
        let (title, body) = (visit.form.text("title").trimmed, visit.form.text("body").trimmed)
        guard !body.isEmpty else { throw FormProblems("body", visit.texts("deviceTest.noBody")) }
        let content = LocalizedContent(title: title.isEmpty ? nil : title, body: body)
        var message = Message(content: ["default": content])
        // Braces that somebody types are no placeholders here.
        message.isLiteral = true
        do throws(EngineError) {
            let test = try await visit.engine.testDevices.send(
                app: app,
                TestDevicesSend(devices: [id], message: message)
            )
            try await note(visit, id, test)
        } catch {
            throw refusal(error, visit.texts)
        }
        return .redirect(AppPath(app: app).device(id), Notice("deviceTest.sent"))
    }

    private static func note(_ visit: Visit, _ id: DeviceID, _ test: Campaign) async throws(EngineError) {
        let name = try await visit.engine.audit.pseudonym("device", id.description, app: test.app)
        visit.audit.note(object: name, change: "test \(test.id)")
    }

    /// What the engine refuses, in words of the page.
    private static func refusal(_ error: EngineError, _ texts: Texts) -> any Error {
        if case .conflict = error { return FormProblems("body", texts("content.test.limit")) }
        guard let field = error.fieldErrors.first?.field else { return error }
        if field.hasPrefix("devices") { return FormProblems(nil, texts("deviceTest.notTest")) }
        if field == "app" { return FormProblems(nil, texts("content.test.noKey")) }
        return FormProblems("body", texts("problem.other"))
    }
}

/// The form of a test message as its template shows it.
struct DeviceTestView: PageView {
    static let template = "device-test"

    let heading: String
    let deviceID: String
    let title: FieldView
    let body: FieldView
    let isTestDevice: Bool
    /// Where an admin makes it one; `nil` for others.
    let pairPath: String?
    let formPath: String
    let backPath: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    init(
        _ id: DeviceID,
        of app: AppID,
        isTestDevice: Bool,
        mayPair: Bool,
        _ state: FormState,
        _ look: Look
    ) {
        let texts = look.texts
        heading = texts("deviceTest.heading")
        deviceID = id.description
        title = state.field("title", texts("deviceTest.title"))
        body = state.field("body", texts("deviceTest.body"))
        self.isTestDevice = isTestDevice
        pairPath = mayPair && !isTestDevice ? ConsolePath.app(app, "settings/test-devices") : nil
        backPath = AppPath(app: app).device(id)
        formPath = backPath + "/test"
        summary = state.summary
        hasSummary = !summary.isEmpty
    }
}
