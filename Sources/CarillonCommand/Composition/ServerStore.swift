import CarillonEngine
import CarillonSQL
import CarillonStore
import Foundation
import ServiceLifecycle

/// Where a server keeps its data.
enum ServerStore: Hashable, Sendable {
    /// A file of this process alone; it is made when it is not there.
    case file(path: String)
    /// A PostgreSQL database that other nodes may share. The URL may have a password.
    case postgreSQL(url: String)

    /// Reads a setting: a URL of PostgreSQL's, or a path.
    init(_ text: String) {
        let isURL = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
        self = isURL ? .postgreSQL(url: text) : .file(path: text)
    }

    /// For people: the path, or the URL without its password.
    var shown: String {
        switch self {
        case .file(let path): return path
        case .postgreSQL(let url):
            guard var parts = URLComponents(string: url) else { return "PostgreSQL" }
            parts.password = nil
            // libpq takes words there too, `password` among them.
            parts.query = nil
            return parts.string ?? "PostgreSQL"
        }
    }
}

/// What a node does.
enum ServerRole: String, Hashable, Sendable, CaseIterable {
    /// The API, and sending.
    case all
    /// The API alone: what it accepts is sent by other nodes.
    case api
    /// Sending alone: of the API only `/health`, `/ready` and `/metrics` answer.
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

/// Joins a node's signals to those of the others on its database.
struct NodeNotifications: Service {
    private let notifications: PostgreSQLNotifications

    /// `nil` where there are no others.
    init?(of database: any Database, _ signals: CampaignSignals) throws(StoreError) {
        guard let database = database as? PostgreSQLDatabase else { return nil }
        notifications = try PostgreSQLNotifications(of: database, joining: signals)
    }

    func run() async throws { try await notifications.run() }
}
