import CLibpq
import Foundation
import StoreErrors

extension PostgreSQLSession {
    /// Defaults come first: the URL overrides them, and its `host` may name several servers.
    static func connect(_ settings: Settings) -> OpaquePointer? {
        let words: [(String, String)] = [
            ("connect_timeout", "\(settings.connectTime)"),
            ("application_name", settings.name),
            ("target_session_attrs", "read-write"),
            ("keepalives_idle", "5"),
            ("keepalives_interval", "2"),
            ("keepalives_count", "3"),
            ("tcp_user_timeout", "10000"),
            ("dbname", settings.target),
            ("client_encoding", "UTF8"),
        ]
        let names = words.map { strdup($0.0) }
        let values = words.map { strdup($0.1) }
        defer { for text in names + values { free(text) } }
        let namePointers = names.map { UnsafePointer($0) } + [nil]
        let valuePointers = values.map { UnsafePointer($0) } + [nil]
        return PQconnectdbParams(namePointers, valuePointers, 1)
    }

    static func check(_ connection: OpaquePointer) throws(StoreError) {
        guard PQserverVersion(connection) >= 150_000 else {
            throw .unavailable("PostgreSQL 15 or later is needed.")
        }
        guard words(PQparameterStatus(connection, "server_encoding")) == "UTF8" else {
            throw .unavailable("The database must have the encoding UTF8.")
        }
    }
}
