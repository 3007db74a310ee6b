import ArgumentParser
import CarillonServer
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// `carillon serve`: the server, until SIGTERM or Ctrl-C.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server.",
        discussion: """
            Without any configuration it creates its store, prints its path, and prints an admin API key until it is \
            used. Every flag may also be an environment variable or a key of a JSON file; both are in parentheses after \
            its description: --tls-cert FILE is CARILLON_TLS_CERT=FILE, or {"tls": {"cert": "FILE"}}. Flags take \
            precedence over the environment, and that over the file. docs/http-api.md describes the API, and so does \
            GET /v1/openapi.yaml.
            """
    )

    @OptionGroup var options: ServeOptions

    @Flag(help: "Announce the server as one line of JSON instead of text.")
    var json = false

    func run() async throws {
        // More threads than cores would only slow each other down.
        NIOSingletons.groupLoopCountSuggestion = Cores.usable
        let environment = ProcessInfo.processInfo.environment
        let settings: ServerSettings
        var configuration: ServerConfiguration
        let folder: URL
        do {
            settings = try await ServerSettings(
                flags: options.values,
                environment: environment,
                file: options.config ?? environment["CARILLON_CONFIG"]
            )
            folder = DataFolder.url(configured: try settings.text(.data), environment: environment)
            configuration = try ServerConfiguration(settings, folder: folder)
            try DataFolder.make(folder)
        } catch let failure as ServerSettings.Failure {
            throw CommandFailure.described(failure)
        }
        let warnings = WarningLog()
        configuration.warnings = warnings
        let logger = try logger(settings, warnings)
        var announcement = ServerAnnouncement(configuration, folder: folder, isJSON: json)
        let server = try await ServerComposition(configuration, logger: logger)
        announcement.firstKey = server.firstKey
        announcement.setupLink = server.setupLink
        announcement.warn(logger)
        try await withThrowingTaskGroup(of: Void.self) { [announcement, logger] group in
            group.addTask {
                if let port = await server.port.value { announcement.print(port: port, logger) }
            }
            do {
                try await server.run(until: [.sigterm, .sigint])
            } catch let error as IOError where Self.isRefusedAddress(error) {
                throw CommandFailure(.unavailable, Self.cannotListen(configuration, error))
            }
        }
    }

    private static func isRefusedAddress(_ error: IOError) -> Bool {
        [EADDRINUSE, EACCES, EADDRNOTAVAIL].contains(error.errnoCode)
    }

    /// Why the API cannot listen, and what to do.
    static func cannotListen(_ configuration: ServerConfiguration, _ error: IOError) -> String {
        let place = "\(configuration.server.host):\(configuration.server.port)"
        let advice =
            switch error.errnoCode {
            case EADDRINUSE: "Another program uses it: end that one, or give another --port."
            case EACCES: "This user may not listen on it: give a --port of 1024 or more."
            default: "Give an address of this machine with --host."
            }
        return "Cannot listen at \(place): \(String(cString: strerror(error.errnoCode))). \(advice)"
    }

    /// Standard output is for the announcement; the log uses standard error.
    private func logger(_ settings: ServerSettings, _ warnings: WarningLog) throws -> Logger {
        var logger = Logger(label: "carillon") { label in
            MultiplexLogHandler([StreamLogHandler.standardError(label: label), WarningLogHandler(warnings)])
        }
        logger.logLevel = try settings.word(.logLevel, Logger.Level.self) ?? .info
        return logger
    }
}
