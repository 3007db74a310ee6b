import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird
import NIOCore

/// What Operators do to Devices and Users: tokens, erasing, and a User's data as a file.
enum PeopleActions {
    private static let device = "/apps/{app}/devices/{device}"
    private static let user = "/apps/{app}/users/{user}"

    static func declare(_ routes: inout ConsoleRoutes) {
        declareTokens(&routes)
        UserEdit.declare(&routes)
        DeviceTest.declare(&routes)
        routes.page(device + "/forget", .app(.admin)) { visit in
            .page(try await forgetPage(visit, .empty))
        }
        routes.form(device + "/forget", .app(.admin), fresh: true) { visit, state in
            try await forgetPage(visit, state)
        } submit: { visit in
            try await forget(visit)
        }
        routes.page(user + "/erase", .app(.admin)) { visit in .page(try await erasePage(visit, .empty)) }
        routes.form(user + "/erase", .app(.admin), fresh: true) { visit, state in
            try await erasePage(visit, state)
        } submit: { visit in
            try await erase(visit)
        }
        // All that is stored of a person leaves the server, so that it is asked for again who is there.
        routes.page(user + "/export.jsonl", .app(.admin), fresh: true) { visit in try await export(visit) }
    }

    static func wantedDevice(_ visit: Visit) throws -> DeviceID {
        try visit.parameter("device") { DeviceID($0) }
    }

    static func wantedUser(_ visit: Visit) throws -> UserID {
        try visit.parameter("user") { UserID(rawValue: $0) }
    }

    /// Notes a User or a Device in the audit log, under the name that survives an erasure.
    static func note(_ visit: Visit, _ kind: String, _ id: String, change: String? = nil) async throws {
        let name = try await visit.engine.audit.pseudonym(kind, id, app: try visit.app.id)
        visit.audit.note(object: name, change: change)
    }

    // MARK: - Erasing

    private static func forgetPage(_ visit: Visit, _ state: FormState) async throws -> TypedConfirmView {
        let (app, id) = (try visit.app, try wantedDevice(visit))
        _ = try await visit.engine.devices.device(app: app.id, device: id, secret: nil)
        let path = AppPath(app: app.id).device(id)
        return TypedConfirmView(
            .forgetDevice,
            ["name": id.description, "app": app.name],
            wanted: id.description,
            at: path + "/forget",
            back: path,
            state,
            visit.look
        )
    }

    private static func forget(_ visit: Visit) async throws -> Outcome {
        let (app, id) = (try visit.app.id, try wantedDevice(visit))
        _ = try await visit.engine.devices.device(app: app, device: id, secret: nil)
        try await note(visit, "device", id.description)
        guard visit.form.text("typed").trimmed.lowercased() == id.description.lowercased() else {
            throw FormProblems("typed", visit.texts("typed.wrong", ["text": id.description]))
        }
        try await visit.engine.devices.erase(DeviceCaller(app: app, device: id, secret: nil), user: false)
        try await note(visit, "device", id.description, change: "erased")
        return .redirect(AppPath(app: app).devices, Notice("device.forgotten"))
    }

    private static func erasePage(_ visit: Visit, _ state: FormState) async throws -> TypedConfirmView {
        let (app, id) = (try visit.app, try wantedUser(visit))
        _ = try await visit.engine.registry.users.user(id, app: app.id, showsTokens: false)
        let path = AppPath(app: app.id).user(id)
        return TypedConfirmView(
            .eraseUser,
            ["name": id.rawValue, "app": app.name],
            wanted: id.rawValue,
            at: path + "/erase",
            back: path,
            state,
            visit.look
        )
    }

    private static func erase(_ visit: Visit) async throws -> Outcome {
        let (app, id) = (try visit.app.id, try wantedUser(visit))
        _ = try await visit.engine.registry.users.user(id, app: app, showsTokens: false)
        try await note(visit, "user", id.rawValue)
        guard visit.form.text("typed").trimmed == id.rawValue.trimmed else {
            throw FormProblems("typed", visit.texts("typed.wrong", ["text": id.rawValue]))
        }
        try await visit.engine.registry.users.erase(id, app: app)
        try await note(visit, "user", id.rawValue, change: "erased")
        return .redirect(AppPath(app: app).users, Notice("user.erased"))
    }

    // MARK: - A User's data

    private static func export(_ visit: Visit) async throws -> Outcome {
        let (app, id) = (try visit.app.id, try wantedUser(visit))
        let export = try await visit.engine.registry.users.export(id, app: app)
        try await note(visit, "user", id.rawValue, change: "exported")
        visit.audit.require()
        let body = ResponseBody { writer in
            var export = export
            while let part = try await export.next() { try await writer.write(ByteBuffer(bytes: part)) }
            try await writer.finish(nil)
        }
        return .download(name: "user.jsonl", type: "application/x-ndjson", body)
    }

    // MARK: - Tokens

    private static func declareTokens(_ routes: inout ConsoleRoutes) {
        routes.action(device + "/token", .app(.admin), fresh: true, on: devicePath) { visit in
            let (app, token) = (try visit.app.id, try await wantedToken(visit))
            try await note(visit, "device", token.device.description, change: "token shown")
            return .page(TokenView(token, of: app, visit.look))
        }
        routes.page(device + "/drop-token", .app(.admin)) { visit in
            let (app, token) = (try visit.app, try await wantedToken(visit))
            return .page(DropTokenView(token, of: app, visit.look))
        }
        routes.action(device + "/drop-token", .app(.admin), on: devicePath) { visit in try await drop(visit) }
    }

    /// The page that has the buttons.
    private static func devicePath(_ visit: Visit) -> String {
        guard let app = visit.pathApp?.id, let id = visit.parameters["device"].flatMap({ DeviceID($0) }) else {
            return ConsolePath.home
        }
        return AppPath(app: app).device(id)
    }

    /// The token that a form or an address names by its push type, of which a Device has one.
    private static func wantedToken(_ visit: Visit) async throws -> RegisteredToken {
        let (app, id) = (try visit.app.id, try wantedDevice(visit))
        _ = try await visit.engine.devices.device(app: app, device: id, secret: nil)
        let type = visit.form["type"] ?? visit.query["type"]
        let tokens = try await visit.engine.devices.tokens(of: id, app: app)
        guard let token = tokens.first(where: { $0.pushType.rawValue == type }) else { throw ConsoleProblem.notFound }
        return token
    }

    private static func drop(_ visit: Visit) async throws -> Outcome {
        let (app, token) = (try visit.app.id, try await wantedToken(visit))
        let devices = visit.engine.devices
        try await note(visit, "device", token.device.description)
        try await devices.remove(
            TokenRemoval(
                app: app,
                token: token.token,
                tenant: token.registration.tenant,
                pushType: token.pushType,
                isTrusted: true
            )
        )
        try await note(visit, "device", token.device.description, change: "\(token.pushType.rawValue) token dropped")
        // A Device without a secret and another token is gone with it.
        var path = AppPath(app: app).device(token.device)
        do throws(EngineError) {
            _ = try await devices.device(app: app, device: token.device, secret: nil)
        } catch {
            guard error.isNotFound else { throw error }
            path = AppPath(app: app).devices
        }
        return .redirect(path, Notice("device.tokenDropped"))
    }
}
