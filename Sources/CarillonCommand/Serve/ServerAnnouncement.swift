import CarillonConsole
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import Foundation
import Logging

/// The announcement of a starting server.
struct ServerAnnouncement: Sendable {
    private let configuration: ServerConfiguration
    private let isJSON: Bool
    private let isNewStore: Bool
    private let isNewMasterKey: Bool
    private let keyFile: URL
    private let linkFile: URL
    private let isTerminal: Bool
    /// The admin API key that is not used yet.
    var firstKey: APIKeySecret?
    /// The console's link for the first Operator.
    var setupLink: OperatorLink?

    /// Reads existing state; must be created before the store is opened.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - folder: The folder of the first key's file when no terminal shows it.
    ///   - isJSON: Whether it is for a program.
    ///   - isTerminal: Whether standard output is a terminal; a log must not contain a secret.
    init(
        _ configuration: ServerConfiguration,
        folder: URL,
        isJSON: Bool,
        isTerminal: Bool = isatty(STDOUT_FILENO) == 1
    ) {
        self.configuration = configuration
        self.isJSON = isJSON
        self.isTerminal = isTerminal && !isJSON
        keyFile = folder.appendingPathComponent("admin.key")
        linkFile = folder.appendingPathComponent("setup.link")
        if case .file(let path) = configuration.store {
            isNewStore = !FileManager.default.fileExists(atPath: path)
        } else {
            isNewStore = false
        }
        isNewMasterKey = !FileManager.default.fileExists(atPath: configuration.masterKeyPath)
    }

    /// Whether keys and device tokens are sent over a network without TLS.
    var isPlainBeyondLoopback: Bool {
        let host = configuration.server.host
        let isLoopback = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        return configuration.server.tls == nil && !isLoopback && configuration.server.trustedProxies.isEmpty
    }

    /// Logs dangerous or unusual settings as warnings.
    func warn(_ logger: Logger) {
        if configuration.holdsBack {
            logger.warning("HELD: this node sends nothing, including webhooks. Start it without hold to send.")
        }
        if firstKey == nil, FileManager.default.fileExists(atPath: keyFile.path) {
            logger.warning(
                "The file has an admin API key that was used since, and may still be good for everything: move it to where secrets are kept, or delete the file, and the key too if nobody needs it.",
                metadata: ["carillon.file": "\(keyFile.path)"]
            )
        }
        if case .postgreSQL(let url) = configuration.store, let warning = PostgreSQLTransport(url).warning {
            logger.warning("\(warning)", metadata: ["carillon.store": "\(configuration.store.shown)"])
        }
        guard isPlainBeyondLoopback else { return }
        logger.warning(
            "PLAIN HTTP BEYOND THIS MACHINE: API keys and device tokens travel in the clear. Give --tls-cert and --tls-key, or put a proxy with TLS in front and name it with --trusted-proxy.",
            metadata: ["carillon.host": "\(configuration.server.host)"]
        )
    }

    /// Prints the addresses; the first key is printed in the terminal, or written to a file.
    ///
    /// When that file cannot be written, it logs what to do, and the server runs: the next start tries again.
    func print(port: Int, _ logger: Logger) {
        let text: String
        do {
            text = try self.text(port: port)
        } catch {
            logger.error(
                "\(error) Make a key with `carillon keys create` on the store, or mend the folder and start again.",
                metadata: ["carillon.file": "\(keyFile.path)"]
            )
            var rest = self
            (rest.firstKey, rest.setupLink) = (nil, nil)
            text = rest.isJSON ? rest.json(port) : rest.lines(port)
        }
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// The text of ``print(port:)``, with the file written.
    func text(port: Int) throws -> String {
        if let firstKey, !isTerminal { try write(firstKey.secret, to: keyFile, "the first API key") }
        if let setupLink, !isTerminal { try write(address(setupLink, port), to: linkFile, "the setup link") }
        return isJSON ? json(port) : lines(port)
    }

    // MARK: - Private

    private func url(_ port: Int) -> String {
        let host = configuration.server.host
        return (configuration.server.tls == nil ? "http" : "https")
            + "://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Where browsers open the console.
    private func consoleURL(_ port: Int) -> String {
        configuration.console?.publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? url(port)
    }

    private func address(_ link: OperatorLink, _ port: Int) -> String { consoleURL(port) + link.path }

    private func write(_ secret: String, to file: URL, _ name: String) throws {
        let descriptor = open(file.path, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
        let line = Array((secret + "\n").utf8)
        let isWritten =
            descriptor >= 0 && fchmod(descriptor, 0o600) == 0
            && Foundation.write(descriptor, line, line.count) == line.count
        let problem = String(cString: strerror(errno))
        if descriptor >= 0 { close(descriptor) }
        guard isWritten else {
            throw CommandFailure(description: "Cannot write \(name) to \(file.path): \(problem).")
        }
    }

    private func lines(_ port: Int) -> String {
        var lines = [
            "Store       \(configuration.store.shown)\(isNewStore ? " (new)" : "")",
            "Master key  \(configuration.masterKeyPath)"
                + (isNewMasterKey ? " (new; keep a copy, separately from the store's backups)" : ""),
            "API         \(url(port))/v1",
        ]
        if configuration.servesConsole { lines.append("Console     \(consoleURL(port))/console/") }
        if configuration.holdsBack { lines.append("Held        nothing is sent until a start without --hold") }
        if let firstKey {
            lines +=
                isTerminal
                ? ["Admin key   \(firstKey.secret)", "            It is shown until it is used for the first time."]
                : ["Admin key   in \(keyFile.path), until it is used for the first time; move it from there"]
        }
        if let setupLink {
            lines +=
                isTerminal
                ? [
                    "Setup       \(address(setupLink, port))",
                    "            Open it within 60 minutes: it makes the first Operator, once.",
                ]
                : [
                    "Setup       the console's link is in \(linkFile.path), for 60 minutes; it makes the first Operator, once"
                ]
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
            var adminKeyFile: String?
            var console: String?
            var setupLinkFile: String?
        }
        let line = Line(
            url: url(port),
            port: port,
            store: configuration.store.shown,
            masterKey: configuration.masterKeyPath,
            cacheMiB: configuration.database.cacheSize / 1_024,
            adminKeyFile: firstKey == nil ? nil : keyFile.path,
            console: configuration.servesConsole ? consoleURL(port) + "/console/" : nil,
            setupLinkFile: setupLink == nil ? nil : linkFile.path
        )
        return (try? JSONEncoder.sorted().encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
