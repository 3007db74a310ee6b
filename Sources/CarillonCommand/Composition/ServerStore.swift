import CarillonEngine
import CarillonSQL
import CarillonStore
import Foundation
import ServiceLifecycle

/// The kind of a server's store.
enum ServerStore: Hashable, Sendable {
    /// An SQLite file of this process alone; created when it is missing.
    case file(path: String)
    /// A PostgreSQL database that other nodes may share. The URL may contain a password.
    case postgreSQL(url: String)

    /// Parses a setting: a PostgreSQL URL, or a path.
    init(_ text: String) {
        let isURL = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
        self = isURL ? .postgreSQL(url: text) : .file(path: text)
    }

    /// The path, or the URL without its password.
    var shown: String {
        switch self {
        case .file(let path): return path
        case .postgreSQL(let url):
            guard var parts = URLComponents(string: url) else { return "PostgreSQL" }
            parts.password = nil
            // libpq accepts parameters there, including `password`.
            parts.query = nil
            return parts.string ?? "PostgreSQL"
        }
    }
}

/// The role of a node.
enum ServerRole: String, Hashable, Sendable, CaseIterable {
    /// The API and dispatching.
    case all
    /// Only the API: other nodes send what it accepts.
    case api
    /// Only dispatching: of the API only `/health`, `/ready` and `/metrics` are served.
    case dispatch
}

extension ServerConfiguration {
    /// Opens the store.
    func openDatabase() throws(StoreError) -> any Database {
        switch store {
        case .file(let path): try SQLiteDatabase(path: path, options: database)
        case .postgreSQL(let url): try PostgreSQLDatabase(url, options: postgreSQL)
        }
    }
}

/// Connects a node's signals to those of other nodes on its database.
struct NodeNotifications: Service {
    private let notifications: PostgreSQLNotifications

    /// `nil` without other nodes.
    init?(of database: any Database, _ signals: CampaignSignals) throws(StoreError) {
        guard let database = database as? PostgreSQLDatabase else { return nil }
        notifications = try PostgreSQLNotifications(of: database, joining: signals)
    }

    func run() async throws { try await notifications.run() }
}
