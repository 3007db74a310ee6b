import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page of one Device.
enum DevicePage {
    /// What the page shows.
    struct Model: Sendable {
        var device: DeviceRecord
        var tokens: [RegisteredToken]
        var consents: ConsentHistory
        var tags: [Tag]
        var timeline: Timeline.Page
    }

    /// Reads what the page shows.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such Device.
    static func read(
        _ id: DeviceID,
        of app: AppID,
        _ query: Timeline.Query,
        _ engine: Engine
    ) async throws -> Model {
        let device = try await engine.devices.device(app: app, device: id, secret: nil)
        return Model(
            device: device,
            tokens: try await engine.devices.tokens(of: id, app: app),
            consents: try await engine.consents.history(of: id, app: app),
            tags: try await tags(of: device.user, app: app, engine),
            timeline: try await Timeline.read(query, .device(id), devices: [device], of: app, engine)
        )
    }

    private static func tags(of user: UserID?, app: AppID, _ engine: Engine) async throws -> [Tag] {
        guard let user else { return [] }
        do throws(EngineError) {
            return try await engine.registry.users.user(user, app: app, showsTokens: false).tags
        } catch {
            guard error.isNotFound else { throw error }
            return []
        }
    }
}
