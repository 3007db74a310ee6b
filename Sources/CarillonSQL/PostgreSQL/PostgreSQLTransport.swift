import CLibpq
import Foundation

/// The transport security of a database, according to its URL.
package struct PostgreSQLTransport: Hashable, Sendable {
    /// Whether all its hosts are this machine.
    package var isLocal: Bool
    /// libpq's `sslmode`: from the URL, else from the environment's `PGSSLMODE`, else libpq's default `prefer`.
    package var mode: String

    /// Parses a URL or a keyword string for libpq.
    ///
    /// - Parameters:
    ///   - target: The URL or keyword string.
    ///   - environment: The process's environment.
    package init(_ target: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let words = Self.words(target)
        let hosts = [words["host"] ?? environment["PGHOST"], words["hostaddr"] ?? environment["PGHOSTADDR"]]
        isLocal = hosts.compactMap(\.self).flatMap { $0.split(separator: ",") }.allSatisfy(Self.isLocal)
        mode = words["sslmode"] ?? environment["PGSSLMODE"] ?? "prefer"
    }

    /// A warning; `nil` for a database on this machine, and where the server's certificate is verified.
    package var warning: String? {
        guard !isLocal, mode != "verify-full", mode != "verify-ca" else { return nil }
        return """
            POSTGRESQL IS NOT VERIFIED: with sslmode=\(mode) tokens and texts may travel in the clear or to somebody \
            else's server. Add sslmode=verify-full, and sslrootcert=FILE for a root of your own, to the database's URL.
            """
    }

    private static func isLocal(_ host: Substring) -> Bool {
        host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// The keywords; none when they cannot be parsed, and then connecting fails too.
    private static func words(_ target: String) -> [String: String] {
        guard let options = PQconninfoParse(target, nil) else { return [:] }
        defer { PQconninfoFree(options) }
        var words: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { words[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return words
    }
}
