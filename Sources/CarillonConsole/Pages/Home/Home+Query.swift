import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page of all Apps of an Operator.
enum Home {}

extension Home {
    /// Apps on a page.
    static let pageSize = 50

    /// Reads what the page shows.
    ///
    /// - Parameters:
    ///   - engine: The services.
    ///   - roles: The Operator's roles: Apps without one are left out.
    ///   - after: The last App of the page before.
    ///   - limit: Maximum number of Apps.
    /// - Returns: The page's values.
    /// - Throws: ``EngineError``.
    static func read(
        _ engine: Engine,
        _ roles: OperatorRoles,
        after: AppID?,
        limit: Int = pageSize
    ) async throws -> Model {
        if roles.everywhere == nil { return try await read(engine, roles.apps.map(\.app), after, limit) }
        let page = try await engine.apps.list(after: after, limit: limit)
        return Model(apps: page.items, next: page.nextCursor)
    }

    private static func read(_ engine: Engine, _ ids: [AppID], _ after: AppID?, _ limit: Int) async throws -> Model {
        let rest = ids.sorted { $0.rawValue < $1.rawValue }.drop { id in
            after.map { id.rawValue <= $0.rawValue } ?? false
        }
        var apps: [App] = []
        for id in rest.prefix(limit) {
            do throws(EngineError) {
                apps.append(try await engine.apps.app(id))
            } catch {
                guard error.isNotFound else { throw error }
                // It was deleted, and the role with it soon.
                continue
            }
        }
        let shown = rest.prefix(limit)
        return Model(apps: apps, next: rest.count > limit ? shown.last?.description : nil)
    }
}
