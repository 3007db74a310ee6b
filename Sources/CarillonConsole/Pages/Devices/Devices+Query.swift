import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The list and search of an App's Devices.
enum DeviceList {
    /// The query of the page.
    struct Query: Hashable, Sendable {
        /// What was searched for; empty for all Devices.
        var text: String
        /// The cursor of the page before.
        var after: String?

        init(_ fields: FormFields) {
            text = String(fields.text("q").trimmed.prefix(200))
            after = fields["after"].flatMap { $0.utf8.count <= 64 ? $0 : nil }
        }

        var fields: FormFields {
            FormFields().setting(["q": text.isEmpty ? nil : text, "after": after])
        }

        /// The same rows from a cursor on; `nil` for the first.
        func continuing(after cursor: String?) -> Query {
            var query = self
            query.after = cursor
            return query
        }
    }

    /// What the page shows.
    struct Model: Sendable {
        var query: Query
        var devices: Page<DeviceRecord>
        /// Users whose ids begin with the text, when no Device was found.
        var users: [ListedUser]
    }

    static let pageSize = 50
    private static let userCount = 20

    /// Finds Devices: by a whole id, by a whole device token, or by the id of their User.
    ///
    /// Part of a token finds nothing.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - app: The App.
    ///   - engine: The services.
    /// - Returns: The page's values.
    /// - Throws: ``EngineError``.
    static func read(_ query: Query, of app: AppID, _ engine: Engine) async throws -> Model {
        guard !query.text.isEmpty else {
            let page = try await engine.devices.list(app: app, user: nil, cursor: query.after, limit: pageSize)
            return Model(query: query, devices: page, users: [])
        }
        if let found = try await device(query.text, of: app, engine) {
            return Model(query: query, devices: Page(items: [found], nextCursor: nil), users: [])
        }
        var devices = try await holders(query.text, of: app, engine)
        var cursor: String?
        if devices.isEmpty, let user = UserID(rawValue: query.text) {
            let page = try await engine.devices.list(app: app, user: user, cursor: query.after, limit: pageSize)
            (devices, cursor) = (page.items, page.nextCursor)
        }
        var users: [ListedUser] = []
        if devices.isEmpty {
            let page = try await engine.registry.users.list(app: app, prefix: query.text, after: nil, limit: userCount)
            users = page.items
        }
        return Model(query: query, devices: Page(items: devices, nextCursor: cursor), users: users)
    }

    /// The Device of a whole id.
    private static func device(_ text: String, of app: AppID, _ engine: Engine) async throws -> DeviceRecord? {
        guard let id = DeviceID(text) else { return nil }
        do throws(EngineError) {
            return try await engine.devices.device(app: app, device: id, secret: nil)
        } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
    }

    /// The Devices that have a whole token, which the store finds by its hash.
    private static func holders(_ text: String, of app: AppID, _ engine: Engine) async throws -> [DeviceRecord] {
        guard let token = DeviceToken(hexadecimal: text) else { return [] }
        let found = try await engine.devices.tokens(token, tenant: nil, app: app, isTrusted: true)
        var devices: [DeviceRecord] = []
        for id in Set(found.map(\.device)).sorted(by: { $0.description < $1.description }) {
            if let device = try await device(id.description, of: app, engine) { devices.append(device) }
        }
        return devices
    }
}
