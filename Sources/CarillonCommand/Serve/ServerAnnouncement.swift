import CarillonModel
import CarillonOperatorModel
import CarillonServer
import CarillonStore
import Foundation
import Logging

/// What a starting server says to whom started it.
struct ServerAnnouncement: Sendable {
    private let configuration: ServerConfiguration
    private let isJSON: Bool
    private let isNewStore: Bool
    private let isNewMasterKey: Bool
    /// The admin API key that the start made.
    var firstKey: APIKeySecret?

    /// Looks at what is there already; make it before the store is opened.
    init(_ configuration: ServerConfiguration, isJSON: Bool) {
        self.configuration = configuration
        self.isJSON = isJSON
        if case .file(let path) = configuration.store {
            isNewStore = !FileManager.default.fileExists(atPath: path)
        } else {
            isNewStore = false
        }
        isNewMasterKey = !FileManager.default.fileExists(atPath: configuration.masterKeyPath)
    }

    /// Whether everything, keys and device tokens too, would travel in the clear.
    var isPlainBeyondLoopback: Bool {
        let host = configuration.server.host
        let isLoopback = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        return configuration.server.tls == nil && !isLoopback && configuration.server.trustedProxies.isEmpty
    }

    /// Says loudly what is dangerous.
    func warn(_ logger: Logger) {
        if case .postgreSQL(let url) = configuration.store, let warning = PostgreSQLTransport(url).warning {
            logger.warning("\(warning)", metadata: ["carillon.store": "\(configuration.store.shown)"])
        }
        guard isPlainBeyondLoopback else { return }
        logger.warning(
            "PLAIN HTTP BEYOND THIS MACHINE: API keys and device tokens travel in the clear. Give --tls-cert and --tls-key, or put a proxy with TLS in front and name it with --trusted-proxy.",
            metadata: ["carillon.host": "\(configuration.server.host)"]
        )
    }

    /// Says where everything is.
    func print(port: Int) {
        let text = isJSON ? json(port) : lines(port)
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    // MARK: - Private

    private func url(_ port: Int) -> String {
        let host = configuration.server.host
        return (configuration.server.tls == nil ? "http" : "https")
            + "://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    private func lines(_ port: Int) -> String {
        var lines = [
            "Store       \(configuration.store.shown)\(isNewStore ? " (new)" : "")",
            "Master key  \(configuration.masterKeyPath)"
                + (isNewMasterKey ? " (new; keep a copy, and not with the store's backups)" : ""),
            "API         \(url(port))/v1",
        ]
        if let firstKey {
            lines += ["Admin key   \(firstKey.secret)", "            It is shown this once."]
        }
        return lines.joined(separator: "\n")
    }

    private func json(_ port: Int) -> String {
        struct Line: Encodable {
            var url: String
            var port: Int
            var store: String
            var masterKey: String
            var cacheMiB: Int
            var adminKey: String?
        }
        let line = Line(
            url: url(port),
            port: port,
            store: configuration.store.shown,
            masterKey: configuration.masterKeyPath,
            cacheMiB: configuration.database.cacheSize / 1_024,
            adminKey: firstKey?.secret
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
