import CarillonEngine
import CarillonModel
import CarillonSQL

/// The tables whose ids come without their App: in the paths of the API, from keys that are for all Apps.
enum IdentifiedTable {
    case audiences
    case campaigns
    case statisticsIDs
    case templates
    case webhooks

    /// Looks at an index that has both, and at no row.
    fileprivate var appOfID: SQL {
        switch self {
        case .audiences: "SELECT app_id FROM audiences WHERE id = $1 ORDER BY app_id LIMIT 2"
        case .campaigns: "SELECT app_id FROM campaigns WHERE id = $1 ORDER BY app_id LIMIT 2"
        case .statisticsIDs: "SELECT app_id FROM statistics_ids WHERE id = $1 ORDER BY app_id LIMIT 2"
        case .templates: "SELECT app_id FROM templates WHERE id = $1 ORDER BY app_id LIMIT 2"
        case .webhooks: "SELECT app_id FROM webhooks WHERE id = $1 ORDER BY app_id LIMIT 2"
        }
    }
}

extension AppTable {
    /// Whose something is that came with its id alone.
    ///
    /// All other statements have the App's id.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - table: What it is the id of.
    ///   - app: The App, where it is known; then nothing is asked.
    /// - Returns: The App, which may not have it when it was given; `nil` when no App has it.
    /// - Throws: ``StoreError/failed(_:)`` when two Apps have the same id: neither is the other's.
    func app<ID: SQLBindable>(
        of id: ID,
        in table: IdentifiedTable,
        within app: AppID?
    ) throws -> AppID? {
        if let app { return app }
        let apps = try connection.all(table.appOfID, id, as: AppID.self)
        guard apps.count < 2 else { throw StoreError.failed("Two Apps have this id; ask with a key of one App.") }
        // What a deleted App has is there until it is removed, and nobody finds it.
        guard let app = apps.first, try !isDeleted(app) else { return nil }
        return app
    }
}
